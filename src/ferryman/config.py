"""Every setting, typed, with its reason beside it.

A run is described by one frozen ``Config(data, tokenizer, model, training, decoding)``. The defaults of ``model`` are
the paper's base model; a YAML file holds only what differs. Validators check, they never rewrite a value. Knows no
files: ``config_file`` reads and writes them.
"""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, Strict, model_validator

from ferryman.config_base import Budget, Count, Flag, Names, Positive, Rate, Section, Threads, Width
from ferryman.config_data import CleaningConfig, CorpusConfig, DataConfig
from ferryman.config_decoding import DecodingConfig
from ferryman.config_documents import DocumentsConfig
from ferryman.config_serving import ServingConfig

__all__ = [
    "CleaningConfig",
    "Config",
    "CorpusConfig",
    "DataConfig",
    "DecodingConfig",
    "DocumentsConfig",
    "ModelConfig",
    "ServingConfig",
    "TokenizerConfig",
    "TrainingConfig",
]


class TokenizerConfig(Section):
    """How text becomes tokens: SentencePiece with byte fallback, so that nothing is unknown."""

    kind: Literal["bpe", "unigram", "words"] = "bpe"
    """Subword algorithm; ``words``: words, or the parts that subword-nmt makes of them, as models of other toolkits
    have them. How those become words, ``*.words.json`` in the model folder says."""
    vocab_size: Positive = 8000
    """Tokens in the vocabulary, control symbols and 256 byte tokens included. Small corpora want small vocabularies."""
    joint: Flag = True
    """One vocabulary for both languages (needed for three-way weight tying), or one a side."""
    normal_form: Literal["nfc", "identity", "joeynmt"] = "nfc"
    """What happens to text before it is split; see ``ferryman.text.normal_form``. ``joeynmt`` is for models from
    there."""
    character_coverage: Annotated[float, Strict(), Field(gt=0.9, le=1)] = 0.9995
    """Share of the characters seen that get a token of their own; the rarest are spelt in bytes."""
    sentences: Positive = 1_000_000
    """Sentences (sampled evenly) that the tokenizer is trained on; bounds its memory."""


class ModelConfig(Section):
    """The network of §3. The defaults are the paper's base model."""

    d_model: Width = 512
    """Width of embeddings and of every sub-layer's output."""
    d_ff: Width = 2048
    """Inner width of the feed-forward layer."""
    heads: Width = 8
    """Attention heads; each is ``d_model / heads`` wide."""
    encoder_layers: Width = 6
    """Layers of the encoder stack."""
    decoder_layers: Width = 6
    """Layers of the decoder stack. Fewer make translation faster at little cost."""
    norm_order: Literal["post", "pre"] = "post"
    """``post``: LayerNorm(x + Sublayer(x)), the paper's. ``pre``: x + Sublayer(LayerNorm(x)) and a final norm; trains
    stably at high learning rates."""
    norm_epsilon: Annotated[float, Strict(), Field(gt=0)] = 1e-5
    """Added to the variance in layer normalisation."""
    activation: Literal["relu", "silu", "gelu", "swiglu"] = "relu"
    """Non-linearity of the feed-forward layer; ``swiglu`` is gated and has a third matrix."""
    dropout: Rate = 0.1
    """On each sub-layer's output and on embedding + position (§5.4)."""
    attention_dropout: Rate = 0.0
    """On attention weights. Differs from the paper's code, not from its text."""
    feed_forward_dropout: Rate = 0.0
    """Between the two feed-forward matrices. Differs from the paper's code, not from its text."""
    tie: Literal["three-way", "two-way", "none"] = "three-way"
    """Which of source embedding, target embedding and output matrix are one (§3.4): all, the last two, or none."""
    positions: Literal["sinusoidal", "learned"] = "sinusoidal"
    """How a position is told (§3.5)."""
    sinusoid_layout: Literal["interleaved", "halves", "fairseq"] = "interleaved"
    """Sine and cosine in alternating dimensions, as in the paper, or sines first and then cosines; ``fairseq``: also
    with that toolkit's frequencies."""
    position_offset: Count = 0
    """Added to every position; some toolkits count from 2."""
    max_positions: Positive = 1024
    """Rows of the learned position table. Sinusoids have no limit."""
    scale_embedding: Flag = True
    """Multiply embeddings by the square root of d_model (§3.4)."""
    output_bias: Flag = False
    """Add a bias to the logits."""
    start_symbol: Literal["bos", "eos", "pad"] = "bos"
    """Which control symbol the decoder starts from."""
    source_end: Flag = True
    """Let the end symbol follow the source; OpenNMT's encoders never see one."""
    language_tokens: Literal["target", "both"] = "target"
    """Which languages a model of several is told: the target's, before the source; or ``both``, each before its own
    text, as in M2M-100 and NLLB."""

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse shapes that no network can have."""
        if self.d_model % self.heads:
            raise ValueError(f"heads: {self.heads} heads do not divide d_model {self.d_model} evenly")
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise ValueError(f"d_model: sinusoidal positions need an even width, not {self.d_model}")
        return self


class TrainingConfig(Section):
    """How the weights are found (§5)."""

    minutes: Budget | None = None
    """Time budget, everything from the start of the process included; the schedule ends when the time does."""
    steps: Positive | None = None
    """Budget in optimiser steps."""
    epochs: Budget | None = None
    """Budget in passes over the corpus. Of several budgets the first to run out ends training."""
    seed: Count = 1
    """Seeds initialisation, order and dropout."""
    start_from: Path | None = None
    """Model folder whose weights and tokenizer to start from (fine-tuning)."""
    freeze: Names = ()
    """Parts whose weights stay as they are: ``encoder``, ``decoder``, ``embeddings``, or the beginning of parameters'
    names, such as ``encoder.layers.0``."""
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    """Where to compute; ``auto`` takes a GPU if there is one."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Arithmetic of matrix products; ``auto``: bfloat16 on GPUs that have it, else float32."""
    threads: Threads = 0
    """CPU threads; 0: PyTorch's choice, one a physical core or ``OMP_NUM_THREADS``."""
    shard: Flag = False
    """Of several processes (``torchrun``), each holds a part of the weights, gradients and optimiser state, for models
    that do not fit otherwise; slower."""
    batch_tokens: Positive = 4096
    """Tokens a batch, padding counted, on its longer side."""
    accumulate: Positive = 1
    """Batches that each process adds up in one optimiser step."""
    schedule: Literal["paper", "inverse_sqrt", "linear", "cosine", "constant"] = "inverse_sqrt"
    """Learning rate over time, after a linear warm-up: the paper's eq. 3; 1/sqrt(step); to zero at the budget's end,
    linearly or as a cosine; or constant."""
    learning_rate: Annotated[float, Strict(), Field(gt=0)] | None = None
    """Peak learning rate. Unset: the peak of the paper's eq. 3."""
    warmup_steps: Positive = 4000
    """Steps of linear warm-up."""
    stop_learning_rate: Annotated[float, Strict(), Field(ge=0)] = 0.0
    """Stop when the learning rate falls below this after warm-up; 0: never."""
    optimizer: Literal["adamw", "muon"] = "adamw"
    """``adamw`` is the paper's Adam, with ``weight_decay``. ``muon``: momentum made orthogonal for the matrices of
    layers, AdamW for the rest; learns more in a step, which takes a little longer."""
    betas: tuple[Rate, Rate] = (0.9, 0.98)
    """Adam's decay rates (§5.3)."""
    epsilon: Annotated[float, Strict(), Field(gt=0)] = 1e-9
    """Adam's epsilon (§5.3)."""
    weight_decay: Annotated[float, Strict(), Field(ge=0)] = 0.0
    """Decoupled weight decay, on matrices only."""
    subword_dropout: Rate = 0.0
    """Probability of breaking a source token into the two it was merged from, and these again, anew each time a pair
    comes (after BPE-dropout); for small corpora that are gone through many times."""
    consistency: Annotated[float, Strict(), Field(ge=0)] = 0.0
    """Weight of R-Drop (Wu et al., 2021): each batch is passed twice, under different dropout, and both are to predict
    the same. A step takes twice as long; for small corpora and long trainings."""
    label_smoothing: Rate = 0.1
    """Probability spread evenly over the vocabulary (§5.4)."""
    clip_norm: Annotated[float, Strict(), Field(ge=0)] = 1.0
    """Largest gradient norm; 0: no clipping. Differs from the paper, which does not clip."""
    max_skipped_steps: Positive = 10
    """Steps in a row that may be skipped because a gradient is not finite, before the run stops; what was saved before
    the first of them stays."""
    validations: Count = 10
    """Validations, spread evenly over the budget; 0: only at the end."""
    validate_every_steps: Positive | None = None
    """Validate every so many steps instead."""
    validate_at_start: Flag = False
    """Validate before the first step too: what fine-tuning starts from."""
    validation_beam: Positive = 1
    """Beam of the translations that validation scores; 1 (greedy) is fast."""
    validation_sentences: Count | None = None
    """How many validation sentences are translated and scored, from the first on; unset: all, 0: none."""
    best_metric: Literal["bleu", "chrf", "loss"] = "chrf"
    """By which validation figure the best checkpoint is chosen. chrF varies less than BLEU between two checkpoints that
    are equally good."""
    patience: Count = 0
    """Stop after so many validations in a row without improvement; 0: never."""
    save_every_steps: Positive | None = None
    """Save the training state every so many steps, besides at each validation."""
    save_every_minutes: Budget = 2.0
    """Save the training state at least this often."""
    keep_checkpoints: Count = 5
    """Weights of so many latest validations are kept, for averaging."""
    average_last: Count = 0
    """At the end, average the weights of so many latest validations and keep them if they score better."""
    log_every_steps: Positive = 50
    """Steps between lines of metrics."""
    tensorboard: Flag = False
    """Also write TensorBoard events (extra ``tensorboard``)."""

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse schedules that cannot be computed."""
        if self.schedule == "paper" and self.learning_rate is not None:
            raise ValueError(
                "learning_rate: the paper's schedule sets it; leave it out or choose schedule: inverse_sqrt"
            )
        if self.optimizer == "muon" and self.shard:
            raise ValueError("optimizer: muon needs whole matrices, which shard: true takes apart; choose adamw")
        if self.average_last > self.keep_checkpoints:
            raise ValueError(f"average_last: {self.average_last} is more than keep_checkpoints {self.keep_checkpoints}")
        return self

    @property
    def has_budget(self) -> bool:
        """Whether anything ends the run."""
        return any((self.minutes, self.steps, self.epochs))


class Config(Section):
    """Everything that describes a run."""

    data: DataConfig = DataConfig()
    tokenizer: TokenizerConfig = TokenizerConfig()
    model: ModelConfig = ModelConfig()
    training: TrainingConfig = TrainingConfig()
    decoding: DecodingConfig = DecodingConfig()
    documents: DocumentsConfig = DocumentsConfig()
    serving: ServingConfig = ServingConfig()

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse settings that contradict each other across sections."""
        if self.model.tie == "three-way" and not self.tokenizer.joint:
            raise ValueError(
                "model.tie: three-way tying needs one joint vocabulary; set tokenizer.joint or tie: two-way"
            )
        return self
