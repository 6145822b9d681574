// One row of attention from the raw scores to the weights: scaled, masked, softmax; and what scaling is for.
import { h } from "./dom.js";
import { entropy, softmax } from "./maths.js";
import { KINDS, scope, show } from "./trace.js";
import { number, t } from "./words.js";
import { state } from "./state.js";

const MOST = 16; // keys shown; of a longer row, the likeliest

/** The stages of the row in focus; a mean over heads has no scores, so head 1 stands in and is named. */
export async function oneRow(view) {
  const { trace, kind, layer, place } = view;
  const head = view.head === "mean" ? 1 : view.head;
  const name = `${scope(kind, layer)}.scores`;
  const box = h(
    "section",
    { class: "one-row", style: `--tone:var(${KINDS[kind].colour})` },
    h("h3", {}, t("row.title")),
  );
  if (!trace.has(name)) {
    box.append(h("p", { class: "note" }, t("row.missing")));
    return box;
  }
  const query = show(trace.units[KINDS[kind].queries][place]);
  const scores = (await trace.matrix(name, head - 1)).row(place);
  const units = trace.units[KINDS[kind].keys];
  const row = { scores, units, open: (key) => !KINDS[kind].causal || key <= place, d_k: trace.model.d_k };
  const slider = h("input", {
    id: "divisor",
    type: "range",
    min: "0",
    max: "100",
    step: "1",
    value: position(Math.sqrt(row.d_k), row.d_k),
    oninput: () => update(),
  });
  const told = h("output", { class: "told", for: "divisor" });
  const stage = h("div", { class: "stages" });
  const update = () => {
    const divisor = divisorAt(Number(slider.value), row.d_k);
    told.replaceChildren(verdict(row, divisor));
    slider.setAttribute("aria-valuetext", number(divisor, 1));
    stage.replaceChildren(...stages(row, divisor));
  };
  const jump = (value) => () => {
    slider.value = position(value, row.d_k);
    update();
  };
  update();
  box.append(
    h("p", { class: "note" }, t("row.note", { query, layer, head, d_k: row.d_k, root: number(Math.sqrt(row.d_k), 1) })),
    state[`head.${kind}`] === "mean" ? h("p", { class: "note" }, t("row.mean")) : "",
    h(
      "div",
      { class: "divisor" },
      h("label", { for: "divisor" }, t("row.divisor")),
      slider,
      h("button", { type: "button", class: "quiet", onclick: jump(1) }, t("row.unscaled")),
      h(
        "button",
        { type: "button", class: "quiet", onclick: jump(Math.sqrt(row.d_k)) },
        `√d_k = ${number(Math.sqrt(row.d_k), 1)}`,
      ),
    ),
    told,
    stage,
  );
  return box;
}

// The slider is logarithmic, from 1 to d_k, with √d_k in the middle.
function divisorAt(place, d_k) {
  return place === 50 ? Math.sqrt(d_k) : d_k ** (place / 100);
}

function position(divisor, d_k) {
  return Math.round((100 * Math.log(divisor)) / Math.log(d_k));
}

function verdict({ scores, open, d_k }, divisor) {
  const [here, model] = [entropy(softmax(scores, divisor, open)), entropy(softmax(scores, Math.sqrt(d_k), open))];
  const highest = Math.max(...softmax(scores, divisor, open));
  return t("row.verdict", {
    divisor: number(divisor, 1),
    bits: number(here),
    model: number(model),
    highest: number(highest),
  });
}

function stages({ scores, units, open }, divisor) {
  const weights = softmax(scores, divisor, open);
  const order = Array.from(scores, (_, i) => i);
  const places =
    order.length <= MOST
      ? order
      : order
          .sort((a, b) => weights[b] - weights[a])
          .slice(0, MOST)
          .sort((a, b) => a - b);
  const peak = Math.max(...places.map((i) => Math.abs(scores[i])));
  const rows = places.map((i) => {
    const scaled = scores[i] / divisor;
    return h(
      "tr",
      { class: open(i) ? "" : "shut" },
      h("th", { scope: "row" }, h("bdi", {}, show(units[i]))),
      h("td", {}, signed(scores[i], peak)),
      h("td", {}, signed(scaled, peak)),
      h("td", {}, open(i) ? number(scaled) : t("row.masked")),
      h(
        "td",
        {},
        h("span", { class: "bar" }, h("i", { style: `inline-size:${weights[i] * 100}%` })),
        h("b", {}, number(weights[i], 3)),
      ),
    );
  });
  const heads = ["row.key", "row.raw", "row.scaled", "row.after", "row.weight"].map((key) =>
    h("th", { scope: "col" }, t(key)),
  );
  return [
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": t("row.title") },
      h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)),
    ),
    order.length > MOST ? h("p", { class: "note" }, t("row.some", { shown: MOST, all: order.length })) : "",
  ];
}

/** A bar to the left (below 0) or the right (above 0) of a middle line, with its number. */
function signed(value, peak) {
  const share = (50 * Math.abs(value)) / (peak || 1);
  const from = value < 0 ? 50 - share : 50;
  return [
    h("span", { class: "signed" }, h("i", { style: `left:${from}%;width:${share}%` })),
    h("b", {}, number(value)),
  ];
}
