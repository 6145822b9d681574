// Which words belong together: point at one, and it and its partners are marked on both sides.
const SIDES = ["source", "target"];
const marks = []; // of each sentence {element of each side, words of each side, links}
let marked = [];

/** Cut a text into `count` words: what stands between spaces, else characters; null if neither makes so many. */
export function cut(text, count) {
  for (const pattern of [/\S+/gu, /\S/gu]) {
    const found = [...text.matchAll(pattern)];
    if (found.length === count) return found.map((one) => [one.index, one.index + one[0].length]);
  }
  return null;
}

/** Note the elements of a sentence on one side; `links` are [source word, target word]. */
export function note(sentence, side, element, words, links) {
  marks[sentence] = { ...marks[sentence], [side]: { element, words }, links };
}

/** Mark a word and its partners; without a word, the sentence. Returns the words marked on both sides. */
export function point(sentence, side, word) {
  leave();
  const place = marks[sentence];
  if (!place) return null;
  const [from, to] = side === "source" ? [0, 1] : [1, 0];
  const partners = word === null ? [] : place.links.filter((link) => link[from] === word).map((link) => link[to]);
  const chosen = { [side]: word === null ? [] : [word], [SIDES[to]]: partners };
  for (const name of SIDES) {
    mark(place[name]?.element, "near");
    for (const one of chosen[name]) mark(place[name]?.words[one], "paired");
  }
  return chosen;
}

function mark(element, kind) {
  if (!element) return;
  element.classList.add(kind);
  marked.push([element, kind]);
}

/** Mark nothing any more. */
export function leave() {
  for (const [element, kind] of marked) element.classList.remove(kind);
  marked = [];
}

/** The sentence and word of an element, or of one around it: [sentence, word]; the word may be null. */
export function placeOf(element) {
  const sentence = element?.closest?.("[data-sentence]");
  const word = element?.closest?.("[data-word]");
  return sentence && [Number(sentence.dataset.sentence), word ? Number(word.dataset.word) : null];
}
