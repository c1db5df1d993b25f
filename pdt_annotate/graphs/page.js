"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const page = document.querySelector(".graph-page");
  const stage = page.querySelector(".stage");
  const search = page.querySelector("input[type=search]");
  const told = page.querySelector("output");
  const picture = () => all(".picture").find((each) => each.checkVisibility());
  const drawing = () => picture().querySelector("svg");

  for (const each of all(".graph-tools, .keys")) each.hidden = false;

  // Zoom: the picture keeps its own measure, and is shown larger or smaller; the stage scrolls.
  const measure = (svg) => svg.viewBox.baseVal;
  const scale = (svg) => svg.width.baseVal.value / measure(svg).width;
  const zoom = (to, x = stage.clientWidth / 2, y = stage.clientHeight / 2) => {
    const svg = drawing();
    const rect = svg.getBoundingClientRect();
    const corner = stage.getBoundingClientRect();
    const before = scale(svg);
    const [inX, inY] = [(corner.left + x - rect.left) / before, (corner.top + y - rect.top) / before];
    const now = Math.min(4, Math.max(0.05, to));
    svg.setAttribute("width", measure(svg).width * now);
    svg.setAttribute("height", measure(svg).height * now);
    const moved = svg.getBoundingClientRect();
    stage.scrollLeft += moved.left + inX * now - corner.left - x;
    stage.scrollTop += moved.top + inY * now - corner.top - y;
  };
  const fit = () => {
    const size = measure(drawing());
    zoom(Math.min(1, stage.clientWidth / size.width, stage.clientHeight / size.height));
  };
  const by = { in: () => zoom(scale(drawing()) * 1.25), out: () => zoom(scale(drawing()) / 1.25), fit };
  for (const each of all("[data-zoom]")) each.addEventListener("click", by[each.dataset.zoom]);
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const corner = stage.getBoundingClientRect();
    zoom(scale(drawing()) * Math.exp(-event.deltaY / 300), event.clientX - corner.left, event.clientY - corner.top);
  }, { passive: false });

  // Drag with a mouse; a finger scrolls by itself. A drag that ends on a node does not press it.
  let held = null;
  stage.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button) return;
    held = { x: event.clientX, y: event.clientY, left: stage.scrollLeft, top: stage.scrollTop, far: false };
  });
  addEventListener("pointermove", (event) => {
    if (!held) return;
    const [x, y] = [event.clientX - held.x, event.clientY - held.y];
    held.far ||= Math.hypot(x, y) > 4;
    if (!held.far) return;
    stage.classList.add("dragged");
    stage.scrollLeft = held.left - x;
    stage.scrollTop = held.top - y;
  });
  let dragged = false;
  addEventListener("pointerup", () => {
    dragged = held?.far ?? false;
    held = null;
    stage.classList.remove("dragged");
  });
  stage.addEventListener("click", (event) => {
    if (dragged) event.preventDefault();
    dragged = false;
  }, true);
  stage.addEventListener("dragstart", (event) => event.preventDefault());

  // What the address names is chosen: its box, and the edges to it and from it.
  const box = (link) => link.querySelector(".box");
  const links = () => all("a.node", picture());
  const seen = (link) => {
    const [rect, room] = [link.getBoundingClientRect(), stage.getBoundingClientRect()];
    const apart = (low, high, from, to) => (low < from || high > to ? (low + high - from - to) / 2 : 0);
    stage.scrollLeft += apart(rect.left, rect.right, room.left, room.right);
    stage.scrollTop += apart(rect.top, rect.bottom, room.top, room.bottom);
  };
  const choose = () => {
    for (const each of all(".chosen, .edge.from, .edge.to")) each.classList.remove("chosen", "from", "to");
    const chosen = links().filter((each) => each.getAttribute("href") === location.hash);
    for (const link of location.hash ? chosen : []) {
      link.classList.add("chosen");
      for (const edge of all(".edge", picture())) {
        edge.classList.toggle("from", edge.dataset.from === box(link).id);
        edge.classList.toggle("to", edge.dataset.to === box(link).id);
      }
    }
    if (chosen.length) seen(chosen[0]);
  };
  addEventListener("hashchange", choose);
  for (const each of all(".depths input")) {
    each.addEventListener("change", () => {
      choose();
      find();
    });
  }

  // Search in all that is known of a node; Enter goes from one that is found to the next.
  let hits = [];
  const find = () => {
    const wanted = search.value.trim().toLowerCase();
    hits = wanted ? links().filter((each) => each.textContent.toLowerCase().includes(wanted)) : [];
    for (const svg of all(".graph")) svg.classList.toggle("searched", Boolean(wanted));
    for (const each of all("a.node")) each.classList.toggle("hit", hits.includes(each));
    told.textContent = wanted ? `${hits.length} found` : "";
  };
  search.addEventListener("input", () => {
    find();
    if (hits.length) seen(hits[0]);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !hits.length) return;
    const at = hits.findIndex((each) => each.classList.contains("chosen"));
    const next = (at + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
    told.textContent = `${next + 1} of ${hits.length}`;
    location.hash = hits[Math.max(0, next)].getAttribute("href");
  });

  // Keys: along the edges from the node that has the focus, and the same as the buttons.
  const follow = (link, end, other) => {
    const edge = all(".edge", picture()).find((each) => each.dataset[end] === box(link).id);
    const next = edge && document.getElementById(edge.dataset[other]).closest("a");
    next?.focus();
    if (next) location.hash = next.getAttribute("href");
    return Boolean(next);
  };
  const keys = { "+": by.in, "=": by.in, "-": by.out, 0: fit, "/": () => search.focus() };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      search.value = "";
      find();
      if (location.hash) location.hash = "";
      return;
    }
    if (event.target.closest("input")) return;
    const link = event.target.closest("a.node");
    const followed = link && { ArrowDown: ["from", "to"], ArrowUp: ["to", "from"] }[event.key];
    if (followed ? follow(link, ...followed) : keys[event.key]) event.preventDefault();
    if (!followed) keys[event.key]?.();
  });

  choose();
  const first = links()[0]?.getBoundingClientRect();
  if (!location.hash && first) stage.scrollLeft += first.left + first.width / 2 - stage.clientWidth / 2;
})();
