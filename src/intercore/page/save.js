// Saves the visible part of a figure as an SVG file: each element gets the computed style of the page.
const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity"];
LOOK.push("display", "overflow", "vector-effect", "text-anchor", "writing-mode", "dominant-baseline");
LOOK.push("font-size", "font-weight");

function withLook(source) {
  const copy = source.cloneNode(true), copies = [copy, ...copy.querySelectorAll("*")];
  [source, ...source.querySelectorAll("*")].forEach((one, index) => {
    const style = getComputedStyle(one);
    copies[index].removeAttribute("class");
    copies[index].setAttribute("style", LOOK.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  return copy;
}

byId("save").addEventListener("click", () => {
  const around = plot.getBoundingClientRect(), size = { width: around.width, height: around.height };
  const place = (box) => ({ x: box.left - around.left, y: box.top - around.top, width: box.width, height: box.height });
  const { fontFamily } = getComputedStyle(plot);
  const file = made("svg", { xmlns: "http://www.w3.org/2000/svg", "font-family": fontFamily, ...size });
  file.append(made("rect", { ...size, fill: getComputedStyle(large).backgroundColor }));
  const outlines = document.querySelector(".definitions defs");
  const hatch = getComputedStyle(outlines.querySelector(".hatch"));
  file.append(outlines.cloneNode(true)); // these inherit the style of their users, except hatches
  for (const one of file.querySelectorAll(".hatch")) set(one, { fill: "none", stroke: hatch.stroke });
  for (const one of plot.querySelectorAll(`.key svg, ${PANELS}`)) {
    file.append(set(withLook(one), place(one.getBoundingClientRect())));
  }
  for (const one of plot.querySelectorAll(".title, .key li")) {
    const { fontSize, fontWeight, color } = getComputedStyle(one), words = document.createRange();
    words.selectNodeContents(one);
    const box = [...words.getClientRects()].at(-1), y = box.bottom - around.top - 4;
    const x = (one.querySelector("svg")?.getBoundingClientRect().right ?? box.left) + 4 - around.left;
    const text = made("text", { x, y, "font-size": fontSize, "font-weight": fontWeight, fill: color });
    text.textContent = one.textContent.trim();
    file.append(text);
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([file.outerHTML], { type: "image/svg+xml" }));
  link.download = `${large.dataset.name}.svg`;
  link.click();
  URL.revokeObjectURL(link.href);
});
