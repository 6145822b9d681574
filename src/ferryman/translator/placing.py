"""Required phrases of a text that is translated in pieces: which piece is to say them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ferryman.decoding import Hypothesis
from ferryman.translator.wishes import Asked, Source

Found = list[list[Hypothesis]]
Search = Callable[[Sequence[Source]], Found]


def place_phrases(texts: Sequence[int], sources: Sequence[Source], found: Found, asked: Asked, search: Search) -> Found:
    """Let the phrases of each text that is in several pieces be said by one of them; see ``_place``.

    Args:
        texts: the number of the text that each piece is of.
        sources: the pieces.
        found: the hypotheses of each, best first.
        asked: what was asked of the texts.
        search: finds hypotheses for pieces.

    """
    found = list(found)
    for text in sorted(set(texts)):
        places = [place for place, number in enumerate(texts) if number == text]
        if len(places) > 1 and asked.wishes[text].phrases:
            placed = _place(text, [sources[place] for place in places], [found[p] for p in places], asked, search)
            for place, each in zip(places, placed, strict=True):
                found[place] = each
    return found


def _place(text: int, sources: list[Source], found: Found, asked: Asked, search: Search) -> Found:
    """Let each phrase that the pieces do not say by themselves be said by the piece to which it costs least."""
    for number, phrase in enumerate(asked.wishes[text].phrases):
        if asked.said(text, number, [each[0] for each in found]):
            continue
        tried = [Source(one, replace(one.wish, phrases=(*one.wish.phrases, phrase))) for one in sources]
        results = search(tried)
        gains = {
            place: new[0].log_prob - old[0].log_prob
            for place, (new, old) in enumerate(zip(results, found, strict=True))
            if asked.said(text, number, new[:1])
        }
        if gains:
            best = max(gains, key=gains.__getitem__)
            sources[best], found[best] = tried[best], results[best]
    return found
