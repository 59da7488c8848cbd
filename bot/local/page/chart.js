// Native charts (`data_visualization`) as SVG drawn from the block's data, with the numbers in a fold beneath.
import { el, svg } from "./dom.js";
import { arc, scale, shorten } from "./geometry.js";

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 2 });
const HEIGHT = 250;

/** The node for a chart block; it is drawn anew when its width changes. */
export function chart(block) {
  const shown = block.chart;
  const frame = el("div", { class: "canvas" });
  const names = shown.type === "pie" ? shown.segments.map((one) => one.label) : shown.series.map((one) => one.name);
  let drawn = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (width < 40 || width === drawn) return;
    drawn = width;
    frame.replaceChildren((shown.type === "pie" ? pie : axes)(block, width));
  }).observe(frame);
  const legend = (shown.type === "pie" || names.length > 1)
    && el("ul", { class: "legend" }, ...names.map((name, n) => el("li", {}, el("i", { class: `swatch c${n % 6}`, "aria-hidden": "true" }), name)));
  return el("figure", { class: "block chart" }, el("figcaption", {}, block.title), frame, legend,
    el("details", {}, el("summary", {}, "Numbers"), numbers(block)));
}

const value = (series, category) => series.data.find((point) => point.label === category)?.value;

/** One sentence for those who don't see the picture. */
function said(block) {
  const { chart: shown } = block;
  const parts = shown.type === "pie"
    ? shown.segments.map((one) => `${one.label} ${grouped.format(one.value)}`)
    : shown.series.map((one) => `${one.name}: ${one.data.map((point) => `${point.label} ${grouped.format(point.value)}`).join(", ")}`);
  return `${block.title}, ${shown.type} chart. ${parts.join(". ")}`;
}

function axes(block, width) {
  const { chart: shown } = block;
  const { categories, x_label: xLabel, y_label: yLabel } = shown.axis_config;
  const values = shown.series.flatMap((one) => categories.map((category) => value(one, category))).filter(Number.isFinite);
  const { ticks, low, high } = scale(values, shown.type !== "line");
  const labels = ticks.map((tick) => compact.format(tick));
  const left = 14 + 7 * Math.max(...labels.map((label) => label.length)) + (yLabel ? 14 : 0);
  const step = (width - left - 8) / categories.length;
  const slanted = categories.some((category) => category.length * 6.6 > step - 4);
  const bottom = HEIGHT - (slanted ? 62 : 24) - (xLabel ? 16 : 0);
  const y = (number) => bottom - ((number - low) / (high - low)) * (bottom - 10);
  const x = (n) => left + step * (n + 0.5);
  const place = { categories, series: shown.series, x, y, step, zero: y(Math.max(low, Math.min(0, high))) };
  return svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": said(block) },
    ...ticks.map((tick, n) => svg("g", {}, svg("line", { class: tick === 0 ? "zero" : "grid", x1: left, x2: width - 8, y1: y(tick), y2: y(tick) }),
      svg("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, labels[n]))),
    ...categories.map((category, n) => (slanted && step < 13 && n % 2 ? null : slanted
      ? svg("text", { x: x(n) + 4, y: bottom + 14, "text-anchor": "end", transform: `rotate(-38 ${x(n) + 4} ${bottom + 14})` }, shorten(category, 12))
      : svg("text", { x: x(n), y: bottom + 16, "text-anchor": "middle" }, category))),
    xLabel && svg("text", { class: "axis", x: (left + width) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, xLabel),
    yLabel && svg("text", { class: "axis", x: 11, y: bottom / 2, "text-anchor": "middle", transform: `rotate(-90 11 ${bottom / 2})` }, yLabel),
    ...(shown.type === "bar" ? bars(place) : lines(place, shown.type === "area")));
}

function bars({ categories, series, x, y, step, zero }) {
  const room = Math.min(step * 0.76, 72 * series.length);
  const thick = room / series.length;
  return series.flatMap((one, s) => categories.map((category, n) => {
    const number = value(one, category);
    if (!Number.isFinite(number)) return null;
    return svg("rect", { class: `c${s % 6}`, x: x(n) - room / 2 + s * thick, width: Math.max(thick - 2, 1), rx: 2,
      y: Math.min(y(number), zero), height: Math.max(Math.abs(y(number) - zero), 1) }, tip(one.name, category, number));
  }));
}

function lines({ categories, series, x, y, zero }, filled) {
  return series.flatMap((one, s) => {
    const points = categories.map((category, n) => [x(n), value(one, category), category]).filter(([, number]) => Number.isFinite(number));
    const path = points.map(([at, number], n) => `${n ? "L" : "M"}${at.toFixed(1)} ${y(number).toFixed(1)}`).join("");
    return [
      filled && points.length && svg("path", { class: `area c${s % 6}`, d: `${path}L${points.at(-1)[0]} ${zero}L${points[0][0]} ${zero}Z` }),
      svg("path", { class: `line c${s % 6}`, d: path || "M0 0" }),
      ...points.map(([at, number, category]) => svg("circle", { class: `c${s % 6}`, cx: at, cy: y(number), r: 3.5 }, tip(one.name, category, number))),
    ];
  });
}

function pie(block, width) {
  const { segments } = block.chart;
  const total = segments.reduce((sum, one) => sum + one.value, 0);
  const [cx, cy, radius] = [width / 2, HEIGHT / 2, Math.min(HEIGHT, width) / 2 - 8];
  let from = 0;
  const slices = segments.map((one, n) => {
    const share = one.value / total;
    const made = svg("path", { class: `slice c${n % 6}`, d: arc(cx, cy, radius, from, from + share) }, tip(one.label, `${(share * 100).toFixed(1)} %`, one.value));
    from += share;
    return made;
  });
  return svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": said(block) }, ...slices);
}

const tip = (...words) => svg("title", {}, words.map((word) => (typeof word === "number" ? grouped.format(word) : word)).join(" · "));

function numbers(block) {
  const { chart: shown } = block;
  const cell = (item) => (typeof item === "number" ? grouped.format(item) : item ?? "—");
  const line = (cells, tag) => el("tr", {}, ...cells.map((item, n) => el(tag, { class: n ? "right" : undefined, scope: tag === "th" ? "col" : undefined }, cell(item))));
  const rows = shown.type === "pie"
    ? shown.segments.map((one) => [one.label, one.value])
    : shown.axis_config.categories.map((category) => [category, ...shown.series.map((one) => value(one, category))]);
  const heads = shown.type === "pie" ? ["Part", "Value"] : [shown.axis_config.x_label || "Category", ...shown.series.map((one) => one.name)];
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${block.title}, numbers` },
    el("table", {}, el("thead", {}, line(heads, "th")), el("tbody", {}, ...rows.map((row) => line(row, "td")))));
}
