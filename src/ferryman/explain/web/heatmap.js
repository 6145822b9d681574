// A matrix as coloured cells, on a canvas: hover or use the arrow keys to read a cell, drag over cells to see them large.
import { colour, inverted } from "./colours.js";
import { h } from "./dom.js";
import { t } from "./words.js";

const FONT = '13px system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif';
const ranges = new Map(); // what is shown large, by the picture's name

/**
 * options: id, matrix, rows and columns (names), paint(value) -> colour, say(row, column, value) -> text, title;
 * may have: focus (a row), dim(row), hatched(row, column), digits(value) -> text in the cell, onfocus(row), shape.
 */
export function heatmap(options) {
  const all = { top: 0, bottom: options.matrix.rows, left: 0, right: options.matrix.columns };
  const view = { ...options, range: ranges.get(options.id) ?? all, cursor: null };
  if (view.range.bottom > all.bottom || view.range.right > all.right) view.range = all;
  const canvas = h("canvas", { id: options.id, tabindex: "0", role: "img", "aria-label": `${options.title}. ${t("heat.keys")}` });
  const line = h("output", { class: "reading", "aria-live": "polite" }, t("heat.hint"));
  const back = h("button", { type: "button", class: "quiet", hidden: view.range === all }, t("heat.all"));
  const element = h("div", { class: "heatmap" }, canvas, h("div", { class: "under" }, line, back));
  const redraw = () => draw(canvas, view);
  const point = (cell) => {
    view.cursor = cell;
    line.textContent = cell ? view.say(cell.row, cell.column, view.matrix.at(cell.row, cell.column)) : t("heat.hint");
    redraw();
  };
  const zoom = (range) => {
    view.range = range;
    ranges.set(options.id, range);
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
    view.drag = from && event.buttons ? { from, to: at(event) ?? from } : null;
    point(at(event));
  });
  canvas.addEventListener("pointerleave", () => point(null));
  canvas.addEventListener("pointerup", (event) => {
    const to = at(event);
    view.drag = null;
    if (from && to && (Math.abs(to.row - from.row) > 1 || Math.abs(to.column - from.column) > 1)) zoom(between(from, to));
    else if (to) view.onfocus?.(to.row);
    from = null;
  });
  canvas.addEventListener("keydown", (event) => {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [];
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

function between(a, b) {
  return {
    top: Math.min(a.row, b.row), bottom: Math.max(a.row, b.row) + 1,
    left: Math.min(a.column, b.column), right: Math.max(a.column, b.column) + 1,
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
  for (let r = range.top; r < range.bottom; r += 1) {
    context.globalAlpha = view.dim?.(r) ? 0.25 : 1;
    for (let c = range.left; c < range.right; c += 1) {
      const [x, y] = [plan.side + (c - range.left) * plan.width, plan.head + (r - range.top) * plan.height];
      const value = matrix.at(r, c);
      if (view.hatched?.(r, c)) hatch(context, x, y, plan, gap);
      else {
        context.fillStyle = view.paint(value);
        context.fillRect(x, y, plan.width - gap, plan.height - (plan.height > 12 ? gap : 0));
        if (view.digits && plan.width >= 26 && plan.height >= 18) digits(context, view, value, x, y);
      }
    }
  }
  context.globalAlpha = 1;
}

function hatch(context, x, y, { width, height }, gap) {
  context.save();
  context.beginPath();
  context.rect(x, y, width - gap, height - gap);
  context.clip();
  context.fillStyle = colour("--masked");
  context.fillRect(x, y, width, height);
  context.strokeStyle = colour("--hatch");
  context.lineWidth = 1;
  for (let i = -height; i < width; i += 6) {
    context.moveTo(x + i, y + height);
    context.lineTo(x + i + height, y);
  }
  context.stroke();
  context.restore();
}

function digits(context, view, value, x, y) {
  const { plan } = view;
  context.fillStyle = inverted(value) ? colour("--on-cell") : colour("--ink");
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = '11px system-ui, sans-serif';
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
    if ((r - range.top) % every(plan.height) && !chosen) continue;
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
