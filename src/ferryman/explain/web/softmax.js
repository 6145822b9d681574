// Linear + softmax: the likeliest next tokens at the step that is looked at.
import { figure, folded, h, svg, table } from "./dom.js";
import { set, state } from "./state.js";
import { count, number, percent, t } from "./words.js";

export function nextToken(trace) {
  const step = trace.steps[state.step - 1];
  const read = trace.target.inputs.slice(0, state.step);
  const shown = step.candidates.reduce((sum, one) => sum + Math.exp(one.log_prob), 0);
  const names = saidApart(step.candidates);
  const rows = step.candidates.map((one, i) => candidate(one, names[i], String(i + 1), one.id === step.chosen));
  if (!step.candidates.some((one) => one.id === step.chosen)) {
    const [token, log_prob] = [trace.target.tokens[state.step - 1], trace.target.token_log_probs[state.step - 1]];
    rows.push(candidate({ log_prob }, said(token), `> ${step.candidates.length}`, true));
  }
  const rest = Math.max(0, 1 - shown);
  return [
    h(
      "p",
      { class: "readsofar" },
      t("softmax.read"),
      " ",
      read.map((token, i) => h("bdi", {}, i === 0 ? t("start") : said(token))),
      h("span", { class: "caret" }, "?"),
    ),
    table(
      t("softmax.table", { step: state.step }),
      [t("rank"), t("token"), "", t("probability"), t("log_prob")],
      rows,
      { class: "candidates" },
    ),
    h(
      "p",
      { class: "note" },
      t("softmax.rest", { others: count(trace.model.target_vocab - step.candidates.length), rest: percent(rest) }),
      names.some((name, i) => name !== said(step.candidates[i])) ? ` ${t("pieces.alike")}` : "",
    ),
    doubt(trace),
  ];
}

function candidate(one, name, rank, chosen) {
  const probability = Math.exp(one.log_prob);
  return {
    class: chosen ? "chosen" : undefined,
    cells: [
      rank,
      [h("bdi", {}, name), chosen ? h("span", { class: "tag" }, t("chosen")) : ""],
      h("span", { class: "bar" }, h("i", { style: `inline-size:${probability * 100}%` })),
      h("b", {}, percent(probability)),
      number(one.log_prob, 3),
    ],
  };
}

export function said(token) {
  if (token.piece === "</s>") return t("end");
  return token.text === "" ? token.piece : token.text;
}

/** What each of some tokens says; different tokens that say the same are told as pieces, where ▁ is a space. */
export function saidApart(tokens) {
  const ids = new Map();
  for (const one of tokens) ids.set(said(one), (ids.get(said(one)) ?? new Set()).add(one.id));
  return tokens.map((one) => (ids.get(said(one)).size > 1 ? one.piece : said(one)));
}

/** How many bits of doubt there were at every step; a step can be chosen here. */
function doubt(trace) {
  const most = Math.max(1, ...trace.steps.map((step) => step.entropy_bits));
  const pitch = Math.max(8, Math.min(64, 640 / trace.length));
  const bars = trace.steps.map((step, i) => {
    const height = Math.max(1.5, (70 * step.entropy_bits) / most);
    const name = `${i + 1} ${said(trace.target.tokens[i])}: ${number(step.entropy_bits)} ${t("bits")}`;
    return svg(
      "g",
      { class: i + 1 === state.step ? "step chosen" : "step", onclick: () => set({ step: i + 1 }) },
      svg("title", {}, name),
      svg("rect", { class: "hit", x: i * pitch, y: 0, width: pitch, height: 112 }),
      svg("rect", { x: i * pitch + pitch * 0.15, y: 86 - height, width: pitch * 0.7, height }),
      pitch > 30
        ? svg("text", { x: (i + 0.5) * pitch, y: 80 - height, "text-anchor": "middle" }, number(step.entropy_bits))
        : null,
      pitch > 30
        ? svg(
            "text",
            { x: (i + 0.5) * pitch, y: 102, "text-anchor": "middle" },
            said(trace.target.tokens[i]).slice(0, 9),
          )
        : null,
    );
  });
  return figure(
    t("softmax.doubt"),
    svg(
      "svg",
      {
        viewBox: `0 -12 ${pitch * trace.length} 124`,
        class: "doubt",
        role: "img",
        "aria-label": t("softmax.doubt"),
        style: `max-width:${pitch * trace.length}px`,
      },
      bars,
    ),
    h("p", { class: "note" }, t("softmax.doubt.note")),
    folded(t("numbers.all"), () =>
      table(
        t("softmax.doubt"),
        [t("step"), t("token"), t("bits")],
        trace.steps.map((step, i) => [String(i + 1), said(trace.target.tokens[i]), number(step.entropy_bits, 3)]),
      ),
    ),
  );
}
