// A matrix as coloured cells, on a canvas: hover or use the arrow keys to read a cell, drag over cells to see them large.
import { colour } from "./colours.js";
import { h } from "./dom.js";
import { t } from "./words.js";

const FONT = '13px system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif';
const ranges = new Map(); // what is shown large, by the picture's name

/** Show everything again; for another sentence. */
export function showAll() {
  ranges.clear();
}

/**
 * options: id, matrix, rows and columns (names), paint(value) -> colour, say(row, column, value) -> text, title;
 * may have: focus (a row), dim(row), hatched(row, column), digits(value) -> text in the cell, light(value) (whether that is written in light), onfocus(row), shape.
 */
export function heatmap(options) {
  const all = { top: 0, bottom: options.matrix.rows, left: 0, right: options.matrix.columns };
  const view = { ...options, all, range: ranges.get(options.id) ?? all, cursor: null };
  if (view.range.bottom > all.bottom || view.range.right > all.right) view.range = all;
  const hint = options.shape === "strip" ? "" : t("heat.hint");
  const canvas = h("canvas", {
    id: options.id,
    tabindex: "0",
    role: "img",
    "aria-label": `${options.title}. ${t("heat.keys")}`,
  });
  const line = h("output", { class: "reading", "aria-live": "polite" }, hint);
  const back = h("button", { type: "button", class: "quiet", hidden: view.range === all }, t("heat.all"));
  const element = h("div", { class: "heatmap" }, canvas, h("div", { class: "under" }, line, back));
  const redraw = () => draw(canvas, view);
  const point = (cell) => {
    view.cursor = cell;
    line.textContent = cell ? view.say(cell.row, cell.column, view.matrix.at(cell.row, cell.column)) : hint;
    redraw();
  };
  const zoom = (range) => {
    view.range = range;
    if (range === all) ranges.delete(options.id);
    else ranges.set(options.id, range);
    back.hidden = range === all;
    redraw();
  };
  back.addEventListener("click", () => zoom(all));
  listen(canvas, view, point, zoom);
  new ResizeObserver(redraw).observe(element);
  return element;
}

function listen(canvas, view, point, zoom) {
  let from = null;
  const at = (event) => cellAt(canvas, view, event);
  canvas.addEventListener("pointerdown", (event) => (from = at(event)));
  canvas.addEventListener("pointermove", (event) => {
    const cell = at(event);
    const { cursor } = view;
    if (cell?.row === cursor?.row && cell?.column === cursor?.column) return;
    view.drag = from && event.buttons ? { from, to: cell ?? from } : null;
    point(cell);
  });
  canvas.addEventListener("pointerleave", () => point(null));
  canvas.addEventListener("pointerup", (event) => {
    const to = at(event);
    view.drag = null;
    if (from && to && (Math.abs(to.row - from.row) > 1 || Math.abs(to.column - from.column) > 1))
      zoom(between(from, to));
    else if (to) view.onfocus?.(to.row);
    from = null;
  });
  canvas.addEventListener("keydown", (event) => {
    if (["+", "="].includes(event.key) && view.cursor) zoom(around(view.cursor, view.range));
    if (["-", "Escape"].includes(event.key)) zoom(view.all);
    const [down, right] =
      { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [];
    const { cursor, range } = view;
    if (event.key === "Enter" && cursor) view.onfocus?.(cursor.row);
    if (down === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const start = cursor ?? { row: view.focus ?? range.top, column: range.left };
    point({
      row: Math.min(Math.max(start.row + down, range.top), range.bottom - 1),
      column: Math.min(Math.max(start.column + right, range.left), range.right - 1),
    });
  });
}

/** Half of what is shown, with a cell in its middle. */
function around({ row, column }, { top, bottom, left, right }) {
  const half = (from, to, middle) => {
    const size = Math.max(2, Math.ceil((to - from) / 2));
    const start = Math.min(Math.max(from, middle - (size >> 1)), Math.max(from, to - size));
    return [start, Math.min(to, start + size)];
  };
  const [[up, down], [first, last]] = [half(top, bottom, row), half(left, right, column)];
  return { top: up, bottom: down, left: first, right: last };
}

function between(a, b) {
  return {
    top: Math.min(a.row, b.row),
    bottom: Math.max(a.row, b.row) + 1,
    left: Math.min(a.column, b.column),
    right: Math.max(a.column, b.column) + 1,
  };
}

function cellAt(canvas, { plan, range }, event) {
  if (!plan) return null;
  const box = canvas.getBoundingClientRect();
  const row = range.top + Math.floor((event.clientY - box.top - plan.head) / plan.height);
  const column = range.left + Math.floor((event.clientX - box.left - plan.side) / plan.width);
  const inside = row >= range.top && row < range.bottom && column >= range.left && column < range.right;
  return inside ? { row, column } : null;
}

/** Divide the space: names at the side and at the head, the rest for the cells. */
function layOut(context, view, available) {
  const { range } = view;
  const rows = range.bottom - range.top;
  const columns = range.right - range.left;
  const widest = (names) => Math.max(0, ...names.map((name) => context.measureText(name).width));
  const side = view.rows ? Math.min(widest(view.rows.slice(range.top, range.bottom)), available * 0.3, 150) + 10 : 0;
  const head = view.columns ? Math.min(widest(view.columns.slice(range.left, range.right)), 110) * 0.78 + 16 : 0;
  const tail = view.columns ? Math.min(46, head) : 0; // the last name leans out to the right
  const width = Math.min(view.shape === "strip" ? Infinity : 44, (available - side - tail - 1) / columns);
  const height = view.shape === "strip" ? Math.max(3, Math.min(22, 420 / rows)) : Math.max(4, Math.min(width, 34));
  return { side, head, width, height, rows, columns };
}

function draw(canvas, view) {
  const available = canvas.parentElement.clientWidth;
  if (!available) return;
  const context = canvas.getContext("2d");
  context.font = FONT;
  const plan = layOut(context, view, available);
  view.plan = plan;
  const [wide, high] = [available, plan.head + plan.rows * plan.height + 2];
  const ratio = window.devicePixelRatio || 1;
  canvas.width = wide * ratio;
  canvas.height = high * ratio;
  canvas.style.height = `${high}px`;
  context.scale(ratio, ratio);
  context.font = FONT;
  cells(context, view);
  names(context, view);
  frames(context, view);
}

function cells(context, view) {
  const { plan, range, matrix } = view;
  const gap = plan.width > 12 ? 1 : 0;
  const shut = view.hatched && hatching(context);
  for (let r = range.top; r < range.bottom; r += 1) {
    const dim = view.dim?.(r);
    for (let c = range.left; c < range.right; c += 1) {
      const [x, y] = [plan.side + (c - range.left) * plan.width, plan.head + (r - range.top) * plan.height];
      const value = matrix.at(r, c);
      const masked = view.hatched?.(r, c);
      context.globalAlpha = dim ? 0.25 : 1;
      context.fillStyle = masked ? shut : view.paint(value);
      context.fillRect(x, y, plan.width - gap, plan.height - (plan.height > 12 ? gap : 0));
      if (!masked && view.digits && plan.width >= 24 && plan.height >= 18) digits(context, view, value, x, y, dim);
    }
  }
  context.globalAlpha = 1;
}

/** Diagonal lines, for what is shut. */
function hatching(context) {
  const tile = h("canvas", { width: 8, height: 8 });
  const lines = tile.getContext("2d");
  lines.fillStyle = colour("--masked");
  lines.fillRect(0, 0, 8, 8);
  lines.strokeStyle = colour("--hatch");
  lines.lineWidth = 1.5;
  for (const x of [-8, 0, 8]) {
    lines.moveTo(x - 1, 9);
    lines.lineTo(x + 9, -1);
  }
  lines.stroke();
  return context.createPattern(tile, "repeat");
}

function digits(context, view, value, x, y, dim) {
  const { plan } = view;
  context.globalAlpha = dim ? 0.55 : 1;
  context.fillStyle = colour(view.light(value) && !dim ? "--on-cell" : "--ink");
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = "11px system-ui, sans-serif";
  context.fillText(view.digits(value), x + plan.width / 2, y + plan.height / 2);
  context.font = FONT;
}

function names(context, view) {
  const { plan, range, cursor } = view;
  const every = (size) => Math.max(1, Math.ceil(13 / size));
  const tone = (chosen) => colour(chosen ? "--ink" : "--soft");
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (let r = range.top; view.rows && r < range.bottom; r += 1) {
    const chosen = r === view.focus || r === cursor?.row;
    const beside = r !== view.focus && Math.abs(r - view.focus) < every(plan.height);
    if (!chosen && (beside || (r - range.top) % every(plan.height))) continue;
    context.fillStyle = tone(chosen);
    const y = plan.head + (r - range.top + 0.5) * plan.height;
    context.fillText(view.rows[r], plan.side - 6, y, plan.side - 8);
  }
  context.textAlign = "left";
  for (let c = range.left; view.columns && c < range.right; c += 1) {
    if ((c - range.left) % every(plan.width) && c !== cursor?.column) continue;
    context.fillStyle = tone(c === cursor?.column);
    context.save();
    context.translate(plan.side + (c - range.left + 0.5) * plan.width, plan.head - 6);
    context.rotate(-0.85);
    context.fillText(view.columns[c], 0, 0, 125);
    context.restore();
  }
}

function frames(context, view) {
  const { plan, range, cursor, drag } = view;
  const frame = (top, bottom, left, right, tone, thick) => {
    context.strokeStyle = colour(tone);
    context.lineWidth = thick;
    const [x, y] = [plan.side + (left - range.left) * plan.width, plan.head + (top - range.top) * plan.height];
    context.strokeRect(x - 0.5, y - 0.5, (right - left) * plan.width, (bottom - top) * plan.height);
  };
  const { focus } = view;
  if (focus >= range.top && focus < range.bottom) frame(focus, focus + 1, range.left, range.right, "--ink", 1.5);
  if (cursor) frame(cursor.row, cursor.row + 1, cursor.column, cursor.column + 1, "--ink", 2);
  if (drag) {
    const box = between(drag.from, drag.to);
    frame(box.top, box.bottom, box.left, box.right, "--meet", 2);
  }
}
