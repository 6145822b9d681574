// One sentence looked at closely: what is to be said about it, other translations, and the way inside.
import { button } from "./buttons.js";
import { h } from "./dom.js";
import { askOthers, pick, remarks } from "./run.js";
import { change, isCurrent, page } from "./store.js";
import { number, t } from "./words.js";

const FLAGS = [
  "split", "cut", "unknown", "truncated", "protected", "retried", "empty", "looped", "copied", "wrong_script",
  "too_short", "too_long", "unmet", "forbidden", "term_missing", "remembered",
]; // prettier-ignore

export function closer() {
  const element = h("section", { class: "closer", "aria-label": t("closer.label") });
  const update = () => {
    const one = page.sentences[page.chosen];
    element.hidden = !one || !isCurrent();
    if (element.hidden) return;
    const focused = document.activeElement?.id;
    element.replaceChildren(...notes(), ...(page.whole?.models.length === 0 ? [] : [sentence(one)]));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  };
  return { element, update };
}

/** What the server says about the translation, in words. */
function notes() {
  const all = page.sentences.length;
  const list = remarks().flatMap((one) => one.flags.map((flag) => ({ ...one, flag })));
  const of = (flag) => t(FLAGS.includes(flag) ? `flag.${flag}` : "flag.other", { flag });
  const line = ({ sentence, flag }) =>
    h(
      "li",
      {},
      all > 1 &&
        button(null, "plain", t("closer.place", { place: sentence + 1 }), () => change({ chosen: sentence })),
      of(flag),
    );
  return list.length ? [h("ul", { id: "remarks", class: "remarks", "aria-label": t("remarks") }, list.map(line))] : [];
}

function sentence(one) {
  const all = page.sentences.length;
  const lead = all > 1 ? t("closer.which", { place: page.chosen + 1, all }) : t("closer.one");
  return h(
    "div",
    { class: "sentence" },
    h(
      "div",
      { class: "heading" },
      h("h2", {}, lead),
      all > 1 && h("span", { class: "cited", dir: "auto", lang: page.whole?.source }, one.source),
      h("span", { class: "actions" }, one.others ? "" : askButton(), inside(one)),
    ),
    one.others && others(one),
  );
}

function askButton() {
  return button("others", "quiet", t(page.asking ? "others.asking" : "others.ask"), askOthers, { disabled: page.asking });
}

function others(one) {
  if (!one.others.length) return h("p", { class: "note" }, t("others.none"));
  const choices = [one.own, ...one.others].map((other, place) =>
    h(
      "li",
      {},
      h(
        "button",
        {
          id: `other-${place}`,
          type: "button",
          class: "other",
          "aria-pressed": String(one.picked === place),
          onclick: () => pick(place),
        },
        h("span", { class: "wording", dir: "auto", lang: page.whole?.target }, other.text),
        h("small", { title: t("others.score") }, number(other.score, 2)),
      ),
    ),
  );
  return h("ol", { class: "others", "aria-label": t("others.label") }, choices);
}

/** The page that shows what happens inside, for this sentence. It shares this tab's key. */
function inside(one) {
  if (page.whole?.models.length !== 1) return "";
  const { source, target } = page.whole;
  const address = `./explore#${new URLSearchParams({ text: one.source, source, target })}`;
  return h("a", { id: "inside", class: "quiet", href: address, target: "_blank", rel: "opener" }, t("inside"));
}
