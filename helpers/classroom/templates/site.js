// Where the loader of widgets finds the package of one: beside the pages.
var require = { baseUrl: "_static/widgets" };

// The Explorer of the first page plays once, when it is there, for those who do not mind motion.
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
