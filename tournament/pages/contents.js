// The table of contents: open where it stands beside the sections, closed above them; it marks the section that is read.

const contents = document.querySelector(".contents");
if (contents) {
  const list = contents.querySelector("details"), wide = matchMedia("(min-width: 68rem)");
  const fit = () => { list.open = wide.matches; };
  wide.addEventListener("change", fit);
  fit();
  const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") && !wide.matches) list.open = false;
    if (event.target.closest("summary") && wide.matches) event.preventDefault();
  });
  const headings = [...links.keys()].map((name) => document.getElementById(name));
  let asked = false;
  const mark = () => {
    asked = false;
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 3);
    const current = passed.at(-1) ?? headings[0];
    for (const [name, link] of links) {
      if (name !== current?.id) link.removeAttribute("aria-current");
      else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "true");
        if (wide.matches) list.scrollTop = Math.max(0, link.offsetTop - list.clientHeight / 2);
      }
    }
  };
  addEventListener("scroll", () => { if (!asked) { asked = true; requestAnimationFrame(mark); } }, { passive: true });
  mark();
}
