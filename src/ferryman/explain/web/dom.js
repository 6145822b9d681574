// Make elements. Text is always text: nothing of a trace is ever read as HTML.
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) element.append(child);
  }
  return element;
}

export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A table with a caption; a row is a list of cells, or {cells, ...attributes}. */
export function table(caption, heads, rows, attributes = {}) {
  const body = rows.map((row) => {
    const { cells, ...more } = Array.isArray(row) ? { cells: row } : row;
    return h(
      "tr",
      more,
      cells.map((cell, i) => h(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, cell)),
    );
  });
  const head = h(
    "thead",
    {},
    h(
      "tr",
      {},
      heads.map((name) => h("th", { scope: "col" }, name)),
    ),
  );
  const scroller = h(
    "div",
    { class: rows.length > 24 ? "scroll tall" : "scroll" },
    h("table", { "aria-label": caption, ...attributes }, head, h("tbody", {}, body)),
  );
  whenShown(scroller, () => {
    const hidden = scroller.scrollWidth > scroller.clientWidth || scroller.scrollHeight > scroller.clientHeight;
    if (hidden) fill(scroller, { tabindex: "0", role: "region", "aria-label": caption }, []);
  });
  return h("div", { class: "tabled" }, h("p", { class: "caption", "aria-hidden": "true" }, caption), scroller);
}

/** Something long that is only made when it is opened. */
export function folded(title, make) {
  const element = h("details", { class: "folded" }, h("summary", {}, title));
  element.addEventListener("toggle", () => {
    if (element.open && element.children.length === 1) element.append(make());
  });
  return element;
}

/** Do something with an element as soon as it has a size. */
export function whenShown(element, act) {
  new ResizeObserver((_, observer) => {
    observer.disconnect();
    act();
  }).observe(element);
}

/** A button that is on or off. */
export function toggle(id, on, label, act) {
  return h("button", { id, type: "button", class: "toggle", "aria-pressed": String(on), onclick: act }, label);
}

/** A drop-down list; options are [value, label]. */
export function choice(id, label, options, value, act) {
  const list = options.map(([key, text]) => h("option", { value: key, selected: String(key) === String(value) }, text));
  return h(
    "label",
    { class: "choice" },
    label,
    h("select", { id, onchange: (event) => act(event.target.value) }, list),
  );
}

/** A figure: a title, a picture, and what to say below it. */
export function figure(title, picture, ...below) {
  return h("figure", {}, h("figcaption", {}, title), picture, below);
}
