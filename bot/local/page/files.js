// Files of a message: pictures with a large view, tables with their first rows, all with a download.
import { showPicture } from "./dialogs.js";
import { el } from "./dom.js";

const PREVIEW_ROWS = 10;
const size = (bytes) => (bytes < 1024 ? `${bytes} B` : bytes < 1048576 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1048576).toFixed(1)} MB`);

/** The node for all files of a message, or null. */
export const files = (message) => (message.files?.length ? el("div", { class: "files" }, ...message.files.map(file)) : null);

function file(info) {
  const url = `/page/files/${encodeURIComponent(info.id)}`;
  const name = info.title || info.name;
  const ready = Boolean(info.pretty_type || info.mimetype);
  const image = (info.mimetype || "").startsWith("image/");
  const table = /\.(csv|tsv)$/i.test(info.name || "");
  const words = info.alt_txt || name;
  return el("div", { class: "file" },
    image && el("button", { type: "button", class: "plain picture", "aria-label": `Enlarge: ${words}`, onclick: () => showPicture(url, name, words) },
      el("img", { src: url, alt: words, loading: "lazy" })),
    el("div", { class: "about" },
      el("span", { class: "name" }, name, el("small", {}, `${info.pretty_type || (ready ? info.mimetype : "processing…")} · ${size(info.size || 0)}`)),
      el("a", { class: "download", href: url, download: info.name || name, "aria-label": `Download ${name}` }, "Download")),
    table && preview(url, name, /\.tsv$/i.test(info.name) ? "\t" : ","));
}

function preview(url, name, separator) {
  const inside = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `First rows of ${name}` }, "Loading…");
  const made = el("details", { class: "preview" }, el("summary", {}, "Preview"), inside);
  made.addEventListener("toggle", async () => {
    const reply = await fetch(url).catch(() => null);
    if (!reply?.ok) return inside.replaceChildren("This file could not be read.");
    const [head = [], ...rows] = records((await reply.text()).slice(0, 65536), separator, PREVIEW_ROWS + 1);
    const line = (cells, tag) => el("tr", {}, ...cells.map((cell) => el(tag, { scope: tag === "th" ? "col" : undefined }, cell)));
    inside.replaceChildren(el("table", {}, el("thead", {}, line(head, "th")), el("tbody", {}, ...rows.map((row) => line(row, "td")))));
  }, { once: true });
  return made;
}

/** The first `most` records of a CSV text, quotes as in RFC 4180. */
export function records(text, separator, most) {
  const found = [[""]];
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    const row = found.at(-1);
    if (quoted && sign === '"' && text[at + 1] === '"') {
      row[row.length - 1] += '"';
      at += 1;
    } else if (sign === '"') quoted = !quoted;
    else if (!quoted && sign === separator) row.push("");
    else if (!quoted && sign === "\n") {
      if (found.length === most) return found;
      found.push([""]);
    } else if (quoted || sign !== "\r") row[row.length - 1] += sign;
  }
  return found.filter((row) => row.length > 1 || row[0]);
}
