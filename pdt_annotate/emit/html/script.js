"use strict";
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const root = document.documentElement;

  // What works only with a script is shown only with one.
  for (const each of all(".filter, .tools")) each.hidden = false;

  // A link into what is folded, or filtered away, unfolds it.
  const showCode = (code, shown) => {
    for (const each of all(".group")) if (each.dataset.code === code) each.hidden = !shown;
    for (const each of all(".filter button")) {
      if (each.dataset.code === code) each.setAttribute("aria-pressed", String(shown));
    }
  };
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
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

  // Escape puts the evidence away until another annotation is pointed at.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") root.classList.add("quiet");
  });
  const speak = (event) => {
    if (event.target.closest?.(".note")) root.classList.remove("quiet");
  };
  document.addEventListener("mouseover", speak);
  document.addEventListener("focusin", speak);
})();
