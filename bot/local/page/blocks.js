// Block Kit as DOM: one function per block type; what is not in the table is named on the page.
import { chart } from "./chart.js";
import { confirmed } from "./dialogs.js";
import { el, link, svg } from "./dom.js";
import { markdown } from "./markdown.js";
import { mrkdwn, richText } from "./mrkdwn.js";
import { dataTable, table } from "./tables.js";

/** `text` objects: plain or mrkdwn. */
export const words = (object, names) => (!object ? [] : object.type === "mrkdwn" ? mrkdwn(object.text, names) : [object.text]);

const box = (kind, ...children) => el("div", { class: `block ${kind}` }, ...children);

const BLOCKS = {
  section: (b, ctx) => {
    const text = el("div", {}, b.text && el("div", { class: "text" }, ...words(b.text, ctx.names)),
      b.fields && el("div", { class: "fields" }, ...b.fields.map((f) => el("div", { class: "text" }, ...words(f, ctx.names)))));
    return box(b.accessory ? "section accessory" : "section", text, b.accessory && element(b.accessory, b, ctx));
  },
  header: (b, ctx) => box("header", ...words(b.text, ctx.names)),
  divider: () => el("hr"),
  image: (b, ctx) => box("image", b.title && el("div", {}, ...words(b.title, ctx.names)), picture(b)),
  context: (b, ctx) => box("context", ...b.elements.map((e) => (e.type === "image" ? picture(e) : el("span", {}, ...words(e, ctx.names))))),
  actions: (b, ctx) => box("actions", ...b.elements.map((e) => element(e, b, ctx))),
  context_actions: (b, ctx) => box("actions", ...b.elements.map((e) => element(e, b, ctx))),
  rich_text: (b, ctx) => box("rich", ...richText(b, ctx.names)),
  markdown: (b) => box("md", ...markdown(b.text)),
  container: fold,
  table, data_table: dataTable, data_visualization: chart,
  video: (b, ctx) => box("video", link(b.video_url, words(b.title, ctx.names).join(""))),
  alert: (b, ctx) => box("alert", ...words(b.text, ctx.names)),
  card: (b, ctx) => el("div", { class: "block fold" }, el("div", { class: "head" }, ...words(b.title, ctx.names), el("span", { class: "sub" }, ...words(b.subtitle, ctx.names))),
    el("div", {}, ...words(b.body, ctx.names)), b.actions && box("actions", ...b.actions.map((e) => element(e, b, ctx)))),
  carousel: (b, ctx) => box("carousel", ...b.elements.map((card) => block(card, ctx))),
  task_card: (b, ctx) => box("task", `${({ complete: "✓", error: "✗", in_progress: "…" })[b.status] || "·"} ${b.title}`, b.output && el("div", {}, ...richText(b.output, ctx.names))),
  plan: (b, ctx) => box("plan", el("strong", {}, b.title), ...(b.tasks || []).map((task) => block(task, ctx))),
};

/** The node for one block. `ctx`: names, click(element, blockId, chosen), opened (a Set of open folds), key. */
export function block(b, ctx) {
  const make = BLOCKS[b?.type];
  if (!make) return el("div", { class: "unknown" }, `This page doesn't know the block type “${b?.type}”.`);
  try {
    return make(b, ctx);
  } catch (error) {
    return el("div", { class: "unknown" }, `A “${b.type}” block could not be shown: ${error.message}`);
  }
}

export const blocks = (list, ctx) => (list || []).map((b) => block(b, ctx));

function fold(b, ctx) {
  const title = b.rich_text_title ? richText(b.rich_text_title, ctx.names) : words(b.title, ctx.names);
  const sub = b.subtitle && el("span", { class: "sub" }, ...words(b.subtitle, ctx.names));
  const children = b.child_blocks.map((child) => block(child, ctx));
  if (!b.is_collapsible) return el("div", { class: "block fold" }, el("div", { class: "head" }, ...title, sub), ...children);
  const key = `${ctx.key}/${b.block_id}`;
  const open = ctx.opened.has(key) ? ctx.opened.get(key) : !b.default_collapsed;
  const made = el("details", { class: "block fold", open }, el("summary", {}, ...title, sub), ...children);
  made.addEventListener("toggle", () => ctx.opened.set(key, made.open));
  return made;
}

function picture(image) {
  const id = image.slack_file?.id || /-(F\d+)\//.exec(image.slack_file?.url || "")?.[1];
  if (id) return el("img", { src: `/page/files/${encodeURIComponent(id)}`, alt: image.alt_text, loading: "lazy" });
  // Pictures from elsewhere are named, not fetched.
  return link(image.image_url, `Picture: ${image.alt_text}`);
}

// -- elements ------------------------------------------------------------------------------------------------

const ELEMENTS = {
  button: (e, b, ctx) => el("button", { type: "button", class: e.style, "aria-label": e.accessibility_label, onclick: press(e, b, ctx) }, ...words(e.text, ctx.names)),
  icon_button: (e, b, ctx) => el("button", { type: "button", onclick: press(e, b, ctx) }, ...words(e.text, ctx.names)),
  feedback_buttons: (e, b, ctx) => el("span", { class: "thumbs" }, thumb(e, e.positive_button, "up", b, ctx), thumb(e, e.negative_button, "down", b, ctx)),
  image: (e) => picture(e),
  overflow: select,
  static_select: select,
};

function element(e, b, ctx) {
  if (e.visible_to_user_ids?.length && !e.visible_to_user_ids.includes(ctx.me)) return null;
  const make = ELEMENTS[e.type];
  return make ? make(e, b, ctx) : el("span", { class: "unknown" }, `This page doesn't know the element “${e.type}”.`);
}

function press(e, b, ctx, chosen = {}) {
  return async (event) => {
    const pressed = event.currentTarget;
    if (e.confirm && !(await confirmed(e.confirm, ctx.names, words))) return;
    const target = e.url && link(e.url).href;
    if (target) window.open(target, "_blank", "noopener");
    pressed.disabled = true;
    await ctx.click(e, b.block_id, chosen);
    pressed.disabled = false;
  };
}

// Drawn, since not every machine has a font with thumbs.
const THUMB = "M7 10v10H3V10zM7 10l4-7c1.700 0 2.500 1.200 2.200 2.700L12.500 9H19c1.300 0 2.200 1.200 1.900 2.500l-1.600 6.800c-.3 1-1.100 1.700-2.100 1.700H7";

function thumb(e, choice, way, b, ctx) {
  const said = words(choice.text, ctx.names).join("");
  const sign = svg("svg", { viewBox: "0 0 24 24", width: 18, height: 18, class: way, "aria-hidden": "true" }, svg("path", { d: THUMB }));
  return el("button", { type: "button", class: "plain", "aria-label": said, title: said, onclick: press(e, b, ctx, { value: choice.value, text: choice.text }) }, sign);
}

function select(e, b, ctx) {
  const options = e.options || (e.option_groups || []).flatMap((group) => group.options);
  const made = el("select", { "aria-label": e.placeholder?.text || "Choose" },
    el("option", { value: "" }, e.placeholder?.text || "…"), ...options.map((o) => el("option", { value: o.value }, ...words(o.text, ctx.names))));
  made.addEventListener("change", () => {
    const option = options.find((o) => o.value === made.value);
    if (option) ctx.click(e, b.block_id, { selected_option: option });
  });
  return made;
}
