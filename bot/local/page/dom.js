// Builds elements from strings that nobody trusts: text only, never markup.

function fill(made, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => ![undefined, null, false, 0].includes(child)));
  return made;
}

/** An element; `props` are attributes, or listeners when they begin with "on". Children are nodes or strings. */
export const el = (tag, props = {}, ...children) => fill(document.createElement(tag), props, children);

/** The same for the parts of a drawing. */
export const svg = (tag, props = {}, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);

/** Preformatted text: long lines wrap as in Slack, but for a drawn table, which is moved sideways instead. */
export const preformatted = (text) => el("pre", { tabindex: 0, class: text.includes("──") ? "grid" : undefined }, text);

/** A link when the address is http(s), inert text otherwise. */
export function link(url, label) {
  let parsed;
  try {
    parsed = new URL(url);
  } catch {
    return document.createTextNode(label || url);
  }
  if (!["http:", "https:"].includes(parsed.protocol)) return document.createTextNode(label || url);
  return el("a", { href: parsed.href, target: "_blank", rel: "noopener noreferrer nofollow" }, label || url);
}

export const unescapeSlack = (text) =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
