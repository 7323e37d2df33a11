"""Answers as people of each language say them are read alike in all, and nothing else is."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.make.prompt_files import read_prompts
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER, read_yaml
from lm_eval_sea.tasks._shared.reading.answer_patterns import script_letters
from lm_eval_sea.tasks._shared.reading.answer_phrases import PHRASES, WRITTEN_TOGETHER
from lm_eval_sea.tasks._shared.reading.letter_answer import extract_letter
from lm_eval_sea.tasks._shared.reading.sea_helm_answer import strict_label

from ..quick import LANGUAGES
from .evaluation import read_json_lines
from .test_sea_helm_answer import LABELS, TAGS

LETTERS = ["A", "B", "C", "D"]
OPTIONS = ["1895", "1902", "1911", "1926"]
# The prompts of Kachin and Shan are English.
SENTENCES: dict[str, dict] = dict(read_yaml(Path(__file__).with_name("answer_sentences.yaml")))
SENTENCES |= {language: SENTENCES["en"] for language in ("kac", "shn")}
PROMPTS = read_prompts(TASKS_FOLDER, "belebele")


def say(sentence: str, labels: Sequence[str] = LETTERS, named: int = 1) -> str:
    """A sentence of the file with these labels, of which it names the one at a position, where B stands."""
    order = [*labels[:1], labels[named], *(label for label in labels[1:] if label != labels[named]), *LETTERS][:4]
    return sentence.format(**dict(zip(LETTERS, order, strict=True)), b=OPTIONS[named])


def sentences(language: str, kind: str = "read") -> list[str]:
    return list(SENTENCES[language][kind].values())


# Language → the letters that answers may use: Latin ones, and those of the language's script if it has some.
ALPHABETS = {language: [LETTERS, *filter(None, [script_letters(language)[:4]])] for language in SENTENCES}


def read(text: str, language: str) -> int | None:
    return extract_letter(text, LETTERS, OPTIONS, language=language)


def pieces(language: str, place: str) -> list[str]:
    """The pieces of a place, but those that begin with a letter: the Burmese mark of the subject is also the first letter."""
    found = [piece.strip() for piece in getattr(PHRASES[language], place).split("|")]
    return [piece for piece in found if piece and not (piece[0] in PHRASES[language].letters and piece[1:2] == " ")]


def test_every_language_says_the_same():
    assert SENTENCES.keys() == PHRASES.keys() == PROMPTS.keys() | {"kac", "shn"}
    for kind in ("read", "refused"):
        (keys,) = {tuple(SENTENCES[language][kind]) for language in SENTENCES}
        assert len(keys) >= 12


def test_sentences_are_read_with_each_letter_and_others_with_none(everything):
    """Each letter in turn, so that none is read for its place or by its sound."""
    for language in SENTENCES if everything else LANGUAGES:
        assert [text for text in map(say, SENTENCES[language]["also"]) if read(text, language) != 1] == []
        for labels, position in product(ALPHABETS[language], range(4)):
            said, refused = ([say(each, labels, position) for each in sentences(language, kind)] for kind in ("read", "refused"))
            assert [text for text in said if read(text, language) != position] == []
            assert [text for text in refused if read(text, language) is not None] == []


def test_marks_and_blanks_do_not_matter(everything):
    for language in SENTENCES if everything else LANGUAGES:
        changed = []
        for template in sentences(language):
            sentence = say(template)
            changed += [f"\n\n  {sentence}  \n", f"> {sentence}", sentence.replace(" ", "  "), say(template, "ＡＢＣＤ")]
            changed.append(unicodedata.normalize("NFD", sentence))
            for marks in ("**{}**", "({})", "“{}”", "`{}`", "\u200b{}", "[{}]"):
                changed.append(say(template, [marks.format(letter) for letter in LETTERS]))
            if "\n" not in sentence:
                changed.append(f"**{sentence}**")
        assert [text for text in changed if read(text, language) != 1] == []


def test_two_answers_and_a_quoted_list_of_the_options_are_none(everything):
    for language in SENTENCES if everything else LANGUAGES:
        lead_in = say(SENTENCES[language]["read"]["next_line"]).partition("\n")[0]
        for labels in ALPHABETS[language]:
            first, second = ([say(template, labels, named) for template in sentences(language)] for named in (1, 2))
            texts = [one + joint + two for one, joint, two in product(first[:5], (" ", "\n", "\n\n", ". ", ", "), second)]
            for template, joint in product(sentences(language), (" / ", ", ", "", "-", " ")):
                texts.append(say(template, [labels[0], f"{labels[1]}{joint}{labels[2]}", *labels[2:]]))
            for mark, end in product((". ", ") ", ": ", " - "), ("\n", " ", ", ", "; ")):
                listed = end.join(letter + mark + option for letter, option in zip(labels, OPTIONS, strict=True))
                texts += [listed, f"{lead_in}\n{listed}"]
            assert [text for text in texts if read(text, language) is not None] == []


def test_a_reason_behind_an_answer(everything):
    """It is not read, unless it names another label or is the text of an option."""
    for language in PHRASES if everything else LANGUAGES:
        behind = say(SENTENCES[language]["read"]["is_the_correct_answer"]).rstrip(".។။。")
        for word in [*pieces(language, "because"), *pieces("en", "because")]:
            for start in ("B", "**B**", "(B).", "B -", f"{behind}"):
                for joint in (" ", ", "):
                    text = f"{start}{joint}{word} 1902"
                    assert read(text, language) == 1, text
                    assert read(f"{text} C", language) is None, text
                    assert read(f"{text}\nC", language) is None, text
            reasons = [f"{word} 1895", f"{word} 1902", "1911", "1926"]
            for own in range(4):
                # also if the text breaks off
                for text in (f"{LETTERS[own]}. {word} 1902", f"{LETTERS[own]}. {word} 190"):
                    assert extract_letter(text, LETTERS, reasons, language=language) == (1 if own == 1 else None), text
            assert read(word, language) is None, word


def test_what_leads_to_an_answer_is_none():
    """Each sentence cut off before its letter, and each piece alone; a letter may touch it where blanks do not part words."""
    for language in PHRASES:
        texts = [say(template.partition("{B}")[0]) for template in sentences(language)]
        texts += [*pieces(language, "before"), *pieces(language, "after")]
        assert [text for text in texts if read(text, language) is not None] == []
        for piece in pieces(language, "before"):
            assert read(f"{piece}B", language) == (1 if language in WRITTEN_TOGETHER else None), piece


def test_forms_of_all_languages():
    """A letter bare, in brackets, in bold, with the option's text, on its own line, behind the cue with any mark."""
    for language in PROMPTS:
        cue = PROMPTS[language]["cue"]
        texts = ["B", "\nB", "  B", "B.", " (b)", "[B]", "**B**", "B: {b}", "B) {b}", "B – {b}", "Option B"]
        for text in [*texts, "\n\nB\n\nExplanation: A"]:
            assert read(text.replace("{b}", OPTIONS[1]), language) == 1, text
        words = cue.rstrip(":：៖- ")
        for mark in (":", " :", "：", "៖", " ៖", " -", " - ", "- ", " –", ""):
            for name in (words, words.upper(), f"**{words}**"):
                text = f"{name}{mark} B"
                assert extract_letter(text, LETTERS, OPTIONS, language=language, cue=cue) == 1, text
        assert extract_letter(f"{cue} {cue}\n(B)", LETTERS, OPTIONS, language=language, cue=cue) == 1


def test_sentences_behind_a_tag():
    """SEA-HELM's strict reading knows the same sentences, behind the tag and without one, some with words for labels, too."""
    of_words = {"read": {"the_answer", "correct_answer", "my_answer", "therefore"}}
    of_words["refused"] = {"not", "answer_is_not", "is_not_correct", "question"}
    for language in TAGS:
        tag = TAGS[language]
        for labels in LABELS[language]:
            are_letters = all(len(label) == 1 for label in labels)
            if are_letters and "Y" in labels:
                continue
            for kind, position in product(("read", "refused"), [1] if are_letters else range(len(labels))):
                for key, template in SENTENCES[language][kind].items():
                    if are_letters or key in of_words[kind]:
                        sentence, expected = say(template, labels, position), labels[position] if kind == "read" else None
                        texts = [f"{tag} {sentence}", f"**{tag}** {sentence}", f"{tag}\n{sentence}"]
                        texts += [sentence] if kind == "refused" or "{b}" not in template else []
                        assert {text: strict_label(text, tag, labels, language) for text in texts} == dict.fromkeys(
                            texts, expected
                        )
            for (one, two), joint in product([] if are_letters else permutations(labels, 2), (" ", "\n", "/")):
                assert strict_label(f"{tag} {one}{joint}{two}", tag, labels, language) is None


@pytest.mark.parametrize("language", ["en", "id", "km", "lo", "ms", "my", "ta", "th", "vi", "zh"])
def test_real_questions_and_options(hub_mirror, language):
    """What stands in the rows of Belebele is read as an answer only behind a label, and then as the option it is."""
    code = data_sets()["belebele"].languages[language].code
    rows = read_json_lines(hub_mirror / "facebook/belebele/data" / f"{code}.jsonl")[::30]
    assert rows
    for row in rows:
        options = [row[f"mc_answer{number}"] for number in range(1, 5)]
        for text in (row["question"], row["flores_passage"], *options):
            assert extract_letter(text, LETTERS, options, language=language) is None, text
        for position, (letter, option) in enumerate(zip(LETTERS, options, strict=True)):
            for text in (f"{letter}. {option}", f"({letter}) {option}", f"{letter} – {option}", f"**{letter}: {option}.**"):
                assert extract_letter(text, LETTERS, options, language=language) == position, text
            for other in {*options} - {option}:
                assert extract_letter(f"{letter}. {other}", LETTERS, options, language=language) is None, other


@settings(max_examples=400)
@given(language=st.sampled_from(sorted(PHRASES)), text=st.text())
def test_any_text_is_read_or_not(language, text):
    found = extract_letter(text, LETTERS, OPTIONS, language=language)
    assert found in (None, *range(4))
    assert extract_letter(f"\n {text}\n", LETTERS, OPTIONS, language=language) == found


@settings(max_examples=600)
@given(language=st.sampled_from(sorted(PHRASES)), data=st.data())
def test_pieces_in_any_order_name_one_letter_or_none(language, data):
    """Whatever is read is the only letter that stands in the text as a word."""
    around = [piece for code in (language, "en") for place in ("before", "after") for piece in pieces(code, place)]
    parts = st.sampled_from([*LETTERS, *around, ".", ",", ":", "(", ")", "\n", "**", "-"])
    text = " ".join(data.draw(st.lists(parts, max_size=8)))
    found = read(text, language)
    assert read(text.replace("**", ""), language) == found
    if found is not None:
        named = [re.findall(r"(?<!\w)[A-D](?!\w)", line) for line in text.replace("**", "").strip().splitlines()]
        assert set(next(filter(None, named))) == {LETTERS[found]}


@settings(max_examples=400)
@given(
    language=st.sampled_from(sorted(PROMPTS)),
    letters=st.text(alphabet=st.characters(categories=["Lu", "Ll"]), min_size=2, max_size=12),
)
def test_no_answer_is_found_inside_a_word(language, letters):
    assert read(letters, language) is None
