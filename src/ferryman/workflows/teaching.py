"""Back-translation and distillation: pairs of which a model writes one side, for another model to learn from.

Sennrich et al. (2016), "Improving Neural Machine Translation Models with Monolingual Data"; Kim and Rush (2016),
"Sequence-Level Knowledge Distillation".
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ferryman.corpus import ReadingReport, read_pairs
from ferryman.corpus.files import format_of
from ferryman.corpus.lines import raw_lines
from ferryman.errors import ConfigError
from ferryman.workflows.file_languages import check_name, direction_for
from ferryman.workflows.growing import check_free
from ferryman.workflows.load import load_ready
from ferryman.workflows.synthesis import Counts, Synthesis, Task, Text

Name = str | Path  # of a file or folder


def back_translation(
    model: Name, text: Name, output: Name, settings: Sequence[str] = (), *, to: str | None = None
) -> Synthesis:
    """Set up the making of pairs (source by the model, real target).

    Args:
        model: a model folder that translates the other way: from the language of the text.
        text: text in the target language, one a line.
        output: the ``.jsonl`` file to make.
        settings: ``decoding.key=value``; unset: greedy search, which serves as well as a beam (Edunov et al., 2018)
            in a fraction of the time.
        to: language of the sources to write; needed of a model that translates into several.

    Raises:
        ConfigError: the output is there already or no ``.jsonl``; the text's name tells another language; the model
            does not translate into ``to``, or into several and none is named.
        CheckpointError: the model is none.
        DataError: the text cannot be read.

    """
    model, text, output = Path(model), Path(text), _checked(Path(output))
    translator = load_ready(model, ["decoding.beam=1", "decoding.n_best=1", *settings], to=to)
    direction, _ = direction_for(text, translator.config.data, translator.target_language(), model)
    task = Task("back-translation", lambda: _lines(text), "target", "source", direction)
    return Synthesis(model, translator, task, output)


def distillation(
    model: Name,
    source: Name,
    output: Name,
    settings: Sequence[str] = (),
    *,
    target: Name | None = None,
    to: str | None = None,
) -> Synthesis:
    """Set up the making of pairs (real source, target by the model).

    Args:
        model: the teacher's folder.
        source: source texts, one a line; or one file of pairs, read as the teacher's own corpus was.
        output: the ``.jsonl`` file to make.
        settings: ``decoding.key=value``; unset: the model's own.
        target: translations of the source texts, one a line. With them, or with pairs, the teacher's hypothesis
            closest to the translation is taken; see ``closest``.
        to: language to translate into; needed of a teacher of several.

    Raises:
        ConfigError: the output is there already or no ``.jsonl``; a file's name tells another language; the model
            does not translate into ``to``, or into several and none is named.
        CheckpointError: the model is none.
        DataError: a text cannot be read.

    """
    model, files, output = Path(model), [Path(name) for name in (source, target) if name], _checked(Path(output))
    translator = load_ready(model, settings, to=to)
    direction, corpus = direction_for(files[0], translator.config.data, translator.target_language(), model)
    for file in files[1:]:
        check_name(file, [direction.target], model)
    data, decoding = translator.config.data, translator.config.decoding
    referenced = target is not None or bool(format_of(files[0]))
    decoding = decoding.model_copy(update={"n_best": decoding.width if referenced else 1})
    translator.config = translator.config.model_copy(update={"decoding": decoding})

    def texts() -> Iterator[Text]:
        if not referenced:
            return _lines(files[0])
        pairs = read_pairs(
            files,
            languages=(direction.source, direction.target),
            columns=corpus.columns or data.columns,
            fields=corpus.fields or data.fields,
            report=ReadingReport(),
        )
        return ((pair.source, pair.target) for pair in pairs)

    return Synthesis(model, translator, Task("distillation", texts, "source", "target", direction), output)


def back_translate(
    model: Name, text: Name, output: Name, settings: Sequence[str] = (), *, to: str | None = None
) -> Counts:
    """Make a file of pairs by back-translation; see ``back_translation``."""
    return list(back_translation(model, text, output, settings, to=to).run())[-1]


def distill(
    model: Name,
    source: Name,
    output: Name,
    settings: Sequence[str] = (),
    *,
    target: Name | None = None,
    to: str | None = None,
) -> Counts:
    """Make a file of pairs by distillation; see ``distillation``."""
    return list(distillation(model, source, output, settings, target=target, to=to).run())[-1]


def _lines(path: Path) -> Iterator[Text]:
    return ((line.text(), None) for line in raw_lines(path))


def _checked(output: Path) -> Path:
    if output.suffix != ".jsonl":
        raise ConfigError(f"{output}: pairs are written as JSON lines; choose a name that ends in .jsonl")
    check_free(output)
    return output
