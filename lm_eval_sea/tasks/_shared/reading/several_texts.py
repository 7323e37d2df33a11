"""Which text counts if a chat model gives several: versions, corrections, second rounds."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

from .answer_patterns import any_word, has_word, task_words
from .answer_phrases import LANGUAGE_NAMES, PHRASES
from .answer_tags import LONGEST_LEAD, any_tag
from .answer_text import COLON, STOPS, composed, words_of_cue
from .counted_options import counted_options, ordinal
from .frames import without_emphasis
from .other_questions import question_label
from .prefaces_and_notes import INTRODUCES, LABELLED, LONGEST_INTRODUCTION, LONGEST_LABEL
from .statements import lead_in
from .surroundings import LIST_MARK


if TYPE_CHECKING:
    from collections.abc import Sequence


_TABLE = re.compile(r"(?m)^[ \t]*\|[^\n]+\|[ \t]*\n[ \t]*\|[ \t:|-]+\|[ \t]*(?:\n[ \t]*\|[^\n]*)+")
_HEADING = re.compile(r"\s*(?:#{1,6}\s+\S.*|(?:\*\*|__)[^*_\n]{1,60}(?:\*\*|__))\s*\Z")
# An item of a list that names its kind of text at its end: "(formal)".
_VERSION_ITEM = re.compile(
    r"\A\d{1,2}[.)\u104b\u17d4]\s+(?:(?P<text>.*\S)\s*[(（][^()（）]{2,40}[)）]\s*\Z|[(（][^()（）]{2,40}[)）]\s+\S)"
)
_LONGEST_SOURCE = 5_000
_BEFORE_NAME = r"(?:[^()（]{1,25}[(（])?(?:(?:in|into|ke|dalam|kanthi|dina|ka|sa|bằng|iti|ha|ing|用)\s*)?(?:(?:bahasa|basa)\s)?"


def one_of_several(text: str, tags: Sequence[str], language: str, target: str) -> str:
    """The text that counts, with its introduction: the final or the first version, without further rounds."""
    text = _above_another_text(_without_table(text), tags, language)
    return _first_version(_behind_result(text, tags, language, target), tags, language)


def _above_another_text(text: str, tags: Sequence[str], language: str) -> str:
    """The paragraphs above another source and answer that the model made up, unless they are an introduction."""
    again = re.search(rf"\n\s*\n(?={question_label(language)}[\s\S]{{0,{_LONGEST_SOURCE}}}?{any_tag(tags)})", text, re.IGNORECASE)
    above = text[: again.start()].strip() if again else ""
    rendered = any_word("rendered", language).search(above)
    says = rendered and len(above) - rendered.end() > LONGEST_LEAD and not re.search(rf"{COLON}\Z", above)
    introduces = (
        any_word("preface", language).match(above)
        or not says
        and (task_words(language).search(above) or has_word(above, language, "work", "answer"))
    )
    return text if introduces or len(above) < LONGEST_LABEL or (above[-1] not in STOPS and not says) else above


def of_target(text: str, language: str, target: str) -> str:
    """What follows the label with the name of the target language: "Tiếng Anh: …"; the whole text if there is no such label.

    Empty if the text, perhaps below an instruction, has only labels of other languages.
    """
    lines = text.splitlines()
    named = {number: name for number, line in enumerate(lines) if (name := _named(line))}
    codes = {number: _code(label) or _code(_without_work(label, target)) for number, (label, _) in named.items()}
    heads = [number for number, code in codes.items() if code]
    if not heads or target not in LANGUAGE_NAMES:
        return text
    own = [
        "\n".join([named[number][1], *lines[number + 1 : end]]).strip()
        for number, end in zip(heads, [*heads[1:], len(lines)], strict=True)
        if codes[number] == target
    ]
    first = next((line for line in lines if line.strip()), "")
    begins, above = lines.index(first) == heads[0], lines[: heads[0]]
    word = named[heads[0]][0].partition("(")[0].strip()
    if not any(own) and word in (named[number][0] for number in range(heads[0]) if number in named):
        return "\n".join(above)  # "Summary: … Summary (English): …"
    introduced = all(number in named or INTRODUCES.search(line) for number, line in enumerate(above) if line.strip())
    if any(own):
        return next(filter(None, own)) if begins or introduced else text
    is_all = len([line for line in lines if line.strip()]) == len(heads) + (not begins)
    asks = begins or (task_words(language).search(first) and not named.get(lines.index(first), ("", ""))[1])
    return "" if is_all and asks and all(named[number][1] for number in heads) else text


def _without_work(label: str, language: str) -> str:
    """A label without the language's word for the text: "คำแปลภาษาไทย" (translation into Thai) to "ภาษาไทย"."""
    work = any_word("work", language).match(label)
    return label[work.end() :].strip() if work else ""


def _code(label: str) -> str:
    """The language of a label that names nothing else: "in English", "Bahasa Inggris"."""
    names = (
        code
        for code, pattern in LANGUAGE_NAMES.items()
        if re.fullmatch(rf"{_BEFORE_NAME}(?:{pattern})[)）]?", label.strip(" *_"))
    )
    return next(names, "")


def _without_table(text: str) -> str:
    """The text with labelled lines instead of the columns of a Markdown table."""
    found = _TABLE.search(text)
    if found is None:
        return text
    rows = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in found[0].strip().splitlines()]
    columns = zip_longest(*(row for row in (rows[0], *rows[2:]) if any(row)), fillvalue="")
    lines = [f"{name}: " + "\n".join(cells) for name, *cells in columns]
    return text[: found.start()] + "\n".join(lines) + "\n" + text[found.end() :]


def _labels_apart(text: str, language: str) -> str:
    """The text with each label of a better text on a line of its own: "It is stiff. A more natural translation: …"."""
    words = "|".join(any_word(place, language).pattern for place in ("best", "better"))
    names = rf"(?=[^\n.:：]{{0,60}}?(?:{task_words(language).pattern}))"  # not "The best solution: …"
    label = rf"(?<=[.!?。！\u104b\u17d4]) ?(?=[^\n.:：]{{0,20}}?(?:{words})[^\n.:：]{{0,20}}{COLON}){names}"
    return re.sub(label, "\n", text, flags=re.IGNORECASE)


def _behind_result(text: str, tags: Sequence[str], language: str, target: str) -> str:
    """What follows the last label of the best or final text, or the only label of the text below other lines."""
    lines, work, task = _labels_apart(text, language).splitlines(), any_word("work", language), task_words(language)
    named = [(number, name) for number, line in enumerate(lines) if (name := _named(line))]
    heads = [head for head in named if task.search(head[1][0])]
    are_versions = any(has_word(name, language, "version") for _, (name, _) in named)
    listed = sum(LIST_MARK.match(line.strip()) is not None for line in lines) > 1
    own = {"translation", "summary", *(composed(words_of_cue(tag)).casefold() for tag in tags)}
    # a better text replaces a version such as "Literal:", but beside a "Translation:" it is only one more
    is_draft = are_versions and named[0][1][0] not in own and not work.fullmatch(named[0][1][0])
    words = ("best", "better") if is_draft else ("best",)
    best = [head for head in (named if listed or are_versions else heads) if has_word(head[1][0], language, *words)]
    condition = any_word("condition", language)  # "If summarised: …"
    naming = [head for head in heads if work.search(head[1][0]) or condition.match(head[1][0])]  # not "let us translate"
    if not best and len(naming) == 1:
        number, (label, _) = naming[0]
        in_language = target in (_code(label[name.end() :]) or None for name in work.finditer(label))  # "Translation into Thai"
        names = label in own or work.fullmatch(label) or in_language
        best = naming if number and (names or (condition.match(label) and not are_versions)) else best
    if listed and language in PHRASES and all(any_word("tongue", language).fullmatch(name) for _, (name, _) in named):
        best = [head for head in named if re.fullmatch(PHRASES[language].work, head[1][0])]  # "- Indonesian: … - Sundanese: …"
    found = "\n".join([best[-1][1][1], *lines[best[-1][0] + 1 :]]).strip() if best else ""
    return found or text


def _first_version(text: str, tags: Sequence[str], language: str) -> str:
    """The first of several texts with labels such as "Version 1:" or "Literal:", or in a list with a remark on its items."""
    lines, version = text.splitlines(), any_word("version", language)
    labelled = [(number, name) for number, line in enumerate(lines) if (name := _named(line)) is not None]
    labelled = [(number, name) for number, name in labelled if not any_word("source", language).match(name[0])]
    heads = [(number, name) for number, name in labelled if version.search(name[0]) or counted_options(language).match(name[0])]
    if len({name for _, (name, _) in heads}) > 1:
        listed = [(number, name) for number, name in labelled if LIST_MARK.match(lines[number].strip())]
        return _of_versions(lines, listed if len(listed) > len(heads) else heads, language) or text
    items = [number for number, line in enumerate(lines) if LIST_MARK.match(line.strip())]
    if items and any(any_word("note", language).match(line.strip(" #*_")) for line in lines[1 : items[0]]):
        return text  # the list belongs to the notes
    kinds = [_VERSION_ITEM.match(lines[number].strip()) for number in items]
    if len(kinds) > 1 and all(kinds[1:]):
        *above, head = ["", *(line for line in lines[: items[0]] if line.strip())]
        if len(above) > 1 and INTRODUCES.search(head) and not INTRODUCES.search(above[-1]):
            return "\n".join(lines[: lines.index(head)])  # the list has other versions of the text above it
        return (kinds[0] and kinds[0]["text"]) or LIST_MARK.sub("", lines[items[0]].strip())
    before = [line for line in lines[: items[0]] if line.strip()] if len(items) > 1 else ["none"]
    remarks = lines[items[-1] + 1 :] if all(INTRODUCES.search(line) for line in before) else []
    remarks = [] if re.search(any_tag(tags), "\n".join(remarks), re.IGNORECASE) else remarks  # the answer is there
    chosen = _chosen(remarks, language)
    if 0 < chosen <= len(items):
        end = items[chosen] if chosen < len(items) else items[-1] + 1
        return LIST_MARK.sub("", "\n".join(lines[items[chosen - 1] : end]).strip())
    introduced = len(before) == 1 and INTRODUCES.search(before[0]) and has_word(before[0], language, "version")
    if introduced or any(any_word("option", language).search(line) for line in remarks):
        return LIST_MARK.sub("", lines[items[0]].strip())
    return text


def _of_versions(lines: Sequence[str], heads: Sequence[tuple[int, tuple[str, str]]], language: str) -> str:
    """The text with the label that the last paragraph calls the best, else the first; empty if no label has one.

    `heads` are the labels with the numbers of their lines and what follows them there.
    """
    last = heads[-1][0]
    ends = [
        *(number for number, _ in heads[1:]),
        next((n for n in range(last + 1, len(lines)) if not lines[n].strip()), len(lines)),
    ]
    texts = ["\n".join([rest, *lines[begin + 1 : end]]).strip() for (begin, (_, rest)), end in zip(heads, ends, strict=True)]
    remark = "\n".join(lines[ends[-1] :]).casefold()
    best = remark if has_word(remark, language, "best") and not has_word(remark, language, "denies") else ""
    chosen = [text for (_, (label, _)), text in zip(heads, texts, strict=True) if label.partition("(")[0].strip() in best]
    return chosen[0] if len(chosen) == 1 else next(filter(None, texts[:-1]), "")


def _chosen(remarks: Sequence[str], language: str) -> int:
    """The number (from 1) of the text that remarks choose: 2 for "I'd go with the second one"; 0 if they choose none."""
    nouns = "|".join(any_word(place, language).pattern for place in ("between", "option", "version"))
    for remark in remarks:
        number = re.fullmatch(rf"\D*(?:{nouns})\s(?P<number>[1-9])\D*", remark, re.IGNORECASE)
        if number and has_word(remark, language, "best") and not has_word(remark, language, "denies"):
            return int(number["number"])  # "Number 2 is the most natural.", not "Best within 2 hours."
        for lead in (*lead_in(language).finditer(remark), *any_word("best", language).finditer(remark)):
            place = ordinal(language).match(remark, lead.end())
            if place is not None:
                return next(int(name[1:]) for name, written in place.groupdict().items() if written)
    return 0


def _named(line: str) -> tuple[str, str] | None:
    """The label of a line or heading, without stops and emphasis, and what follows it; None if there is no label."""
    bare = re.sub(r"\A[^\w\s(\"“«'-]+\s+", "", LIST_MARK.sub("", without_emphasis(line).strip()))
    last = re.split(r"[,.!] |[。！]", bare)[-1]  # "Putting it all together, the full translation is:"
    if found := LABELLED.match(last if INTRODUCES.search(bare) else bare):
        return found["label"].strip(" *_").casefold(), found["rest"].strip()
    return (bare.casefold(), "") if _HEADING.match(line) else None


def corrected(text: str, language: str) -> str:
    """What follows a paragraph that takes back the one before it and introduces another text: "Sorry, it should be:"."""
    for line in re.finditer(rf"(?<=\n\n)[ \t*_]*(?P<said>[^\n]{{1,{LONGEST_INTRODUCTION}}}){COLON}[ \t*_]*(?=\n)", text):
        names = has_word(line["said"], language, "answer", "right", "work")
        if names and any_word("corrects", language).match(line["said"]) and text[line.end() :].strip():
            return text[line.end() :]
    return text
