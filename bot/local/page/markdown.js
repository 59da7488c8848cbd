// The Markdown of `markdown` blocks as DOM nodes: headings, lists, tables, fences, quotes, emphasis, links.
import { el, link, preformatted, unescapeSlack } from "./dom.js";

const SPANS = [
  { mark: /`([^`\n]+)`/, make: (m) => el("code", {}, unescapeSlack(m[1])) },
  { mark: /!\[([^\]]*)\]\(([^)\s]+)\)/, make: (m) => link(m[2], m[1] || m[2]) },
  { mark: /\[([^\]]+)\]\(([^)\s]+)\)/, make: (m) => link(m[2], unescapeSlack(m[1])) },
  { mark: /\*\*([^*]+)\*\*/, make: (m) => el("strong", {}, ...spans(m[1])) },
  { mark: /(?<![\w*])\*([^*\n]+)\*(?![\w*])/, make: (m) => el("em", {}, ...spans(m[1])) },
  { mark: /(?<!\w)_([^_\n]+)_(?!\w)/, make: (m) => el("em", {}, ...spans(m[1])) },
  { mark: /~~([^~]+)~~/, make: (m) => el("s", {}, ...spans(m[1])) },
  { mark: /\\([\\`*_{}[\]()#+\-.!|~])/, make: (m) => document.createTextNode(m[1]) },
];

export function spans(text) {
  const nodes = [];
  let rest = text;
  while (rest) {
    let first = null;
    for (const rule of SPANS) {
      const match = rule.mark.exec(rest);
      if (match && (!first || match.index < first.match.index)) first = { rule, match };
    }
    if (!first) break;
    if (first.match.index) nodes.push(unescapeSlack(rest.slice(0, first.match.index)));
    nodes.push(first.rule.make(first.match));
    rest = rest.slice(first.match.index + first.match[0].length);
  }
  return rest ? [...nodes, unescapeSlack(rest)] : nodes;
}

const cells = (line) =>
  line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());

const BLOCKS = [
  { begins: /^```(\w*)/, take: fence },
  { begins: /^#{1,6}\s/, take: heading },
  { begins: /^(&gt;|>)\s?/, take: quote },
  { begins: /^\s*([-*+]|\d+[.)])\s/, take: list },
  { begins: /^(-{3,}|\*{3,}|_{3,})\s*$/, take: (lines) => (lines.shift(), el("hr")) },
];

/** Nodes for a Markdown text. */
export function markdown(text) {
  const lines = String(text).split("\n");
  const nodes = [];
  while (lines.length) {
    if (!lines[0].trim()) {
      lines.shift();
      continue;
    }
    const rule = BLOCKS.find(({ begins }) => begins.test(lines[0]));
    if (rule) nodes.push(rule.take(lines));
    else if (lines.length > 1 && lines[0].includes("|") && /^[\s|:-]+$/.test(lines[1]) && lines[1].includes("-")) nodes.push(table(lines));
    else nodes.push(paragraph(lines));
  }
  return nodes;
}

function fence(lines) {
  lines.shift();
  const kept = [];
  while (lines.length && !lines[0].startsWith("```")) kept.push(lines.shift());
  lines.shift();
  return preformatted(unescapeSlack(kept.join("\n")));
}

function heading(lines) {
  const [, marks, text] = /^(#+)\s+(.*)$/.exec(lines.shift()) || [null, "#", ""];
  return el(`h${Math.min(marks.length + 1, 4)}`, {}, ...spans(text));
}

function quote(lines) {
  const kept = [];
  while (lines.length && /^(&gt;|>)\s?/.test(lines[0])) kept.push(lines.shift().replace(/^(&gt;|>)\s?/, ""));
  return el("blockquote", {}, ...markdown(kept.join("\n")));
}

function list(lines) {
  const ordered = /^\s*\d/.test(lines[0]);
  const items = [];
  while (lines.length && /^\s*([-*+]|\d+[.)])\s/.test(lines[0])) {
    items.push(el("li", {}, ...spans(lines.shift().replace(/^\s*([-*+]|\d+[.)])\s+/, ""))));
  }
  return el(ordered ? "ol" : "ul", {}, ...items);
}

function table(lines) {
  const head = cells(lines.shift());
  const sides = cells(lines.shift()).map((rule) => (/^:?-+:$/.test(rule) ? (rule.startsWith(":") ? "center" : "right") : ""));
  const row = (tag, line) => el("tr", {}, ...line.map((cell, n) => el(tag, { class: sides[n] }, ...spans(cell))));
  const body = [];
  while (lines.length && lines[0].includes("|")) body.push(row("td", cells(lines.shift())));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table" }, el("table", {}, el("thead", {}, row("th", head)), el("tbody", {}, ...body)));
}

function paragraph(lines) {
  const kept = [];
  while (lines.length && lines[0].trim() && !BLOCKS.some(({ begins }) => begins.test(lines[0]))) kept.push(lines.shift());
  return el("p", { class: "text" }, ...spans(kept.join("\n")));
}
