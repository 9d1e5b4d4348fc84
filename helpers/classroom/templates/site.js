// Where the loader of widgets finds a widget's package: beside the pages.
var require = { baseUrl: "_static/widgets" };

// The Explorer of the first page plays once, when it has loaded, unless the reader prefers no motion.
addEventListener("DOMContentLoaded", () => {
  const box = document.querySelector(".tag_plays .live");
  if (!box || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const watcher = new MutationObserver(() => {
    const play = box.querySelector('.ax-player [data-icon="play"]');
    if (!play || !box.querySelector('.ax-view[data-ready="true"]')) return;
    watcher.disconnect();
    play.click();
  });
  watcher.observe(box, { subtree: true, childList: true, attributes: true });
});

// A link to the page in another language leads to the same heading, as both have equally many headings.
const headings = () => [...document.querySelectorAll("article :is(h2, h3)")];
addEventListener("DOMContentLoaded", () => {
  const place = /^#place-(\d+)$/.exec(location.hash);
  if (place) headings()[place[1]]?.scrollIntoView();
  for (const link of document.querySelectorAll(".languages a")) {
    link.addEventListener("click", () => {
      const above = headings().filter((h) => h.getBoundingClientRect().top < innerHeight / 2);
      if (above.length && scrollY > 0) link.hash = `place-${above.length - 1}`;
    });
  }
});
