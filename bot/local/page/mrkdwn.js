// Slack's mrkdwn and rich text as DOM nodes.
import { el, link, preformatted, unescapeSlack } from "./dom.js";

const INLINE = [
  { mark: /```([\s\S]+?)```/, make: (m) => preformatted(unescapeSlack(m[1].replace(/^\n/, ""))) },
  { mark: /`([^`\n]+)`/, make: (m) => el("code", {}, unescapeSlack(m[1])) },
  { mark: /<([^<>]+)>/, make: (m, names) => token(m[1], names) },
  { mark: /(?<![\w*])\*((?:`[^`\n]*`|[^*`\n])+)\*(?![\w*])/, make: (m, names) => el("strong", {}, ...mrkdwn(m[1], names)) },
  { mark: /(?<![\w_])_((?:`[^`\n]*`|[^_`\n])+)_(?![\w_])/, make: (m, names) => el("em", {}, ...mrkdwn(m[1], names)) },
  { mark: /(?<![\w~])~((?:`[^`\n]*`|[^~`\n])+)~(?![\w~])/, make: (m, names) => el("s", {}, ...mrkdwn(m[1], names)) },
];

/** Nodes for a mrkdwn text. `names` maps ids of people and channels to names. */
export function mrkdwn(text, names) {
  const nodes = [];
  let rest = String(text);
  while (rest) {
    let first = null;
    for (const rule of INLINE) {
      const match = rule.mark.exec(rest);
      if (match && (!first || match.index < first.match.index)) first = { rule, match };
    }
    if (!first) break;
    if (first.match.index) nodes.push(...plain(rest.slice(0, first.match.index)));
    nodes.push(first.rule.make(first.match, names));
    rest = rest.slice(first.match.index + first.match[0].length);
  }
  return rest ? [...nodes, ...plain(rest)] : nodes;
}

function plain(text) {
  // A line that begins with ">" is a quotation.
  return text.split(/^(&gt; ?.*)$/m).filter(Boolean).map((part) =>
    part.startsWith("&gt;") ? el("blockquote", {}, unescapeSlack(part.replace(/^&gt; ?/, ""))) : unescapeSlack(part));
}

function token(inner, names) {
  const [head, label] = inner.split("|", 2);
  if (head[0] === "@") return mention(`@${names[head.slice(1)] || label || head.slice(1)}`);
  if (head[0] === "#") return mention(`#${names[head.slice(1)] || label || head.slice(1)}`);
  if (head.startsWith("!date^")) return document.createTextNode(label || head);
  if (head[0] === "!") return mention(`@${label || head.slice(1).replace(/^subteam\^/, "")}`);
  return link(unescapeSlack(head), label && unescapeSlack(label));
}

const mention = (text) => el("span", { class: "mention" }, text);

// -- rich text ----------------------------------------------------------------------------------------------

const PARTS = {
  text: (part) => styled(part.text, part.style),
  link: (part) => link(part.url, part.text),
  user: (part, names) => mention(`@${names[part.user_id] || part.user_id}`),
  channel: (part, names) => mention(`#${names[part.channel_id] || part.channel_id}`),
  usergroup: (part) => mention(`@${part.usergroup_id}`),
  broadcast: (part) => mention(`@${part.range}`),
  emoji: (part) => (part.unicode ? emoji(part.unicode) : `:${part.name}:`),
  date: (part) => part.fallback || new Date(part.timestamp * 1000).toLocaleString(),
  color: (part) => part.value,
};

const emoji = (codes) => String.fromCodePoint(...codes.split("-").map((code) => parseInt(code, 16)));

function styled(text, style = {}) {
  let node = document.createTextNode(text);
  for (const [name, tag] of [["code", "code"], ["bold", "strong"], ["italic", "em"], ["strike", "s"], ["underline", "u"]]) {
    if (style[name]) node = el(tag, {}, node);
  }
  return node;
}

const parts = (elements, names) =>
  (elements || []).map((part) => (PARTS[part.type] ? PARTS[part.type](part, names) : `[${part.type}]`));

const RICH = {
  rich_text_section: (b, names) => el("div", { class: "text" }, ...parts(b.elements, names)),
  rich_text_preformatted: (b, names) => el("pre", { tabindex: 0 }, ...parts(b.elements, names)),
  rich_text_quote: (b, names) => el("blockquote", {}, ...parts(b.elements, names)),
  rich_text_list: (b, names) => el(b.style === "ordered" ? "ol" : "ul", { start: b.offset ? b.offset + 1 : undefined },
    ...(b.elements || []).map((item) => el("li", {}, ...parts(item.elements, names)))),
};

/** Nodes for a rich_text block. */
export const richText = (block, names) =>
  (block.elements || []).map((element) => (RICH[element.type] ? RICH[element.type](element, names) : `[${element.type}]`));
