"""The section ``decoding``: how a translation is searched for."""

from typing import Annotated, Literal, Self

from pydantic import Field, Strict, model_validator

from ferryman.config_base import Count, Flag, Names, Positive, Section, Threads
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
    no_repeat_ngram: Count = 0
    """So many tokens in a row are never said twice; 0: no such rule."""
    repetition_penalty: Annotated[float, Strict(), Field(ge=1, le=100)] = 1.0
    """Factor on the log-probability of tokens said before, at least 1 (Keskar et al., 2019); 1: none."""
    forbidden_phrases: Names = ()
    """Texts that no translation contains, not even inside a word; with a space before and after: whole words alone."""
    required_phrases: Names = ()
    """Texts that every translation contains as whole words; where that fails, the result has the flag ``unmet``."""
    target_prefix: str = ""
    """Text with which every translation begins."""
    beam_groups: Positive = 1
    """Groups of a diverse beam search (Vijayakumar et al., 2018), which divide ``beam``; 1: an ordinary beam."""
    diversity_penalty: Annotated[float, Strict(), Field(ge=0, le=1000)] = 0.5
    """What it costs a group to say what an earlier group says at the same place, in nats."""
    coverage_penalty: Annotated[float, Strict(), Field(ge=0, le=100)] = 0.0
    """Weight beta of the coverage penalty of Wu et al. (2016), eq. 14, by which finished hypotheses are ranked."""
    sampling: Flag = False
    """Draw translations at random instead of searching for the likeliest."""
    samples: Positive = 1
    """Samples drawn for each text; the one of the best score comes first."""
    temperature: Annotated[float, Strict(), Field(gt=0, le=1000)] = 1.0
    """Log-probabilities are divided by it before sampling: below 1 safer, above 1 more varied."""
    top_k: Count = 0
    """Sample among so many likeliest tokens only; 0: all."""
    top_p: Annotated[float, Strict(), Field(gt=0, le=1)] = 1.0
    """Sample among the likeliest tokens that together have this probability; 1: all."""
    seed: Count = 1
    """Decides, with the text alone, what is sampled."""
    token_log_probs: Flag = False
    """Also tell the log-probability of each token of a translation."""
    alignment: Literal["none", "hard", "soft"] = "none"
    """Also tell which source words each word comes from; ``soft``: and the attention between all tokens."""
    alignment_layer: Count = 0
    """Decoder layer whose attention tells it, from 1; 0: the last but one (Garg et al., 2019), but of two the last."""
    tag: Tag | None = None
    """Tag of a training corpus (``data.corpora.NAME.tag``) to put before every source; unset: none."""
    batch_tokens: Positive = 4096
    """Source tokens of a batch, padding and beam counted; bounds memory."""
    engine: Literal["auto", "torch", "packed", "onnx", "int8", "static"] = "auto"
    """What computes: ``torch``, the reference; ``packed``, the same laid out for translation on a CPU; ``onnx``, ONNX
    Runtime (extra ``fast``), faster still; ``int8``, matrices in eight bits, by ONNX Runtime if it is installed;
    ``static``, steps that a CUDA GPU replays. ``auto`` takes ``onnx`` on a CPU, or ``packed`` where it is not
    installed, and ``static`` on a CUDA GPU."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """Arithmetic of the engine ``static``. ``bfloat16``, on a CUDA GPU that has it, reads half as much; but a
    translation may then depend on its batch."""
    workers: Count = 0
    """Batches translated at the same time on a CPU, with one thread each; 0: as many as there are threads."""
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    """Where to compute; ``auto`` takes a GPU if there is one."""
    threads: Threads = 0
    """CPU threads; 0: PyTorch's choice, one a physical core or ``OMP_NUM_THREADS``."""

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse more results than hypotheses, and ways of searching that exclude each other."""
        if self.sampling and self.n_best > self.samples:
            raise ValueError(f"n_best: {self.n_best} translations need at least as many samples, not {self.samples}")
        if not self.sampling and self.n_best > self.beam:
            raise ValueError(f"n_best: {self.n_best} translations need a beam at least as wide, not {self.beam}")
        if self.beam % self.beam_groups:
            raise ValueError(f"beam_groups: {self.beam_groups} groups do not divide a beam of {self.beam} evenly")
        if self.sampling and self.beam_groups > 1:
            raise ValueError("beam_groups: sampling has no beam; choose one of the two")
        for name, phrases in (
            ("forbidden_phrases", self.forbidden_phrases),
            ("required_phrases", self.required_phrases),
        ):
            if not all(phrase.strip() for phrase in phrases):
                raise ValueError(f"{name}: one of them is blank; give texts")
        if self.required_phrases and (self.sampling or self.beam_groups > 1):
            raise ValueError("required_phrases: these need an ordinary beam, without sampling or beam_groups")
        return self

    @property
    def width(self) -> int:
        """Hypotheses of each text that a search carries along."""
        return self.samples if self.sampling else self.beam
