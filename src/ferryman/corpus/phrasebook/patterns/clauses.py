"""Sentences of two clauses: because, when, if, while, that, to, and relative clauses."""

from ferryman.corpus.phrasebook.facts import bearer, quality, rainy
from ferryman.corpus.phrasebook.patterns.statements import FUN, WISH
from ferryman.corpus.phrasebook.people import teller, third
from ferryman.corpus.phrasebook.slots import adjective, doer, intransitive, name, past, place, place_of_verb, pronoun_for, time, transitive, verb
from ferryman.corpus.phrasebook.template import pattern
from ferryman.corpus.phrasebook.things import generic, known_patient, of, owned_by, patient, recipient, several
from ferryman.corpus.phrasebook.reasons import goal, mood, reaction, errand, other, wanted, relative_object

REASONS = (
    pattern(
        "because, second",
        {"mood": mood, "verb": reaction, "subject": teller, "subject2": pronoun_for("subject")},
        "{subject} {be:present} {verb:ing} because~because {subject2} {be2:present} {mood} .",
        "{subject} {verb:present} {verb:rest} ,~comma weil~because {subject2} {mood} {be2:present} .",
        "{subject} {verb} ，~comma 因为~because {subject2} 很 {mood} 。",
        weight=2,
    ),
)
