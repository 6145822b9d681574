// The steps of writing: forward and back, by buttons, slider, arrow keys, or the words themselves.
import { h, svg } from "./dom.js";
import { said } from "./softmax.js";
import { set, state } from "./state.js";
import { direction, percent, t } from "./words.js";

const PACE = 1100; // milliseconds a step while it plays
const ICONS = {
  first: "M2,2h2v12h-2z M14,2v12l-9,-6z",
  back: "M12,2v12l-9,-6z",
  forward: "M4,2v12l9,-6z",
  play: "M3,1v14l11,-7z M4.6,4v8l6.4,-4z",
  pause: "M3,2h3.5v12h-3.5z M9.5,2h3.5v12h-3.5z",
};
let playing = null;

function icon(name) {
  return svg(
    "svg",
    { viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("path", { d: ICONS[name], "fill-rule": "evenodd" }),
  );
}

export function timeline(trace) {
  const last = trace.length;
  const go = (step) => set({ step: Math.min(Math.max(1, step), last) });
  const act = (id, label, to) =>
    h(
      "button",
      { id, type: "button", class: "round", "aria-label": label, title: label, onclick: () => (halt(), go(to())) },
      icon(id),
    );
  const slider = h("input", {
    id: "step",
    type: "range",
    min: "1",
    max: String(last),
    value: state.step,
    "aria-label": t("step.slider"),
    oninput: () => (halt(), go(Number(slider.value))),
  });
  const play = h("button", {
    id: "play",
    type: "button",
    class: "round",
    onclick: () => (playing ? halt() : begin(go, last)),
  });
  const told = h("p", { class: "told", "aria-live": "polite" });
  const words = h("ol", { class: "said", lang: trace.model.target_language, dir: direction(trace.target.text) });
  const element = h(
    "section",
    { class: "timeline", "aria-label": t("step.title") },
    h(
      "div",
      { class: "controls" },
      act("first", t("step.first"), () => 1),
      act("back", t("step.back"), () => state.step - 1),
      play,
      act("forward", t("step.forward"), () => state.step + 1),
      slider,
      told,
    ),
    words,
  );
  const update = () => {
    document.documentElement.classList.toggle("playing", playing !== null);
    slider.value = state.step;
    const token = trace.target.tokens[state.step - 1];
    const p = Math.exp(trace.target.token_log_probs[state.step - 1]);
    slider.setAttribute(
      "aria-valuetext",
      t("step.told", { step: state.step, last, token: said(token), p: percent(p) }),
    );
    told.replaceChildren(t("step.told", { step: state.step, last, token: said(token), p: percent(p) }));
    play.replaceChildren(icon(playing ? "pause" : "play"));
    play.setAttribute("aria-label", t(playing ? "step.pause" : "step.play"));
    play.title = t(playing ? "step.pause" : "step.play");
    words.replaceChildren(...trace.target.tokens.map((one, i, all) => word(one, all[i - 1], i + 1, go)));
    const now = words.children[state.step - 1];
    words.scrollLeft = now.offsetLeft - words.clientWidth / 2;
  };
  update();
  return { element, update };
}

function word(token, before, step, go) {
  const when = step < state.step ? "past" : step === state.step ? "now" : "future";
  const apart = !before || before.piece.endsWith("▁") || token.piece.startsWith("▁") || token.piece === "</s>";
  const glued = apart ? "" : " glued";
  return h(
    "li",
    { class: `${when}${glued}` },
    h(
      "button",
      {
        type: "button",
        tabindex: "-1",
        "aria-current": when === "now" ? "step" : undefined,
        onclick: () => (halt(), go(step)),
      },
      h("bdi", {}, said(token)),
    ),
  );
}

function begin(go, last) {
  if (state.step >= last) go(1);
  playing = setInterval(() => {
    if (state.step >= last) halt();
    else go(state.step + 1);
  }, PACE);
  set({});
}

export function halt() {
  if (!playing) return;
  clearInterval(playing);
  playing = null;
  set({});
}

/** Left and right step, wherever the keys mean nothing else. */
export function keys(last) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input, select, textarea, canvas, .scroll, .tree")) return;
    const to = { ArrowLeft: state.step - 1, ArrowRight: state.step + 1, Home: 1, End: last() }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    halt();
    set({ step: Math.min(Math.max(1, to), last()) });
  });
}
