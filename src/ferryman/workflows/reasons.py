"""What was chosen for a run, and why, in words: a line a topic, none about what the user set."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ferryman.wording import counted
from ferryman.workflows.sizes import Work

BUDGETS = ("minutes", "steps", "epochs")
SHAPE = ("d_model", "d_ff", "heads", "encoder_layers", "decoder_layers")

Settings = Mapping[str, Any]
"""Values by their dotted names, such as ``model.d_model``."""


def reasons(work: Work, chosen: Settings, joint: bool) -> Iterator[str]:
    """Say what was chosen and why.

    Args:
        work: of the model chosen.
        chosen: the settings that the user left open.
        joint: whether both languages share a vocabulary.
    """
    yield _facts(work)
    if said := _said(chosen, "training", BUDGETS):
        yield f"chosen: {said}, as no budget is set"
    if said := _said(chosen, "model", SHAPE):
        yield f"chosen: {said}, {_amount(work.parameters)} parameters: {_fit(work, chosen)}; {_exposure(work)}"
    if said := _said(chosen, "tokenizer", ("vocab_size", "joint")):
        survey = work.task.corpus.survey
        scripts = " and ".join(sorted({survey.source.script, survey.target.script} - {""}))
        yield f"chosen: {said}: for so many pairs in {scripts or 'no'} script{'' if joint else ', one a language'}"
    if said := _said(chosen, "model", ("dropout",)):
        yield f"chosen: {said}: for about {_counted(work.epochs, 'pass', 'passes')} over the corpus"
    if said := _said(chosen, "training", ("batch_tokens", "optimizer", "learning_rate", "warmup_steps", "schedule")):
        yield f"chosen: {said}: for d_model {work.shape.d_model} and about {_counted(work.updates, 'update')}"
    if said := _said(chosen, "training", ("validations", "validation_sentences")):
        yield f"chosen: {said}: for about {_time(work.seconds)} of training"
    if work.epochs < 1:
        yield f"the budget is enough for {work.epochs:.0%} of the corpus: a larger budget will translate better"


def _facts(work: Work) -> str:
    survey, machine, budget = work.task.corpus.survey, work.task.machine, work.task.budget
    amounts = [counted(getattr(budget, kind), kind.removesuffix("s")) for kind in BUDGETS if getattr(budget, kind)]
    pairs = counted(survey.pairs, "pair") if survey.exact else f"about {_counted(survey.pairs, 'pair')}"
    threads = counted(machine.threads, "thread")
    return (
        f"choosing for {pairs} of {survey.source.characters:.0f} and {survey.target.characters:.0f} characters, "
        f"{' or '.join(amounts)}, {machine.device} with {threads} at {machine.gflops:.0f} GFLOP/s; "
        "what is set stays"
    )


def _fit(work: Work, chosen: Settings) -> str:
    if not all(f"model.{key}" in chosen for key in SHAPE):
        return "to go with what is set"
    if work.is_well_fed:
        return "the largest that budget and corpus are enough for"
    return "the smallest there is, as budget or corpus is not enough for more"


def _said(chosen: Settings, section: str, keys: Sequence[str]) -> str:
    """List those of the keys that were chosen, as settings."""
    names = [f"{section}.{key}" for key in keys]
    return " ".join(f"{name}={_plain(chosen[name])}" for name in names if name in chosen)


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _exposure(work: Work) -> str:
    return (
        f"about {_amount(work.tokens)} target tokens to train on, {_amount(work.tokens / work.parameters)} a parameter"
    )


def _amount(number: float) -> str:
    """Round to two digits: it is an estimate."""
    rounded = float(f"{number:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def _time(seconds: float) -> str:
    number, unit = (seconds / 3600, "hour") if seconds >= 5400 else (max(1, seconds / 60), "minute")
    return counted(float(f"{number:.2g}"), unit)


def _counted(number: float, noun: str, several: str = "") -> str:
    """Write a rounded number and what it counts."""
    amount = _amount(number)
    return f"{amount} {noun if amount == '1' else several or f'{noun}s'}"
