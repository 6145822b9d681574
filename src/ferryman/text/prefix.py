"""Control tokens before a source: into which language (Johnson et al., 2017), and what kind of text it is.

A tag tells apart text that is to be learned from in another way, such as back-translations (Caswell et al., 2019). Both
are control symbols of the source's tokenizer. The tokenizer decides whether they are used, so a model that is trained
further on one of its languages goes on seeing that language's token.
"""

from ferryman.config import Config
from ferryman.config_data import DataConfig
from ferryman.errors import ConfigError
from ferryman.text.directions import source_of, target_languages
from ferryman.text.tokenizer import Tokenizer


def control_symbols(data: DataConfig) -> tuple[str, ...]:
    """Name the control symbols that a tokenizer for these corpora needs: of several target languages, and of tags."""
    languages = target_languages(data)
    tags = dict.fromkeys(corpus.tag for corpus in data.every_corpus.values() if corpus.tag)
    return (*(f"<2{code}>" for code in languages if len(languages) > 1), *(f"<tag:{tag}>" for tag in tags))


def prefix(tokenizer: Tokenizer, target_language: str, tag: str | None) -> list[int]:
    """Return the ids that stand before a source; none unless the tokenizer has languages, and no tag unless asked for.

    Raises:
        ConfigError: the tokenizer does not have that language or tag.
    """
    symbols = tokenizer.control_symbols
    languages, tags = _inside(symbols, "<2"), _inside(symbols, "<tag:")
    if languages and target_language not in languages:
        raise ConfigError(
            f"the model's tokenizer has no token for the language {target_language!r}; it has {_list(languages)}"
        )
    if tag is not None and tag not in tags:
        raise ConfigError(f"the model's tokenizer has no tag {tag!r}; it has {_list(tags)}")
    return [*([languages[target_language]] if languages else []), *([] if tag is None else [tags[tag]])]


def before_source(config: Config, tokenizer: Tokenizer, target_language: str, tag: str | None) -> list[int]:
    """Return the ids that stand before a source: of the language that the model is told there, and of the tag.

    Raises:
        ConfigError: see ``prefix``.
    """
    both = config.model.language_tokens == "both"
    return prefix(tokenizer, source_of(config.data, target_language) if both else target_language, tag)


def before_target(config: Config, tokenizer: Tokenizer, target_language: str) -> tuple[int, ...]:
    """Return the ids with which every translation begins: of its language, if the model is told it there.

    Raises:
        ConfigError: see ``prefix``.
    """
    return tuple(prefix(tokenizer, target_language, None)) if config.model.language_tokens == "both" else ()


def check_prefixes(tokenizer: Tokenizer, data: DataConfig) -> None:
    """Check that a tokenizer, not trained for these corpora, has what they need.

    Raises:
        ConfigError: a language or a tag is missing.
    """
    known = tokenizer.control_symbols
    missing = [symbol for symbol in control_symbols(data) if symbol not in known]
    if missing:
        raise ConfigError(f"the model's tokenizer has no {', '.join(missing)}; it has {_list(known)}")


def _inside(symbols: dict[str, int], opening: str) -> dict[str, int]:
    return {name[len(opening) : -1]: index for name, index in symbols.items() if name.startswith(opening)}


def _list(names: dict[str, int]) -> str:
    return ", ".join(names) or "none"
