"""Required phrases of a text that is translated in pieces: which piece is to say them."""

from collections.abc import Sequence

from ferryman.config import DecodingConfig
from ferryman.decoding import Hypothesis
from ferryman.translator.searching import Searcher
from ferryman.translator.wishes import Source, Wish

Found = list[list[Hypothesis]]


def place_phrases(
    texts: Sequence[int],
    sources: Sequence[Source],
    found: Found,
    wishes: Sequence[Wish],
    searcher: Searcher,
    decoding: DecodingConfig,
) -> Found:
    """Let the phrases of each text that is in several pieces be said by one of them.

    Args:
        texts: the number of the text that each piece is of.
        sources: the pieces.
        found: the hypotheses of each, best first.
        wishes: what is wanted of each text.
        searcher: finds hypotheses for pieces.
        decoding: how it searches.

    """
    found = list(found)
    for text in sorted(set(texts)):
        places = [place for place, number in enumerate(texts) if number == text]
        if len(places) > 1 and wishes[text].phrases:
            pieces = [sources[place] for place in places]
            placed = _place(wishes[text], pieces, [found[place] for place in places], searcher, decoding)
            for place, each in zip(places, placed, strict=True):
                found[place] = each
    return found


def _place(wish: Wish, sources: list[Source], found: Found, searcher: Searcher, decoding: DecodingConfig) -> Found:
    """Let each phrase that the pieces do not say by themselves be said by the piece to which it costs least."""
    for number in range(len(wish.phrases)):
        alone = Wish(spaced=wish.spaced).with_phrase(number, wish)
        if alone.met_by(searcher.text([each[0] for each in found], wish.spaced)):
            continue
        tried = [Source(one, one.wish.with_phrase(number, wish)) for one in sources]
        results = searcher.search(tried, decoding)
        gains = {
            place: new[0].log_prob - old[0].log_prob
            for place, (new, old) in enumerate(zip(results, found, strict=True))
            if alone.met_by(searcher.text(new[:1], wish.spaced))
        }
        if gains:
            best = max(gains, key=gains.__getitem__)
            sources[best], found[best] = tried[best], results[best]
    return found
