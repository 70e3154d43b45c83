// The contents mark the section being read: the first visible one.
const places = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const inSight = new Set();
const reading = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) inSight.add(entry.target.id);
    else inSight.delete(entry.target.id);
  }
  const first = [...places.keys()].find((id) => inSight.has(id));
  if (first === undefined) return; // between two sections
  for (const [id, link] of places) {
    if (id === first) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}, { rootMargin: "0px 0px -70% 0px" });
for (const id of places.keys()) {
  const section = document.getElementById(id);
  if (section) reading.observe(section);
}
