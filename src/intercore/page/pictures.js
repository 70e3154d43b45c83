"use strict"; // Mouse, touch and keyboard handling of figures. intercore/view/svg.py draws them, with data
// attributes for this; they work without it. Places are parts of a panel, from 0, the left or the bottom, to 1.
const byId = (id) => document.getElementById(id);
const [large, plot, shown] = ["large", "plot", "shown"].map(byId);
const PANELS = ".drawing[data-figure] > svg";
// Pixels within which a mark is pointed at, and of a drag to zoom; the smallest part of an axis, ten times the rounding.
const NEAR = 24, DRAGGED = 12, SMALLEST = 1e-3;
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
const made = (tag, attributes) => set(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes);

// Values under the pointer. The texts of marks are packed, by figure and panel, in drawing order.
let texts, latest;
async function unpacked() {
  const bytes = Uint8Array.from(atob(byId("texts").textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

function marksOf(panel) {
  const box = (mark) => ["x", "y", "width", "height"].map((name) => parseFloat(mark.getAttribute(name) ?? 0) / 100);
  const starts = (path) => path.getAttribute("d").matchAll(/M(\S+) (\S+?)h/g);
  const dots = (path) => Array.from(starts(path), ([, x, y]) => [x / 1e3, y / 1e3, 0, 0]);
  panel.marks ??= [...panel.querySelectorAll("[data-pointed]")].flatMap((group) =>
    (group.matches("path") ? dots(group) : [...group.children].map(box)).map(([x, y, width, height]) =>
      ({ group, x: [x, x + width], y: [1 - y - height, 1 - y] })));
  return panel.marks;
}

async function point(event) {
  latest = event;
  const panel = event.target.closest?.(PANELS), drawing = panel?.parentElement;
  const all = drawing && (await (texts ??= unpacked()))[drawing.dataset.figure][[...drawing.children].indexOf(panel)];
  if (latest !== event) return;
  const area = panel?.getBoundingClientRect();
  const at = drawing && { x: event.clientX - area.left, y: area.bottom - event.clientY };
  const away = (mark, direction, size) => {
    const [from, to] = partOf(panel, direction);
    const [low, high] = mark[direction].map((place) => size * (place - from) / (to - from));
    return high < -1 || low > size + 1 ? Infinity : Math.max(low - at[direction], at[direction] - high, 0);
  };
  let [text, least] = ["", NEAR];
  (drawing ? marksOf(panel) : []).forEach((mark, index) => {
    const distance = Math.hypot(away(mark, "x", area.width), away(mark, "y", area.height));
    if (distance <= least && mark.group.style.display !== "none") [text, least] = [all[index], distance];
  });
  Object.assign(shown, { hidden: !text, textContent: text });
  const left = event.clientX < innerWidth / 2;
  shown.style.left = left ? `${event.clientX + 14}px` : "";
  shown.style.right = left ? "" : `${document.documentElement.clientWidth - event.clientX + 14}px`;
  shown.style.top = `${Math.min(event.clientY + 14, innerHeight - shown.offsetHeight - 4)}px`;
}
for (const kind of ["pointermove", "pointerdown"]) document.addEventListener(kind, point);
document.addEventListener("scroll", () => { shown.hidden = true; }, true);

// A part of a figure. Equal axes are linked: their panels show the same part.
const parts = new Map();
const partOf = (panel, direction) => parts.get(direction + panel.dataset[direction]) ?? [0, 1];

function written(value, step, form, unit) { // as Axis.text of intercore/view/axes.py writes it
  const last = Math.floor(Math.log10(step) + 1e-9);
  if (form === "percent") return `${(100 * value).toFixed(Math.max(0, -2 - last))}%`;
  const digits = value ? 1 + Math.floor(Math.log10(Math.abs(value)) + 1e-9) - last : 1;
  const power = Math.min(Math.max(Math.floor(Math.log10(Math.abs(value) * (1 + 1e-12)) / 3), -4), 3);
  const number = (part) => String(Number(part.toPrecision(Math.min(Math.max(digits, 1), 15))));
  if (!value || (form !== "si" && !unit)) return number(value);
  return `${number(value / 1e3 ** power)}${unit ? " " : ""}${"pnµm kMG"[power + 4].trim()}${unit}`;
}

function ticksOf(words, part) {
  const [low, high] = words.slice(0, 2).map(Number), [kind, form, unit] = words.slice(2), log = kind === "log";
  const [first, last] = part.map((place) => (log ? low * (high / low) ** place : low + place * (high - low)));
  const at = (value) => (log ? Math.log(value / first) / Math.log(last / first) : (value - first) / (last - first));
  const power = 10 ** Math.floor(Math.log10((last - first) / 5));
  const step = power * [1, 2, 5, 10].find((digit) => 5 * power * digit >= last - first);
  const powers = Array.from({ length: 40 }, (_, index) => 10 ** (Math.floor(Math.log10(first)) + index));
  const digits = last / first > 150 ? [1] : [1, 2, 5];
  const values = log && last / first > 5 ? powers.flatMap((one) => digits.map((digit) => digit * one))
    : Array.from({ length: 12 }, (_, index) => (Math.ceil(first / step) + index) * step);
  const label = (value) => written(value, log && last / first > 5 ? value : step, form, unit);
  return values.filter((one) => one >= first && one <= last).map((one) => ({ at: at(one), label: label(one) }));
}

function drawTicks(panel, direction) {
  const group = panel.querySelector(`.ticks-${direction}`);
  group.whole ??= [...group.childNodes];
  const part = partOf(panel, direction), labelled = group.whole.some((one) => one.matches("text"));
  group.replaceChildren(...part[1] - part[0] === 1 ? group.whole
    : ticksOf(panel.dataset[direction].split(" "), part).flatMap(({ at, label }) => {
      const x = `${100 * at}%`, y = `${100 * (1 - at)}%`, full = "100%", isX = direction === "x";
      const line = made("line", { class: "grid", ...isX ? { x1: x, x2: x, y2: full } : { y1: y, y2: y, x2: full } });
      const text = made("text", isX ? { class: "middle", x, y: full, dy: 16 } : { class: "end", dx: -8, y, dy: 4 });
      text.textContent = label;
      return labelled ? [line, text] : [line];
    }));
}

function redraw() {
  for (const panel of plot.querySelectorAll(PANELS)) {
    const [[left, right], [bottom, top]] = [partOf(panel, "x"), partOf(panel, "y")];
    const [wide, high] = [right - left, top - bottom];
    for (const layer of panel.querySelectorAll("[data-zoom]")) {
      if (layer.dataset.zoom.includes("x")) set(layer, { x: `${-100 * left / wide}%`, width: `${100 / wide}%` });
      if (layer.dataset.zoom.includes("y")) set(layer, { y: `${100 * (top - 1) / high}%`, height: `${100 / high}%` });
    }
    panel.classList.toggle("zoomed", wide < 1 || high < 1);
    for (const direction of ["x", "y"]) if (panel.dataset[direction]) drawTicks(panel, direction);
  }
}

function show(axis, from, to) {
  const size = Math.min(Math.max(to - from, SMALLEST), 1), low = Math.min(Math.max(from, 0), 1 - size);
  if (size < 1) parts.set(axis, [low, low + size]);
  else parts.delete(axis);
}
const BACK = [-0.25, -0.25], ON = [0.25, 0.25]; // how both ends move, relative to the visible part; along which axes
const KEYS = { "+": [[0.2, -0.2], "xy"], "-": [[-0.25, 0.25], "xy"], ArrowLeft: [BACK, "x"], ArrowRight: [ON, "x"] };
Object.assign(KEYS, { ArrowDown: [BACK, "y"], ArrowUp: [ON, "y"], 0: [[-Infinity, Infinity], "xy"] });
function press(key) {
  const [[first, second], directions] = KEYS[key];
  const axes = new Set([...plot.querySelectorAll(PANELS)].flatMap((panel) =>
    [...directions].filter((one) => panel.dataset[one]).map((one) => one + panel.dataset[one])));
  for (const axis of axes) {
    const [from, to] = parts.get(axis) ?? [0, 1];
    show(axis, from + first * (to - from), to + second * (to - from));
  }
  redraw();
}
for (const one of large.querySelectorAll("[data-key]")) one.addEventListener("click", () => press(one.dataset.key));
large.addEventListener("keydown", (event) => {
  const scrolls = event.key.startsWith("Arrow") && !parts.size; // because nothing is beyond the edges
  if (!KEYS[event.key] || scrolls || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  press(event.key);
});
plot.addEventListener("dblclick", () => press("0"));

// The mouse draws a box to zoom; touch scrolls, and uses the buttons.
plot.addEventListener("pointerdown", (event) => {
  const panel = event.target.closest(PANELS);
  if (!panel || event.button !== 0 || event.pointerType === "touch") return;
  event.preventDefault();
  const area = panel.getBoundingClientRect(), box = panel.appendChild(made("rect", { class: "dragged" }));
  const inside = (place) => Math.min(Math.max(place, 0), 1);
  const at = (one) => [(one.clientX - area.left) / area.width, (area.bottom - one.clientY) / area.height].map(inside);
  const ends = (move) => ["x", "y"].map((direction, index) => {
    const both = [at(event)[index], at(move)[index]].sort((a, b) => a - b);
    const pixels = (both[1] - both[0]) * [area.width, area.height][index];
    return panel.dataset[direction] && pixels > DRAGGED ? both : [0, 1];
  });
  const draw = (move) => {
    const [[left, right], [bottom, top]] = ends(move);
    const [x, width, y, height] = [left, right - left, 1 - top, top - bottom].map((place) => `${100 * place}%`);
    set(box, { x, width, y, height });
  };
  const over = new AbortController();
  addEventListener("pointermove", draw, over);
  for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, (last) => {
    over.abort();
    box.remove();
    (kind === "pointerup" ? ends(last) : []).forEach(([low, high], index) => {
      const name = "xy"[index], [from, to] = partOf(panel, name);
      if (high - low < 1) show(name + panel.dataset[name], from + low * (to - from), from + high * (to - from));
    });
    redraw();
  }, over);
});

// A figure in the whole window, as in the page but taller, and with a legend that hides series.
function enlarge(button) {
  const drawings = document.querySelectorAll(`.drawing[data-figure="${button.dataset.figure}"]`);
  const figure = drawings[drawings.length - 1].closest("figure").cloneNode(true); // the last drawing has all panels
  figure.querySelector("button.zoom")?.remove();
  plot.replaceChildren(figure);
  for (const item of figure.querySelectorAll(".key li")) {
    const hides = document.createElement("button");
    set(hides, { type: "button", "aria-pressed": "true" }).append(...item.childNodes);
    item.append(hides);
    hides.addEventListener("click", () => {
      const on = hides.getAttribute("aria-pressed") === "false";
      hides.setAttribute("aria-pressed", on);
      const drawn = figure.querySelectorAll(`svg [data-s="${item.dataset.s}"]`);
      for (const one of drawn) one.style.display = on ? "" : "none";
    });
  }
  set(large, { "aria-label": button.dataset.title, "data-name": button.dataset.name });
  large.append(shown); // the rest of the page lies below the dialog
  large.showModal();
  const panels = [...figure.querySelectorAll(PANELS)].map((panel) => [panel, panel.getBoundingClientRect()]);
  const spare = large.clientHeight - plot.offsetTop - plot.offsetHeight - 16;
  const rows = new Set(panels.map(([, box]) => Math.round(box.top))).size;
  for (const [panel, box] of panels) panel.style.height = `${box.height + Math.max(spare, 0) / rows}px`;
}
for (const button of document.querySelectorAll("button.zoom")) {
  button.hidden = false;
  button.addEventListener("click", () => enlarge(button));
}
large.addEventListener("close", () => { document.body.append(shown); plot.replaceChildren(); parts.clear(); });
byId("close").addEventListener("click", () => large.close());
