// Light, dark or as the system: read before the first drawing, kept for the next visit.
(() => {
  const key = "footnote.theme";
  const root = document.documentElement;
  const apply = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  apply(localStorage.getItem(key) || "system");
  addEventListener("DOMContentLoaded", () => {
    for (const choice of document.querySelectorAll("[name=theme]")) {
      choice.checked = choice.value === (localStorage.getItem(key) || "system");
      choice.addEventListener("change", () => {
        localStorage.setItem(key, choice.value);
        apply(choice.value);
      });
    }
  });
})();
