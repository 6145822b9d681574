// The translation as it forms. Its words tell which words they come from.
import { button } from "./buttons.js";
import { h } from "./dom.js";
import { leave, placeOf, point } from "./pairing.js";
import { remarks } from "./run.js";
import { drawn } from "./sentences.js";
import { change, isBlank, isCurrent, page, translation } from "./store.js";
import { t } from "./words.js";

const COPIED_MS = 1600;
let reading = null; // {sentence, word}: where the arrow keys are

export function targetPane() {
  const said = h("p", { class: "note hint", id: "reading", role: "status" });
  const output = h("div", {
    id: "target",
    class: "output",
    role: "group",
    tabindex: "0",
    dir: "auto",
    "aria-label": t("target.label"),
    "aria-describedby": "reading",
    "aria-live": "polite",
    onpointermove: (event) => pointed(placeOf(event.target)),
    onpointerleave: leave,
    onclick: (event) => clicked(placeOf(event.target), said),
    onkeydown: (event) => walked(event, output, said),
    onblur: () => ((reading = null), leave()),
  });
  const copied = button("copy", "quiet", t("copy"), copy);
  const element = h(
    "section",
    { class: "pane target", "aria-label": t("target.label") },
    output,
    h("div", { class: "tools" }, copied, said),
  );
  let before = "";
  const update = () => {
    output.lang = page.whole?.target ?? page.target;
    output.setAttribute("aria-busy", String(page.running));
    output.classList.toggle("old", !isBlank() && !isCurrent());
    output.classList.toggle("busy", page.running);
    const now = JSON.stringify([page.translated, page.sentences.map((one) => [one.own.text, one.picked]), isBlank()]);
    if (now !== before) {
      reading = null;
      output.replaceChildren(...(page.sentences.length ? sentences() : [placeholder()]));
      before = now;
    }
    output.querySelectorAll(".said").forEach((one, number) => {
      one.classList.toggle("chosen", page.sentences.length > 1 && number === page.chosen);
    });
    copied.hidden = !page.sentences.length || isBlank();
    copied.disabled = !isCurrent(); // never an older text's translation
    said.textContent = page.sentences.some((one) => one.own.alignment) && !page.running ? t("target.hint") : "";
  };
  return { element, update };
}

function placeholder() {
  return h("span", { class: "placeholder" }, isBlank() ? t("target.placeholder") : "");
}

function sentences() {
  const doubtful = new Set(remarks().filter(inDoubt).map((one) => one.sentence));
  return page.sentences.flatMap((one, number) => {
    const element = drawn(one, number, "target");
    element.classList.toggle("doubtful", doubtful.has(number));
    return [one.space, element];
  });
}

/** A translation that took a doubtful one's place is none itself. */
function inDoubt({ flags }) {
  return flags.some((flag) => flag !== "retried");
}

function pointed(place) {
  if (place) point(place[0], "target", place[1]);
  else leave();
}

function clicked(place, said) {
  if (!place || String(getSelection())) return;
  if (place[0] !== page.chosen) change({ chosen: place[0] });
  pointed(place);
  tell(place, said);
}

/** Say which words a word comes from. */
function tell([sentence, word], said) {
  if (word === null) return;
  const { source } = point(sentence, "target", word);
  const text = (side, one) => document.querySelector(`.${side} [data-sentence="${sentence}"] [data-word="${one}"]`);
  const words = source.map((one) => text("behind", one)?.textContent ?? "");
  said.textContent = `${text("output", word).textContent} ← ${words.join(" ") || "–"}`;
}

/** Go from word to word with the arrow keys. */
function walked(event, output, said) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const words = [...output.querySelectorAll("[data-word]")];
  if (!words.length) return;
  event.preventDefault();
  reading = reading === null ? (step > 0 ? 0 : words.length - 1) : (reading + step + words.length) % words.length;
  const place = placeOf(words[reading]);
  pointed(place);
  tell(place, said);
}

/** Copy the translation, and say so. */
export async function copy() {
  const button = document.getElementById("copy");
  if (button.hidden || button.disabled) return;
  const done = await toClipboard(translation());
  button.textContent = t(done ? "copied" : "copy.failed");
  setTimeout(() => (button.textContent = t("copy")), COPIED_MS);
}

/** Browsers give the clipboard only to pages that came safely; the old way works elsewhere. */
async function toClipboard(text) {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const box = h("textarea", { class: "aside" });
  box.value = text;
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  return done;
}
