"""What people and models say around an answer, by language: the words of `words/<language>.yml`.

The words before a label ("The correct answer is option B") and those behind it ("B is the correct answer", "B ครับ") are given in
pieces. Any number of `before` may stand before a label, one after the other, and any number of `after` between the label and
the end of the line. So the pieces need not be combined by hand, and none may deny, ask or restrict: no "not", "if", "maybe". All
other words are regular expressions. Those of English are read in every language, those of the national language in the regional
languages that have `also`.

A new language: fill `before` with the words for "the answer", "the correct answer", "is", "option", "letter", "I choose",
"so", "according to the passage"; `after` with whole predicates ("is the correct answer"), final copulas and polite particles;
`because` with the words that begin a reason; then the other words, as the English file has them.
`answer_patterns.py` makes regular expressions of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..facts import read_yaml


# The same word in two spellings, whatever the language: labels and answer tags are read in either.
SPELLINGS = (
    ("netral", "neutral", "nyutral"),
    ("positip", "positif"),
    ("negatip", "negatif"),
    ("ការបរប្រែ", "ការបកប្រែ"),
    ("សេចក្តីសង្ខេប", "សេចក្ដីសង្ខេប"),
    ("สรุป", "บทสรุป"),
    ("trả lời", "câu trả lời"),
)

# How labels are called: label → language → words separated by "|". Chat tasks read each for the other; SEA-HELM's published
# reader does not.
LABEL_WORDS: dict[str, dict[str, str]] = read_yaml(Path(__file__).with_name("label_words.yml"))

# How languages are called: code → regular expression.
LANGUAGE_NAMES: dict[str, str] = read_yaml(Path(__file__).with_name("language_names.yml"))

# The words before an answer, in any language: models take others than those that the prompt asks for.
_TAGS = (
    "Answer|Jawaban|Jawapan|Wangsulan|Waleran|Đáp án|Trả lời|Câu trả lời|Sagot|Tubag|Sungbat"
    "|คำตอบ|ຄຳຕອບ|ចម្លើយ|အဖြေ|விடை|பதில்|答案"
)
# Answer tag → what chat models that reason write in its place.
FINAL_TAGS = {
    "answer": "final answer",
    "jawaban": "jawaban akhir",
    "jawapan": "jawapan akhir",
    "đáp án": "đáp án cuối cùng",
    "คำตอบ": "คำตอบสุดท้าย",
}
ANSWER_TAGS = tuple(f"{word}:" for word in _TAGS.split("|"))

# Languages that write words without blanks between them. A blank in one of their pieces may be left out in an answer.
WRITTEN_TOGETHER = {"th", "lo", "km", "my", "zh"}


@dataclass(frozen=True)
class Phrases:
    """The words of one language. All but `letters`, `also`, `ordinals` and `cardinals` are separated by "|"."""

    before: str = ""  # pieces that may stand before a label
    after: str = ""  # pieces that may stand behind a label
    because: str = ""  # words that begin a reason behind a label
    letters: str = ""  # what stands for A, B, C, D, E in the language's script; empty where there is no such custom
    also: str = ""  # the code of another language whose words are read too

    answer: str = ""  # nouns and verbs that make a sentence a statement of the answer: "answer", "I choose"
    option: str = ""  # nouns that may stand before a label in any sentence: "option", "letter"
    lead: str = ""  # what else may lead to a label in a long answer: "in conclusion", "probably", "the sentiment"
    joined: str = ""  # what joins two labels: "or", "and"
    wrong: str = ""  # what says, in the clause with a label, that it is not the answer
    right: str = ""  # what says that it is
    denies: str = ""  # "not" before the label that is denied: not A …
    but: str = ""  # … and before the one that takes its place: but C
    yet: str = ""  # what turns from one thought to another: "I thought A, but it is C"
    condition: str = ""  # what makes the clause that it begins no statement: "if"
    preface: str = ""  # how a line begins that introduces an answer and is none: "Here is the translation:"
    work: str = ""  # what was asked for, in the words before a colon: "translation", "summary", the name of the language
    rendered: str = ""  # verbs that say before a colon what was done: "can be translated as"
    tongue: str = ""  # names of languages, which stand before a colon where the source and its translation are given
    follows: str = ""  # how a line ends that introduces what follows: "as follows"
    source: str = ""  # the words before a colon and a text that is repeated from the prompt
    greeting: str = ""  # how a paragraph begins that greets, or says what will be done: "Great question!", "Let me translate"
    note: str = ""  # how a line begins that comments on an answer or gives another: "Note:", "Or:"; all of `farewell` besides
    farewell: str = ""  # how a paragraph begins that offers more, thanks or wishes well: "If you need …", "I hope this helps"
    so: str = ""  # what begins the clause of a result: "so", "therefore"
    working: str = ""  # what begins a paragraph that shows how a result was found: "Working:", "Steps:"
    undecided: str = ""  # what says that there is no result: "cannot be determined"
    further: str = ""  # what says that a question is not the first one: "next", "additional"
    polite: str = ""  # particles at the end of a sentence that are no part of an answer
    unfinished: str = ""  # words that no sentence ends with
    check: str = ""  # what begins a sentence that goes over a result again: "Check:"
    corrects: str = ""  # what takes an answer back: "Correction:", "I misread"
    left: str = ""  # what stands before the only option that is left: "what remains is"
    asks: str = ""  # what stands before a colon at the beginning of another question that the model makes up: "Question:"
    version: str = ""  # nouns and adjectives that name one of several texts: "version 2", "literal translation"
    best: str = ""  # what says of one of several texts that it is the best or the last: "final"
    task: str = ""  # stems of "translate" and "summarise"
    absent: str = ""  # what says that the passage has no answer
    requests: str = ""  # what asks for the text that is to be translated or summarised
    begs: str = ""  # "I do not see the passage", and then what asks to send it
    speaks: str = ""  # "I" and "you": who speaks to the user says something about the answer
    equates: str = ""  # verbs behind which a sentence names what was asked for: "is", "namely"
    closes: str = ""  # verbs that end such a sentence where the name stands before them
    relates: str = ""  # prepositions before a place, a time or a cause: "in", "because of"
    declines: str = ""  # how a refusal says that one is unable or unwilling, and what one is unable to do or to be
    ordinals: tuple[str, ...] = ()  # how the first, the second, … option is counted, before or behind the word for an option
    cardinals: tuple[str, ...] = ()  # the same behind it only: "option two"; before it they count all options
    counted: str = ""  # the nouns that are counted so, where some of `option` may also count sentences
    between: str = ""  # what may stand between such a word and that for an option
    purposes: str = ""  # what begins a phrase that says what something is for: "to"
    parting: str = ""  # how a last sentence begins that is surely none of a text: "I hope this helps"
    pointer: str = ""  # "it is" and the like before a phrase that is all an answer says; not before a participle
    cites: str = ""  # how a sentence begins that says where an answer stands: "The passage says"
    to: str = ""  # what makes a range of two numbers: "to"
    though: str = ""  # what begins a clause that weighs another option behind the answer: "although"
    forced: str = ""  # "if I had to choose", behind which the choice stands
    than: str = ""  # what stands before, or in Burmese and Tamil behind, what another thing is compared with
    better: str = ""  # what says of one of two options that it fits better: "more plausible"
    less: str = ""  # … and that it fits less
    alters: str = ""  # what stands before the answer that takes the place of another: "I change my answer to"
    errs: str = ""  # how a sentence begins that admits an error: "I was wrong"
    unsure: str = ""  # what says at the end that one cannot choose: "I am not sure", "it depends"
    unclear: str = ""  # what asks back: "I do not understand the question", "please specify"
    thinks: str = ""  # how a thought begins that has no marks: "The user wants"
    orders: str = ""  # words of an instruction that gives the labels: "write only one of"


def _phrases(path: Path) -> Phrases:
    """The words of a file. A line of it may be broken behind "|"."""
    words: dict[str, Any] = {
        name: re.sub(r"\| ", "|", value) if isinstance(value, str) else tuple(value) for name, value in read_yaml(path).items()
    }
    words["note"] = "|".join(filter(None, (words.get("note"), words.get("farewell"))))
    return Phrases(**words)


PHRASES = {path.stem: _phrases(path) for path in sorted((Path(__file__).parent / "words").glob("*.yml"))}
