"""Cutting a source that is too long for the model into pieces that are not."""

from collections.abc import Sequence

from ferryman.text.escaping import SPACE_SYMBOL

SENTENCE_ENDS = tuple(".!?…。！？；।؟")


def cut(ids: Sequence[int], spelled: Sequence[str], limit: int) -> list[list[int]]:
    """Cut token ids, which are spelled so with a space as ▁, into parts of at most ``limit``, all kept in order.

    A part ends, in this order of preference, after the end of a sentence, before a word, or anywhere; never in its
    first half, so that there are few parts.
    """
    parts, start = [], 0
    while len(ids) - start > limit:
        end = _best_end(spelled, start + max(1, limit // 2), start + limit)
        parts.append(list(ids[start:end]))
        start = end
    parts.append(list(ids[start:]))
    return parts


def _best_end(spelled: Sequence[str], first: int, last: int) -> int:
    candidates = range(last, first - 1, -1)
    after_sentence = (end for end in candidates if spelled[end - 1].rstrip(SPACE_SYMBOL).endswith(SENTENCE_ENDS))
    before_word = (end for end in candidates if _parts_words(spelled[end - 1], spelled[end]))
    return next(after_sentence, None) or next(before_word, last)


def _parts_words(before: str, after: str) -> bool:
    return after.startswith(SPACE_SYMBOL) or before[1:].endswith(SPACE_SYMBOL)
