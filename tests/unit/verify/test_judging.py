"""When a trial holds, and the trials of several targets as one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pdt_annotate.values.verdicts import Failure, Trial, Verdict
from pdt_annotate.verify.judging import accept, accept_undecided, join_trials


class TestVerdicts:
    alike = Verdict("answers", False, Failure("a tuple came back as a list", code="PDT065"))
    wrong = Verdict("answers", False, Failure("other values"))
    fine = Verdict("scripts", True)

    @pytest.mark.parametrize("verdicts", [(wrong,), (fine, wrong)])
    def test_other_answers_are_not_accepted(self, verdicts: tuple[Verdict, ...]) -> None:
        assert accept_undecided(Trial(verdicts)) == Trial(verdicts)

    def test_beside_other_answers_a_class_is_no_reason(self) -> None:
        accepted = accept_undecided(Trial((self.alike, self.wrong)))
        assert not accepted.ok and accepted.failure == self.wrong.failure

    def test_another_container_class_is_accepted_and_still_told(self) -> None:
        accepted = accept_undecided(Trial((self.fine, self.alike)))
        assert accepted.ok
        assert accepted.verdicts[1].failure == self.alike.failure

    def test_what_is_accepted_keeps_what_was_found(self) -> None:
        accepted = accept(Trial((self.wrong,)))
        assert accepted.ok and accepted.verdicts[0].failure == self.wrong.failure

    def test_joined_trials_end_at_the_first_that_fails(self) -> None:
        def trials() -> Iterator[Trial]:
            yield Trial((self.fine,))
            yield Trial((self.wrong,))
            raise AssertionError("a third was tried")

        assert join_trials(trials()) == Trial((self.fine, self.wrong))
