"""Verbs that patterns choose from, and slots that several patterns share."""

from ferryman.corpus.phrasebook.people import teller
from ferryman.corpus.phrasebook.slots import (
    doer,
    first_sense,
    intransitive,
    place_of_verb,
    transitive,
    verb,
)
from ferryman.corpus.phrasebook.things import (
    patient,
)

KNOWS_PEOPLE = first_sense("help", "thank", "invite", "see", "visit", "meet", "wait for")
FINISHED = verb("read", "buy", "repair", "write", "translate", "wash", "find", "eat", "sell", "cook", "answer", "watch")
TRIED = first_sense("eat", "drink", "bake", "paint", "write", "translate", "plant", "draw")
TASK = verb(
    "buy", "repair", "write", "translate", "wash", "clean", "tidy", "cook", "feed", "bake", "find", "help", "sell"
)
WISH = verb("buy", "read", "write", "watch", "visit", "sell", "paint", "bake", "help", "try on")
WANT = verb("buy", "read", "eat", "drink", "watch", "visit", "sell", "paint", "bake", "help", "try on")
SKILL = verb(
    "swim",
    "dance",
    "play football",
    "play tennis",
    "play chess",
    "play cards",
    "play the piano",
    "play the guitar",
    "ride a bicycle",
)
PLAN = verb(
    "buy", "repair", "write", "paint", "wash", "clean", "cook", "feed", "bake", "help", "visit", "plant", "read"
)
HABIT = first_sense("eat", "drink", "read", "buy", "cook", "bake", "write", "listen to", "watch")
FUN = verb(
    "swim", "dance", "play football", "play tennis", "play cards", "run", "watch TV", "take a walk", "ride a bicycle"
)

DONE = {"verb": transitive("action", "event", animals=True), "subject": doer(teller), "object": patient}
DOING = {"verb": transitive("action", animals=True), "subject": doer(teller), "object": patient}
PLACED = {
    "verb": transitive("action", placed=True, animals=True),
    "subject": doer(teller),
    "object": patient,
    "place": place_of_verb,
}
ACTIVE = {"verb": intransitive("action"), "subject": doer(teller)}
ACTIVE_PLACED = {
    "verb": intransitive("action", placed=True),
    "subject": doer(teller),
    "place": place_of_verb,
}
