"""The section ``decoding``: how a translation is searched for."""

from typing import Annotated, Literal, Self

from pydantic import Field, Strict, model_validator

from ferryman.config_base import Count, Flag, Positive, Section, Threads
from ferryman.config_data import Tag

Protected = Literal["tag", "url", "email", "placeholder", "emoji", "number"]


class DecodingConfig(Section):
    """How a translation is searched for (§6.1)."""

    beam: Positive = 5
    """Hypotheses kept at every step; 1 is greedy search."""
    length_penalty: Annotated[float, Strict(), Field(ge=0, le=10)] = 1.0
    """Exponent alpha of the length penalty of Wu et al. (2016), eq. 14. The paper uses 0.6."""
    n_best: Positive = 1
    """Translations returned for each text, at most ``beam``."""
    min_length: Count = 0
    """Tokens (end symbol not counted) before a translation may end."""
    max_length_ratio: Annotated[float, Strict(), Field(gt=0, le=1000)] = 2.0
    """A translation has at most ``max_length_ratio * source tokens + max_length_extra`` tokens."""
    max_length_extra: Annotated[int, Strict(), Field(ge=0, le=10**6)] = 20
    """See ``max_length_ratio``. The paper allows source length + 50."""
    max_source_tokens: Positive = 512
    """Longest source translated in one piece."""
    too_long: Literal["split", "truncate", "error"] = "split"
    """What happens to a longer source: split between sentences or words, cut (both are flagged), or refused."""
    split_sentences: Flag = True
    """Translate the sentences of a text each by itself; off: for models trained on texts of several sentences."""
    protect: tuple[Protected, ...] = ("tag", "url", "email", "placeholder", "emoji", "number")
    """What comes back byte for byte, as often as in the source; ``[]``: nothing."""
    fallback: Flag = True
    """Where a translation is doubtful (a loop, a copy, empty, far too short or long …), take the next hypothesis
    without doubt, or search again in another way; with ``false`` it is only flagged."""
    rerank: Literal["none", "mbr"] = "none"
    """Order of the hypotheses found, all of the beam: by score, or by how well each agrees with the others (minimum
    Bayes risk by character n-grams; needs three or more)."""
    tag: Tag | None = None
    """Tag of a training corpus (``data.corpora.NAME.tag``) to put before every source; unset: none."""
    batch_tokens: Positive = 4096
    """Source tokens of a batch, padding and beam counted; bounds memory."""
    engine: Literal["auto", "torch", "packed", "int8"] = "auto"
    """What computes: ``torch``, the reference; ``packed``, the same laid out for translation, which ``auto`` takes on a
    CPU; ``int8``, with matrices in eight bits, on a CPU."""
    workers: Count = 0
    """Batches translated at the same time on a CPU, with one thread each; 0: as many as there are threads."""
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    """Where to compute; ``auto`` takes a GPU if there is one."""
    threads: Threads = 0
    """CPU threads; 0: PyTorch's choice, one a physical core or ``OMP_NUM_THREADS``."""

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse more results than hypotheses."""
        if self.n_best > self.beam:
            raise ValueError(f"n_best: {self.n_best} translations need a beam at least as wide, not {self.beam}")
        return self
