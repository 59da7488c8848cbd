// Native tables: `table`, and `data_table` with pages and sorting.
import { el } from "./dom.js";
import { richText } from "./mrkdwn.js";

const content = (cell, names) => (cell.type === "rich_text" ? richText(cell, names) : [cell.text ?? ""]);
const sortKey = (cell) => (cell.type === "raw_number" ? cell.value : (cell.text ?? "").toLowerCase());

function rowOf(tag, row, settings, names) {
  return el("tr", {}, ...row.map((cell, n) => {
    const side = settings[n]?.align ?? (cell.type === "raw_number" ? "right" : undefined);
    return el(tag, { class: side, scope: tag === "th" ? "col" : undefined }, ...content(cell, names));
  }));
}

/** Lets `box` fade at its right edge as long as there is more to be moved into sight. */
export function fades(box) {
  const look = () => box.classList.toggle("goes-on", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  box.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(box);
  return box;
}

export function table(block, { names }) {
  const [head, ...rows] = block.rows;
  const settings = block.column_settings || [];
  return fades(el("div", { class: "block scroll", tabindex: 0, role: "region", "aria-label": "Table" }, el("table", {},
    el("thead", {}, rowOf("th", head, settings, names)),
    el("tbody", {}, ...rows.map((row) => rowOf("td", row, settings, names))))));
}

export function dataTable(block, { names }) {
  const [head, ...rows] = block.rows;
  const size = block.page_size || 5;
  const box = el("div", { class: "block" });
  let [from, sorted, downward] = [0, -1, false];
  const sortBy = (n) => () => {
    downward = sorted === n && !downward;
    sorted = n;
    rows.sort((a, b) => (sortKey(a[n]) > sortKey(b[n]) ? 1 : -1) * (downward ? -1 : 1));
    from = 0;
    draw();
    box.querySelectorAll("th button")[n]?.focus();
  };
  const headCell = (cell, n) => el("th", { scope: "col", "aria-sort": sorted === n ? (downward ? "descending" : "ascending") : undefined },
    el("button", { type: "button", class: "plain", onclick: sortBy(n) }, ...content(cell, names), sorted === n ? (downward ? " ↓" : " ↑") : ""));
  const step = (by) => () => { from += by; draw(); box.querySelector(by < 0 ? ".pager button" : ".pager button:last-child")?.focus(); };
  function draw() {
    const shown = rows.slice(from, from + size);
    const pager = rows.length > size && el("div", { class: "pager" },
      el("button", { type: "button", disabled: from === 0, onclick: step(-size) }, "‹ Previous"),
      el("span", { role: "status" }, `${from + 1}–${from + shown.length} of ${rows.length}`),
      el("button", { type: "button", disabled: from + size >= rows.length, onclick: step(size) }, "Next ›"));
    box.replaceChildren(fades(el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": block.caption }, el("table", {}, el("caption", {}, block.caption),
      el("thead", {}, el("tr", {}, ...head.map(headCell))),
      el("tbody", {}, ...shown.map((row) => rowOf("td", row, [], names)))))), pager || "");
  }
  draw();
  return box;
}
