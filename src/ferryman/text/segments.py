"""Cutting a source that is too long for the model into pieces that are not."""

from collections.abc import Sequence

SENTENCE_ENDS = tuple(".!?…。！？；।؟")
WORD_START = "▁"


def cut(ids: Sequence[int], pieces: Sequence[str], limit: int) -> list[list[int]]:
    """Cut token ids into parts of at most ``limit``, all of them kept in order.

    A part ends, in this order of preference, after the end of a sentence, before a word, or anywhere; never in its
    first half, so that there are few parts.
    """
    parts, start = [], 0
    while len(ids) - start > limit:
        end = _best_end(pieces, start + max(1, limit // 2), start + limit)
        parts.append(list(ids[start:end]))
        start = end
    parts.append(list(ids[start:]))
    return parts


def _best_end(pieces: Sequence[str], first: int, last: int) -> int:
    candidates = range(last, first - 1, -1)
    after_sentence = (end for end in candidates if pieces[end - 1].endswith(SENTENCE_ENDS))
    before_word = (end for end in candidates if pieces[end].startswith(WORD_START))
    return next(after_sentence, None) or next(before_word, last)
