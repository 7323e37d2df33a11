"""What people and models write around an answer, by language: the words of `words/<language>.yml`.

Words before a label ("The correct answer is option B") and after it ("B is the correct answer", "B ครับ") are given in pieces.
Any number of `before` pieces may come before a label, and any number of `after` pieces between the label and the end of the line.
So nobody has to list the combinations, but no piece may deny, ask or restrict: no "not", "if", "maybe". All other words are
regular expressions. English words are read in every language. Regional languages that have `also` read the words of the
national language, too.

To add a language, fill `before` with the words for "the answer", "the correct answer", "is", "option", "letter", "I choose",
"so", "according to the passage"; `after` with whole predicates ("is the correct answer"), final copulas and polite particles;
`because` with the words that begin a reason. Then add the other words, as in the English file. `answer_patterns.py` turns them
into regular expressions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..facts import read_yaml


# Spellings of the same word, whatever the language. Labels and answer tags are read in any of them.
SPELLINGS = (
    ("netral", "neutral", "nyutral"),
    ("positip", "positif"),
    ("negatip", "negatif"),
    ("ការបរប្រែ", "ការបកប្រែ"),
    ("សេចក្តីសង្ខេប", "សេចក្ដីសង្ខេប"),
    ("สรุป", "บทสรุป"),
    ("trả lời", "câu trả lời"),
)

# The names of labels: label → language → words separated by "|". Chat tasks accept any of them; SEA-HELM's published reader
# does not.
LABEL_WORDS: dict[str, dict[str, str]] = read_yaml(Path(__file__).with_name("label_words.yml"))

# The names of languages: code → regular expression.
LANGUAGE_NAMES: dict[str, str] = read_yaml(Path(__file__).with_name("language_names.yml"))

# The words before an answer, in any language. Models also write other tags than the prompt's.
_TAGS = (
    "Answer|Jawaban|Jawapan|Wangsulan|Waleran|Đáp án|Trả lời|Câu trả lời|Sagot|Tubag|Sungbat"
    "|คำตอบ|ຄຳຕອບ|ចម្លើយ|အဖြေ|விடை|பதில்|答案"
)
# Answer tag → what reasoning models write instead.
FINAL_TAGS = {
    "answer": "final answer",
    "jawaban": "jawaban akhir",
    "jawapan": "jawapan akhir",
    "đáp án": "đáp án cuối cùng",
    "คำตอบ": "คำตอบสุดท้าย",
}
ANSWER_TAGS = tuple(f"{word}:" for word in _TAGS.split("|"))

# Languages that write words without spaces between them. An answer may leave out a space that one of their pieces has.
WRITTEN_TOGETHER = {"th", "lo", "km", "my", "zh"}


@dataclass(frozen=True)
class Phrases:
    """The words of one language. All but `letters`, `also`, `ordinals` and `cardinals` are separated by "|"."""

    before: str = ""  # pieces that may come before a label
    after: str = ""  # pieces that may follow a label
    because: str = ""  # words that begin a reason after a label
    letters: str = ""  # the letters for A, B, C, D, E in the language's script; empty if there is no such custom
    also: str = ""  # the code of another language whose words are read, too

    answer: str = ""  # nouns and verbs that make a sentence a statement of the answer: "answer", "I choose"
    option: str = ""  # nouns that may come before a label in any sentence: "option", "letter"
    lead: str = ""  # other words that may lead to a label in a long answer: "in conclusion", "probably", "the sentiment"
    either: str = ""  # joins two labels of which only one holds: "or"
    joined: str = ""  # joins two labels: "and"; `_phrases` adds the words of `either`
    wrong: str = ""  # says, in the same clause as a label, that it is not the answer
    right: str = ""  # says that it is the answer
    denies: str = ""  # comes before the denied label in "not A but C"
    but: str = ""  # comes before the label that replaces it
    yet: str = ""  # turns from one thought to the opposite: "I thought A, but it is C"
    condition: str = ""  # begins a clause that states nothing: "if"
    preface: str = ""  # begins a line that only introduces an answer: "Here is the translation:"
    work: str = ""  # what was asked for, named before a colon: "translation", "summary", the name of the language
    rendered: str = ""  # verbs before a colon that say what was done: "can be translated as"
    tongue: str = ""  # names of languages, before a colon in answers that give the source and its translation
    follows: str = ""  # ends a line that introduces what follows: "as follows"
    source: str = ""  # comes before a colon and text that is repeated from the prompt
    greeting: str = ""  # begins a paragraph that greets or says what comes next: "Great question!", "Let me translate"
    note: str = ""  # begins a line that comments on an answer or gives another: "Note:", "Or:"; `_phrases` adds `farewell`
    farewell: str = ""  # begins a paragraph that offers more, thanks or wishes well: "If you need …", "I hope this helps"
    so: str = ""  # begins a clause with a result: "so", "therefore"
    working: str = ""  # begins a paragraph that shows how a result was found: "Working:", "Steps:"
    undecided: str = ""  # says that there is no result: "cannot be determined"
    inquires: str = ""  # asks the user for what is missing: "please tell me"
    further: str = ""  # says that a question is not the first one: "next", "additional"
    polite: str = ""  # particles at the end of a sentence that are not part of an answer
    unfinished: str = ""  # words that cannot end a sentence
    check: str = ""  # begins a sentence that checks a result: "Check:"
    corrects: str = ""  # takes an answer back: "Correction:", "I misread"
    left: str = ""  # comes before the only remaining option: "what remains is"
    asks: str = ""  # names question or passage; with a colon, also the label of a question that the model makes up
    version: str = ""  # nouns and adjectives that name one of several texts: "version 2", "literal translation"
    best: str = ""  # says that one of several texts is the best or the last: "final"
    task: str = ""  # stems of "translate" and "summarise"
    absent: str = ""  # says that the passage has no answer
    requests: str = ""  # asks for the text to be translated or summarised
    begs: str = ""  # "I do not see the passage" and a request to send it
    speaks: str = ""  # "I" and "you": a sentence to the user is about the answer
    equates: str = ""  # verbs after which a sentence names what was asked for: "is", "namely"
    closes: str = ""  # verbs that end such a sentence, after the name
    relative: str = ""  # begins a clause that describes the noun before it: "who"
    relates: str = ""  # prepositions before a place, a time or a cause: "in", "because of"
    declines: str = ""  # a refusal, with what the model cannot or will not do: "I can't help"
    ordinals: tuple[str, ...] = ()  # "first", "second", …, before or after the word for an option
    cardinals: tuple[str, ...] = ()  # "one", "two", …, only after it ("option two"); before it they count all options
    counted: str = ""  # the nouns that ordinals count, if some of `option` may also mean sentences
    between: str = ""  # what may come between such a number and its noun
    purposes: str = ""  # begins a phrase that says what something is for: "to"
    parting: str = ""  # begins a last sentence that is surely not part of a text: "I hope this helps"
    pointer: str = ""  # "it is" and the like before a phrase that is the whole answer; not before a participle
    cites: str = ""  # begins a sentence about the answer: "The passage says", "This is the correct answer"
    to: str = ""  # joins two numbers to a range: "to"
    though: str = ""  # begins a clause that weighs another option after the answer: "although"
    forced: str = ""  # "if I had to choose", before the choice
    than: str = ""  # comes before the second part of a comparison, in Burmese and Tamil after it
    better: str = ""  # says about one of two options that it fits better: "more plausible"
    less: str = ""  # says that it fits less
    alters: str = ""  # comes before the answer that replaces another: "I change my answer to"
    errs: str = ""  # begins a sentence that admits an error: "I was wrong"
    unsure: str = ""  # says at the end that it cannot choose: "I am not sure", "it depends"
    unclear: str = ""  # asks for clarification: "I do not understand the question", "please specify"
    supposed: str = ""  # says what one may think at first: "at first glance it seems"
    articles: str = ""  # what may come between "is" and the text of an option: "the"
    shortly: str = ""  # says before a summary how long it is: "in one sentence"
    thinks: str = ""  # begins a thought that has no marks: "The user wants"


def _phrases(path: Path) -> Phrases:
    """The words of a file. Its lines may be broken after "|"."""
    words: dict[str, Any] = {
        name: re.sub(r"\| ", "|", value) if isinstance(value, str) else tuple(value) for name, value in read_yaml(path).items()
    }
    for place, others in (("note", "farewell"), ("joined", "either")):
        words[place] = "|".join(filter(None, (words.get(place), words.get(others))))
    return Phrases(**words)


PHRASES = {path.stem: _phrases(path) for path in sorted((Path(__file__).parent / "words").glob("*.yml"))}
