"""The built-in phrasebook: English sentences, their German or Chinese translations, and which word means which.

A synchronous grammar of our own. A *pattern* (``patterns/``) has one side for each language, written side by side:

    "{time} {subject} {verb:past} {object} ."
    "{time} {verb:aux} {subject} {object:governed} {verb:participle} ."
    "{time} {subject} {verb} 了~finite {object} 。"

Its slots are filled once, with phrases that make sense together (``people``, ``things``, ``facts``, ``slots``), out of
a lexicon of tables (``lexicon/*.txt``); then each language puts the same phrases into its own words (``english``,
``german``, ``chinese``). An English sentence has one translation only: "you" is one person, spoken to informally.

Alignment. Every word knows which parts of the meaning it expresses, and words that share a part are linked; nothing is
guessed afterwards. The convention, where a function word could have gone either way:

- an article is linked to an article; English "the" and "a" stay unlinked where Chinese has no word for them;
- a contraction (im = in dem) and kein (nicht ein) are linked to both their parts;
- tense and agreement are one part: "bought" is linked to both "hat" and "gekauft", "did" to "hat", 了 to "bought" or
  "did"; 在 and gerade are linked to the "is" of "is reading"; 吗 is linked to the question mark;
- a measure word is linked to what asks for it: 三本书: 三 and 本 to "three", 那本书: 那 and 本 to "the"; in "a cup of
  tea" it is linked to "cup", and "of" to nothing; 在 … 里 is linked to "in", twice;
- the "s" of a possessive is linked to 的 and to the article of the German genitive; 很 before an adjective, 都, 把 and
  the "to" of an infinitive are linked to nothing.

Splits. What is tested was never trained on, in any pattern: see ``splits``.
"""

from ferryman.corpus.phrasebook.generate import LIMITS, describe, generate
from ferryman.corpus.phrasebook.generate import TARGET_LANGUAGES as LANGUAGES
from ferryman.corpus.phrasebook.pair import AlignedPair
from ferryman.corpus.phrasebook.splits import SPLITS
from ferryman.corpus.phrasebook.write import find_test_pair, write_corpus

__all__ = ["LANGUAGES", "LIMITS", "SPLITS", "AlignedPair", "describe", "find_test_pair", "generate", "write_corpus"]
