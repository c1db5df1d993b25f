"""Messages of ways of capturing that refuse a program or a call, as one sentence for people.

The original messages are up to forty lines long, with values of tensors and links in them.
"""

import re
from collections.abc import Mapping

from pdt_annotate.findings.messages.said import CompilerMessage, last_line, telling_line
from pdt_annotate.values.verdicts import Failure

LONGEST = 240
WEB = re.compile(r"\s*\(?https?://\S+")
# The end of a sentence: no capital follows "e.g.", and torch forgets some spaces.
END = re.compile(r"(?<=[^.][.!?])\s+(?=[\"'`(A-Z])|(?<=\")\.(?=[A-Z])")
APART = CompilerMessage(
    r"(?P<where>.+?) differs: (?:Tensor-likes|Scalars) are not (?:close|equal)! Mismatched elements: (?P<some>\d+) /"
    r" (?P<all>\d+).*? Greatest absolute difference: (?P<most>\S+)"
)

OTHER_SHAPE = "the call passes other arguments, or containers of other sizes, than the recorded call"
REFUSALS: Mapping[str, str] = {
    r"Could not guard on data-dependent expression (?P<expression>.+?) \(unhinted": (
        "a branch depends on the value of a tensor, which is only known at run time ({expression})"
    ),
    r"Could not extract specialized integer from data-dependent expression (?P<expression>\S+)": (
        "a number comes from the value of a tensor, which is only known at run time ({expression})"
    ),
    r"trying to get value out of a tracing tensor with (?P<operator>[\w.]+)": (
        "Python reads the value of a tensor ({operator}), which is only known at run time"
    ),
    r"\A(?:Data-dependent branching\b|Dynamic control flow is not supported at the moment)": (
        "data-dependent branching: a branch depends on the value of a tensor"
    ),
    r"\ATrying to flatten user inputs with exported input tree spec": OTHER_SHAPE,
    r"\ARan into a kwarg keyword mismatch: Got the following keywords (?P<got>\[.*\]) but expected (?P<as>.+)": (
        "the call passes other keywords than the recorded call: {got}, not {as}"
    ),
    r"\Aforward\(\) expected at most \d+ argument\(s\) but received \d+": (
        "the call passes more arguments than the recorded call"
    ),
    r"\AGuard failed: (?P<guard>.+)": "the captured program accepts only calls with {guard}",
    r"^\s*- (?P<violated>(?:Not all values of|You marked|The values of|Received user-specified) .+)": "{violated}",
    r"\ATracer cannot infer type of (?P<value>\w+)\(": "the tracer has no type for a value of class {value}",
    r"\AEncountering a (?P<container>\w+) at the output of the tracer": (
        "the result is a {container}, which a trace returns only with strict=False"
    ),
    r"\A(?P<refused>Type '.+?' cannot be traced)": "{refused}",
    r"\A'(?P<name>\w+)' is not in forward\(\) method's arguments": (
        "the tracer needs a named parameter for each argument, and cannot pass one through `{name}`"
    ),
    r"\ATracing failed sanity checks!\nERROR: Graphs differed": (
        "two traces of one call differ: the program keeps state between calls, or uses random numbers"
    ),
    r"Dynamo failed to run FX node with fake tensors: .*?got (?P<kind>\w+)\([\"'](?P<got>.+)[\"'],?\)$": (
        "if the values of tensors are unknown, the model raises {kind}: {got}"
    ),
    r"\AFailed running call_\w+ [^\n]*FakeTensor\([^\n]*\):\n(?P<got>[^\n]+)": (
        "if the values of tensors are unknown, the model raises: {got}"
    ),
    r"\A(?P<title>[^\n.]+)\n\s*Explanation: (?P<explanation>.+)": "{title}: {explanation}",
    r"\A(?P<said>.+ received an invalid combination of arguments - got \(.*?\))": "{said}",
}
"""Known messages and their explanations, with named groups in braces. The first match is shown."""


def refusal(failure: Failure) -> str:
    """The most important sentence of a message of any length."""
    text = failure.text or failure.message
    for pattern, sentence in REFUSALS.items():
        if facts := CompilerMessage(pattern).read(text):
            return first_sentence(sentence.format(**facts.words))
    if "The following operation failed in the TorchScript interpreter" in text:
        return first_sentence(last_line(text))
    return first_sentence(telling_line(failure)) or failure.kind


def difference(message: str) -> str:
    facts = APART.read(message)
    if facts is None:
        return message
    most = f"{float(facts['most']):.3g} at most"
    return f"{facts['where']} differs in {facts['some']} of {facts['all']} elements, by {most}"


def first_sentence(text: str) -> str:
    """The first sentence of a text, without links, cut if it is too long."""
    line = " ".join(WEB.sub("", END.split(text.strip(), maxsplit=1)[0]).split())
    line = line.rstrip(" .:,")
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1].rstrip()}…"
