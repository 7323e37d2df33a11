"""What counts as an answer letter, and what does not."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.letter_answer import extract_letter

from .prompt_texts import CATALOGUE, ROOT

TASKS = ROOT / "lm_eval_sea/tasks/belebele"
LATIN = ["A", "B", "C", "D"]
CITIES = ["Jakarta", "Hà Nội", "tidak ada jawaban", "A.M."]
DIGITS = ["1", "2", "3", "4", "5"]
WORDS = ["ลดอัตรา", "เพิ่มอัตรา", "ใช่", "ไม่ใช่", "ก"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" B", 1),
        ("B", 1),
        ("b", 1),
        ("B.", 1),
        ("(B)", 1),
        ("[c]", 2),
        ("**D**", 3),
        ("**A.** Jakarta", 0),
        ("B. Hà Nội", 1),
        ("B) hà  nội", 1),
        ("B.Hà Nội", 1),
        ("B. Hà N", 1),  # the answer's length ran out
        ("C: tidak ada", 2),
        ("`B`", 1),
        ("B;", 1),
        ("Ｂ", 1),
        ("\nB", 1),
        ('"A"', 0),
        ("Jawaban: C", 2),
        ("Jawaban: (C) tidak ada", 2),
        ("jawaban : C", 2),
        ("**Jawaban:** C", 2),
        ("A\nB", 0),
        # no answers
        ("", None),
        ("B. Jakarta", None),  # the letter and the text disagree
        ("A. or B. are possible", None),
        ("(A) atau (B)", None),
        ("d' accord", None),
        ("b* c", None),
        ("A. A.M.", None),
        ("   ", None),
        ("E", None),
        ("Bandung", None),
        ("A dog runs", None),
        ("A.M. radio", None),
        ("B, C", None),
        ("AB", None),
        ("Đ", None),
        ("Jawabannya adalah B", None),
        ("ตอบ B", None),
        ("à", None),
        ("Answer: B", None),  # another language's cue
        ("A. J", 0),
        ("A. Jakarta, the capital", 0),
        ("A. Jakartans", None),
        ("A. Jakarta / B. Hà Nội", None),  # two options
        ("(A) Jakarta atau (B) Hà Nội", None),
        ("A. Jakarta\nB. Hà Nội\nC. tidak ada jawaban", None),  # the list of the options
        ("B. Hà Nội\nA. Jakarta is wrong", 1),
    ],
)
def test_latin_letters(text, expected):
    assert extract_letter(text, LATIN, CITIES, ["Jawaban:"]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", 2),
        ("๓", 2),
        ("คำตอบ: ๕", 4),
        ("คำตอบ:๕", 4),
        ("2. เพิ่มอัตรา", 1),
        ("2.เพิ่มอัตรา", 1),
        ("(4)", 3),
        ("1. ก่อนอื่น", None),  # a numbered list
        ("C", 2),  # the third option by its Latin letter
        ("3.5", None),
        ("๓.๕", None),
        ("35", None),
        ("3 บาท", None),
        ("6", None),
    ],
)
def test_thai_exams(text, expected):
    assert extract_letter(text, DIGITS, WORDS, ["คำตอบ:"]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A. World War I", 0),
        ("A. World War II", None),  # the text of another option
        ("B. World War I", None),
        ("B. World War", 1),  # the answer's length ran out
        ("C. Bordeaux", 2),
        ("C. B", None),  # a label, not the beginning of the text
        ("D. 2", 3),
        ("D. 20", None),
        ("D. 2 wars", 3),
    ],
)
def test_texts_of_options_that_begin_alike(text, expected):
    assert extract_letter(text, LATIN, ["World War I", "World War II", "Bordeaux", "2"]) == expected


def test_two_equal_options_are_told_apart_by_their_letters():
    options = ["hot stone", "ice", "hot stone", "sand"]
    assert [extract_letter(f"{letter}. hot stone", LATIN, options) for letter in LATIN] == [0, None, 2, None]


def test_a_letter_beyond_the_options_is_no_answer():
    assert extract_letter("D", ["A", "B", "C"], CITIES[:3]) is None


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=2))
def test_no_letter_is_found_inside_a_word(word):
    assert extract_letter(word, LATIN, CITIES) is None


@given(st.text())
def test_any_text_gives_a_position_or_none(text):
    assert extract_letter(text, DIGITS, WORDS, ["คำตอบ:"]) in (None, *range(5))


BELEBELE = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in (ROOT / "lm_eval_sea/prompts/belebele").glob("*.yaml")
}
# What chat models write when they mean the second option, and what only looks like it; {b} is the text of the second option.
CHAT = {
    "en": (["Option B", "The correct answer is B. {b}", "The answer is: (B)"], ["Option B is wrong", "Both A and B"]),
    "id": (["Opsi B", "Jawabannya adalah B.", "Jawaban yang benar adalah **B. {b}**"], ["Bukan B", "Baik B maupun C"]),
    "jv": (["Pilihan B", "Wangsulan sing bener yaiku B.", "Jawaban: B"], ["Dudu B", "Budhal"]),
    "su": (["Pilihan B", "Jawaban anu leres nyaéta B", "B. {b}"], ["Sanés B", "Bener"]),
    "ms": (["Pilihan B", "Jawapan yang betul ialah B. {b}", "Jawapannya ialah (B)"], ["Bukan B", "Betul"]),
    "th": (["ข้อ ข", "ข้อ B", "คำตอบที่ถูกต้องคือ ข้อ ข. {b}", "ข", "(ข)", "คำตอบคือ ข"], ["ขอบคุณ", "ข้อ ข ผิด", "ไม่ใช่ ข", "ข้าว"]),
    "vi": (["Đáp án đúng là B", "Phương án B. {b}", "Chọn B.", "Đáp án là **B**"], ["Không phải B", "Bạn", "Phương án B sai"]),
    "tl": (["Ang tamang sagot ay B.", "Titik B", "Ang sagot ay letra B"], ["Hindi B", "Bakit", "Ang sagot ay bahay"]),
    "ceb": (["Ang hustong tubag mao ang B", "Letra B", "Tubag: B"], ["Dili B", "Balay"]),
    "ilo": (["Ti umno a sungbat ket B", "Letra B.", "Sungbat: B"], ["Saan a B", "Balay"]),
    "war": (["An husto nga baton amo an B", "Letra B", "Baton: B"], ["Diri B", "Balay"]),
    "my": (["ခ", "(ခ)", "အဖြေမှန်မှာ ခ", "အဖြေ- B", "ခ။", "အဖြေမှာ B ။"], ["ခရီး", "ခါး", "အဖြေ"]),
    "km": (["ខ", "ចម្លើយត្រឹមត្រូវគឺ ខ", "ចម្លើយ៖ B", "ចម្លើយគឺ៖ ខ។", "ជម្រើស ខ"], ["ខ្ញុំ", "ខែ", "មិនមែន ខ"]),
    "lo": (["ຂໍ້ ຂ", "ຂ.", "ຄຳຕອບທີ່ຖືກຕ້ອງແມ່ນ ຂໍ້ ຂ", "ຄຳຕອບແມ່ນ B"], ["ຂອບໃຈ", "ຂໍ້", "ຂ້ອຍ"]),
    "ta": (["ஆ", "விருப்பம் B", "சரியான விடை: ஆ) {b}", "(ஆ)"], ["ஆம்", "ஆனால் B", "ஆசை"]),
    "zh": (["选B", "答案是B。", "正确答案是：B、{b}", "乙", "【B】", "选项Ｂ"], ["B和C", "乙醇", "不是B", "选项"]),
}


@pytest.fixture(scope="module")
def read_chat(samples):
    """Reads an answer to the first sample question of a language as its chat tasks do."""

    def read(language: str, text: str) -> int | None:
        code = CATALOGUE["data_sets"]["belebele"]["languages"][language]["code"]
        lines = (samples / "facebook/belebele/data" / f"{code}.jsonl").read_text(encoding="utf-8").splitlines()
        options = [json.loads(lines[0])[f"mc_answer{number}"] for number in range(1, 5)]
        task = yaml.safe_load((TASKS / f"sea_belebele_{language}_chat.yaml").read_text(encoding="utf-8"))
        return extract_letter(text.replace("{b}", options[1]), LATIN, options, **task["metadata"]["reading"])

    return read


def test_every_language_with_a_book_has_a_table():
    assert CHAT.keys() == BELEBELE.keys()


@pytest.mark.parametrize(("language", "text"), [(language, text) for language, (texts, _) in CHAT.items() for text in texts])
def test_chat_answers(read_chat, language, text):
    assert read_chat(language, text) == 1


@pytest.mark.parametrize(("language", "text"), [(language, text) for language, (_, texts) in CHAT.items() for text in texts])
def test_no_chat_answers(read_chat, language, text):
    assert read_chat(language, text) is None


@pytest.mark.parametrize("language", BELEBELE)
def test_forms_of_all_languages(read_chat, language):
    """A letter bare, in brackets, in bold, with the option's text, on its own line, behind every lead-in and cue."""
    book = BELEBELE[language]
    for text in ("B", " (b)", "[B]", "**B**", "B.", "B: {b}", "B) {b}", "B – {b}", "\n\nB\n\nExplanation: A", "Option B"):
        assert read_chat(language, text) == 1, text
    for lead_in in [*book["option_words"], book["cue"].rstrip(":៖-"), "The correct answer is"]:
        for text in (f"{lead_in} B", f"{lead_in}: B. {{b}}", f"**{lead_in} (B)**", f"{lead_in.capitalize()} B."):
            assert read_chat(language, text) == 1, text
        assert read_chat(language, f"{lead_in} B / C") is None
        assert read_chat(language, lead_in) is None
    assert read_chat(language, f"{book['cue']} B") == read_chat(language, f"{book['cue']}\n(B)") == 1
    for position, letter in enumerate(book.get("script_letters", "")):
        assert read_chat(language, letter) == position


@pytest.mark.parametrize("language", BELEBELE)
@given(letters=st.text(alphabet=st.characters(categories=["Lu", "Ll"]), min_size=2, max_size=12))
def test_no_chat_answer_is_found_inside_a_word(read_chat, language, letters):
    assert read_chat(language, letters) is None


@pytest.mark.parametrize("language", BELEBELE)
@given(text=st.text())
def test_any_text_in_a_chat_gives_a_position_or_none(read_chat, language, text):
    assert read_chat(language, text) in (None, *range(4))
