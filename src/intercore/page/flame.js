"use strict"; // Zooms into flame graphs, which are whole without it: a box has its row, left and width, from 0 to 1.
for (const flame of document.querySelectorAll("[data-flame]")) {
  const told = flame.nextElementSibling;
  const boxes = [...flame.children].map((element) => {
    const [row, left, width] = element.dataset.box.split(" ").map(Number);
    return { element, row, left, width, name: element.dataset.name };
  });
  let current = null, zoomed = null;
  const covers = (box, other) => box.left <= other.left + 1e-6 && box.left + box.width >= other.left + other.width - 1e-6;

  function show() {
    const [left, width] = zoomed ? [zoomed.left, zoomed.width] : [0, 1];
    for (const box of boxes) {
      const above = zoomed && box.row < zoomed.row && covers(box, zoomed);
      const begin = above ? 0 : (box.left - left) / width, part = above ? 1 : box.width / width;
      box.element.hidden = begin + part <= 1e-6 || begin >= 1 - 1e-6 || (zoomed && box.row < zoomed.row && !above);
      box.element.classList.toggle("above", Boolean(above));
      Object.assign(box.element.style, { left: `${100 * begin}%`, width: `${100 * part}%` });
      box.element.textContent = part * flame.clientWidth > 24 ? box.name : "";
    }
  }

  function choose(box) {
    current?.element.classList.remove("current");
    current = box;
    box?.element.classList.add("current");
    told.textContent = box?.element.title ?? "";
  }

  function zoom(box) {
    choose(box);
    zoomed = box === zoomed ? null : box;
    show();
  }

  const boxOf = (event) => boxes.find((box) => box.element === event.target);
  flame.addEventListener("click", (event) => zoom(boxOf(event) ?? null));
  flame.addEventListener("pointerover", (event) => { if (boxOf(event)) told.textContent = event.target.title; });
  // Arrows go to the box beside, above or below; Enter zooms, Escape shows all.
  const seen = (row) => boxes.filter((box) => box.row === row && !box.element.hidden).sort((a, b) => a.left - b.left);
  function beside(step) {
    const row = seen(current.row);
    return row[row.indexOf(current) + step];
  }
  const steps = {
    ArrowRight: () => beside(1),
    ArrowLeft: () => beside(-1),
    ArrowDown: () => seen(current.row + 1).find((box) => covers(current, box)),
    ArrowUp: () => seen(current.row - 1).find((box) => covers(box, current)),
  };
  flame.addEventListener("keydown", (event) => {
    if (event.key === "Escape") zoom(null);
    else if (event.key === "Enter" && current) zoom(current);
    else if (event.key in steps) choose(current ? steps[event.key]() ?? current : seen(0)[0] ?? null);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(show).observe(flame);
}
