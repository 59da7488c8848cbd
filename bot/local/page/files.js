// Files of a message: pictures with a large view, tables with their first rows, all with a download.
import { showPicture } from "./dialogs.js";
import { el } from "./dom.js";
import { fades } from "./tables.js";

const PREVIEW_ROWS = 10;
const PREVIEW_BYTES = 65536;
const NUMBER = /^[-+]?(\d+|\d{1,3}([.,' \u202f]\d{3})+)([.,]\d+)?\s?%?$/;
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
    table && preview(url, name));
}

function preview(url, name) {
  const inside = fades(el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `First rows of ${name}` }, "Loading…"));
  const made = el("details", { class: "preview" }, el("summary", {}, "Preview"), inside);
  made.addEventListener("toggle", async () => {
    const bytes = await fetch(url).then((reply) => (reply.ok ? beginning(reply.body, PREVIEW_BYTES) : null)).catch(() => null);
    if (!bytes) return inside.replaceChildren("This file could not be read.");
    const [head = [], ...rows] = separated(decoded(bytes), PREVIEW_ROWS + 1);
    const columns = Array.from({ length: Math.max(head.length, ...rows.map((row) => row.length)) });
    const right = columns.map((_, n) => rows.some((row) => row[n]) && rows.every((row) => !row[n] || NUMBER.test(row[n])));
    const line = (cells, tag) => el("tr", {}, ...columns.map((_, n) => el(tag, { scope: tag === "th" ? "col" : undefined, class: right[n] ? "right" : undefined }, cells[n] ?? "")));
    inside.replaceChildren(el("table", {}, el("thead", {}, line(head, "th")), el("tbody", {}, ...rows.map((row) => line(row, "td")))));
  }, { once: true });
  return made;
}

/** The first bytes of a stream, at least `most` where it has them; the rest isn't fetched. */
async function beginning(stream, most) {
  const reader = stream.getReader();
  const parts = [];
  let taken = 0;
  while (taken < most) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    taken += value.length;
  }
  await reader.cancel();
  return new Blob(parts).arrayBuffer();
}

/** Text of bytes that may end in the middle of a letter: UTF-8 or, where that can't be, what Excel writes in the West. */
function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The first `most` records, cut at the sign that gives the most records of one length. */
function separated(text, most) {
  const agreeing = (rows) => {
    const widths = rows.map((row) => row.length).filter((width) => width > 1);
    return Math.max(0, ...widths.map((width) => widths.filter((other) => other === width).length));
  };
  const cuts = [",", ";", "\t", "|"].map((separator) => records(text, separator, most));
  return cuts.reduce((best, rows) => (agreeing(rows) > agreeing(best) ? rows : best));
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
