"use strict";
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const root = document.documentElement;

  // What works only with a script is shown only with one.
  for (const each of all(".filter, .tools, .sieve")) each.hidden = false;

  // A link into what is folded, or filtered away, unfolds it.
  const showCode = (code, shown) => {
    for (const each of all(".group")) if (each.dataset.code === code) each.hidden = !shown;
    for (const each of all(".filter button")) {
      if (each.dataset.code === code) each.setAttribute("aria-pressed", String(shown));
    }
  };

  // A list shows the entries with all words of the box in their names and the tone of the button that is pressed.
  const sieves = all(".sieve").map((sieve) => {
    const section = sieve.closest("section");
    const [box, buttons, count] = [sieve.querySelector("input"), sieve.querySelectorAll("button"), sieve.querySelector("output")];
    const entries = [...section.querySelectorAll("[data-name]")];
    const folds = [...section.querySelectorAll("details")].filter((each) => !each.closest(".file .view"));
    let open = null;

    const apply = () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      const pressed = [...buttons].filter((each) => each.getAttribute("aria-pressed") === "true");
      const isActive = words.length > 0 || pressed.length > 0;
      if (isActive) open ??= new Map(folds.map((each) => [each, each.open]));
      const fits = (entry) =>
        words.every((word) => entry.dataset.name.includes(word)) &&
        (!pressed.length || pressed.some((each) => each.dataset.tone === entry.dataset.tone));
      const fitting = new Set(entries.filter(fits));
      // From the innermost outwards: what holds an entry that fits is shown with it.
      for (const entry of entries.toReversed()) {
        entry.hidden = !fitting.has(entry) && !entry.querySelector("[data-name]:not([hidden])");
      }
      for (const each of all(".passing")) each.closest("li").hidden = !each.querySelector("[data-name]:not([hidden])") && !!each.querySelector("[data-name]");
      if (isActive) for (const each of folds) if (each.querySelector("[data-name]:not([hidden])")) each.open = true;
      if (!isActive && open) {
        for (const [each, was] of open) each.open = was;
        open = null;
      }
      count.textContent = isActive ? `${fitting.size} of ${entries.length} ${sieve.dataset.noun}` : "";
    };
    const clear = () => {
      box.value = "";
      for (const each of buttons) each.setAttribute("aria-pressed", "false");
      apply();
    };
    box.addEventListener("input", apply);
    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") clear();
    });
    for (const each of buttons) {
      each.addEventListener("click", () => {
        each.setAttribute("aria-pressed", String(each.getAttribute("aria-pressed") !== "true"));
        apply();
      });
    }
    return { section, box, clear };
  });

  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (const each of sieves) if (each.section.contains(target) && target.closest("[data-name][hidden]")) each.clear();
    for (let each = target; each; each = each.parentElement) {
      if (each.localName === "details") each.open = true;
      if (each.hidden && each.dataset.code) showCode(each.dataset.code, true);
    }
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.code) showCode(button.dataset.code, button.getAttribute("aria-pressed") !== "true");
    if (button.dataset.fold) for (const each of all(".file")) each.open = button.dataset.fold === "open";
  });

  // Escape puts the evidence away until another annotation is pointed at; a slash leads to the first filter.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") root.classList.add("quiet");
    if (event.key !== "/" || event.target.closest("input, textarea") || !sieves.length) return;
    event.preventDefault();
    sieves[0].box.focus();
  });
  const speak = (event) => {
    if (event.target.closest?.(".note")) root.classList.remove("quiet");
  };
  document.addEventListener("mouseover", speak);
  document.addEventListener("focusin", speak);
})();
