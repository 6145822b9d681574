// Draw a sentence so that its words can be pointed at.
import { h } from "./dom.js";
import { cut, note } from "./pairing.js";
import { shown } from "./store.js";

/** The element of a sentence on one side; words that can be told apart have elements of their own. */
export function drawn(sentence, number, side) {
  const { text, words, alignment } = shown(sentence);
  const [written, place] = side === "source" ? [sentence.source, 0] : [text, 1];
  const known = alignment && words && cut(sentence.source, words[0]) && cut(text, words[1]);
  const parts = known ? pieces(written, cut(written, words[place])) : [written];
  const element = h("span", { class: "said", "data-sentence": number }, parts);
  note(number, side, element, [...element.children], known ? alignment : []);
  return element;
}

function pieces(text, places) {
  const parts = [];
  let at = 0;
  places.forEach(([start, end], word) => {
    parts.push(text.slice(at, start), h("span", { "data-word": word }, text.slice(start, end)));
    at = end;
  });
  return [...parts, text.slice(at)];
}
