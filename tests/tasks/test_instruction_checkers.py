"""Whether responses that follow an instruction pass, and others do not: cases by hand, and lm-eval's own checkers on English."""

import importlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.metrics.instruction_checkers import (
    INSTRUCTIONS,
    PHRASES,
    UNCOUNTED_WORDS,
    check,
    is_scored,
    read_arguments,
)

# instruction → language → (arguments as rows have them, responses that follow it, responses that do not)
CASES = {
    "length_constraints:number_words": {
        "id": (
            {"relation": "at least", "num_words": 4},
            ["Ibu pergi ke pasar.", "anak-anak bermain bola"],  # the parts of a doubled word are words
            ["Ibu ke pasar.", "Ibu, ke – pasar!"],
        ),
        "vi": ({"relation": "less than", "num_words": 4}, ["Mẹ đi chợ."], ["Mẹ đi chợ sớm.", "Trời mưa to, mẹ ở nhà."]),
        "tl": ({"relation": "exactly", "num_words": "3"}, ["Umulan na kahapon."], ["Umulan na.", "Umulan na naman kahapon."]),
    },
    "length_constraints:number_sentences": {
        "id": (
            {"relation": "at least", "num_sentences": 3},
            ["Hujan turun.***Jalan basah.***Kami pulang.", "***\nSatu\n***\nDua\n***\nTiga\n***"],
            ["Hujan turun. Jalan basah. Kami pulang.", "Satu *** *** Dua"],
        ),
        "vi": ({"relation": "less than", "num_sentences": 3}, ["Mưa. *** Nắng.", "Mưa."], ["Mưa. *** Nắng. *** Gió."]),
        "th": (
            {"relation": "at least", "num_sentences": 2},
            ["ฝนตก *** ถนนเปียก"],
            ["ฝนตก ถนนเปียก เรากลับบ้าน", "ฝนตก ***"],
        ),
    },
    "length_constraints:number_paragraphs": {
        "id": ({"num_paragraphs": 2}, ["Pagi.\n***\nSore.", "***\nPagi.\n***\nSore.\n***"], ["Pagi.\n\nSore.", "A *** B *** C"]),
        "vi": (
            {"num_paragraphs": 3},
            ["Sáng\n\n***\n\nTrưa\n\n***\n\nChiều"],
            ["Sáng\n***\nTrưa", "Sáng *** Trưa *** Chiều *** Tối"],
        ),
        "th": ({"num_paragraphs": 2}, ["เช้า *** เย็น"], ["เช้า\n\nเย็น", "เช้า *** สาย *** เย็น"]),
    },
    "detectable_content:postscript": {
        "id": (
            {"postscript_marker": "P.S."},
            ["Sampai jumpa.\n\nP.S. Bawa payung.", "Salam.\np. s. Bawa payung.", "Salam.\nP.P.S. Bawa payung."],
            ["Sampai jumpa.", "Salam.\nPS Bawa payung."],
        ),
        "vi": ({"postscript_marker": "P.P.S."}, ["Chào bạn.\nP.P.S. Nhớ mang ô."], ["Chào bạn.\nP.S. Nhớ mang ô.", "P.P.S"]),
        "th": (
            {"postscript_marker": "ป.ล."},
            ["แล้วเจอกัน\nป.ล. เอาร่มมาด้วย", "แล้วเจอกัน ป. ล. เอาร่มมา"],
            ["แล้วเจอกัน", "แล้วเจอกัน P.S. เอาร่มมาด้วย"],
        ),
    },
    "detectable_content:number_placeholders": {
        "id": (
            {"num_placeholders": 2},
            ["Halo [nama], temui saya di [tempat].", "[a] [b] [c]"],
            ["Halo [nama].", "[nama] [] [ ]"],
        ),
        "vi": ({"num_placeholders": 1}, ["Chào [tên]."], ["Chào (tên).", "Chào [tên"]),
        "th": ({"num_placeholders": 2}, ["เรียน [ชื่อ] ที่ [ที่อยู่]"], ["เรียน [ชื่อ]", "เรียน <ชื่อ> ที่ <ที่อยู่>"]),
    },
    "detectable_format:title": {
        "id": ({}, ["<<Pulang>>\nHari itu hujan.", "Judul: << Pulang >>"], ["# Pulang", "<Pulang>", "<<>>", "<<\nPulang>>"]),
        "vi": ({}, ["<<Về nhà>>"], ["«Về nhà»", "<< >>"]),
        "th": ({}, ["เรื่อง <<กลับบ้าน>>"], ["เรื่อง กลับบ้าน", "<<กลับบ้าน>"]),
    },
    "detectable_format:number_bullet_lists": {
        "id": (
            {"num_bullets": 2},
            ["* nasi\n* ikan", "Belanja:\n- nasi\n- ikan", "  * **Nasi**: putih\n  * **Ikan**: segar"],
            ["* nasi", "* nasi\n* ikan\n- garam", "*nasi\n*ikan", "1. nasi\n2. ikan", "• nasi\n• ikan"],
        ),
        "vi": ({"num_bullets": 1}, ["Cần mua:\n* cá", "- cá"], ["**Cá**", "---\ncá", "* cá\n* rau"]),
        "th": ({"num_bullets": 3}, ["* ปลา\n* ข้าว\n* ผัก"], ["* ปลา\n* ข้าว", "ปลา * ข้าว * ผัก"]),
    },
    "detectable_format:multiple_sections": {
        "id": (
            {"section_title": "Bagian", "num_sections": 2},
            ["Bagian 1\nPagi\nBagian 2\nSore", "**Bagian I**: Pagi **Bagian II**: Sore"],
            ["Bagian 1\nPagi", "BAGIAN 1\nPagi\nBAGIAN 2\nSore", "Bagian1 Bagian2", "Bagian 1 Bagian 2 Bagian 3"],
        ),
        "vi": ({"section_title": "PHẦN", "num_sections": 2}, ["PHẦN 1 Sáng\nPHẦN 2 Tối"], ["Phần 1 Sáng\nPhần 2 Tối", "PHẦN 1"]),
        "th": (
            {"section_title": "ส่วน", "num_sections": 2},
            ["ส่วน 1\nเช้า\nส่วน 2\nเย็น", "ส่วน ๑\nเช้า\nส่วน ๒\nเย็น"],
            ["ส่วน 1\nเช้า", "ส่วนที่หนึ่ง\nเช้า\nส่วนที่สอง\nเย็น"],
        ),
    },
    "detectable_format:number_highlighted_sections": {
        "id": (
            {"num_highlights": 2},
            ["*Nasi* dan *ikan*", "**Nasi** dan *ikan*"],
            ["*Nasi* dan ikan", "** ** dan **", "_Nasi_ _ikan_"],
        ),
        "vi": ({"num_highlights": 1}, ["Cơm *trắng*"], ["Cơm trắng", "* cơm\n* cá", "Cơm * trắng"]),
        "th": ({"num_highlights": 2}, ["*ข้าว* กับ *ปลา*"], ["*ข้าว* กับ ปลา"]),
    },
    "detectable_format:json_format": {
        "id": (
            {},
            ['{"kota": "Medan"}', '```json\n{"kota": "Medan"}\n```', '```\n["Medan"]\n```'],
            ['Ini jawabannya: {"kota": "Medan"}', "{'kota': 'Medan'}", '```json\n{"kota": "Medan"', "[" * 100_000],
        ),
        "vi": ({}, ['["Huế", "Đà Nẵng"]'], ['["Huế", "Đà Nẵng",]', '{"tỉnh": "Huế"}\nHết.']),
        "th": ({}, ['```JSON\n{"เมือง": "ตรัง"}\n```'], ["เมือง: ตรัง", '```JSON\n{"เมือง": "ตรัง"}\n```\nจบ']),
    },
    "detectable_format:constrained_response": {
        "id": (
            {},
            ["Jawaban saya adalah ya.", "Saya ragu. Jawaban saya adalah mungkin."],
            ["Ya.", "Jawaban saya adalah ya", "My answer is yes."],
        ),
        "vi": ({}, ["Câu trả lời của tôi là không."], ["Không.", "Câu trả lời của tôi là: không."]),
        "th": ({}, ["คำตอบของฉันคือใช่", "คำตอบของฉันคือไม่ใช่"], ["ใช่", "คำตอบของผมคือใช่"]),
        "tl": ({}, ["Ang sagot ko ay hindi."], ["Hindi."]),
        "jv": ({}, ["Jawabanku ora."], ["Ora."]),
        "su": ({}, ["Jawapan abdi enya."], ["Enya."]),
        "en": ({}, ["My answer is no."], ["No."]),
    },
    "startend:first_word": {
        "id": (
            {"first_word": "hujan"},
            ["Hujan turun deras.", " HUJAN!", "Hujannya deras."],
            ["Deras hujan turun.", "**Hujan** turun."],
        ),
        "vi": ({"first_word": "cơn mưa"}, ["Cơn mưa đến rồi."], ["Mưa đến rồi.", "Con mưa đến rồi."]),
        "th": ({"first_word": "ฝน"}, ["ฝนตกหนัก"], ["เมื่อวานฝนตก", '"ฝน" ตก']),
        "su": ({"first_word": "éta"}, ["Éta imah abdi."], ["Eta imah abdi."]),
    },
    "startend:end_checker": {
        "id": (
            {"end_phrase": "Sampai jumpa lagi."},
            ["Terima kasih. Sampai jumpa lagi.\n", "sampai jumpa lagi."],
            ["Sampai jumpa lagi. Hati-hati.", "Sampai jumpa lagi", "Kata saya: “Sampai jumpa lagi.”"],
        ),
        "vi": ({"end_phrase": "Hẹn gặp lại."}, ["Cảm ơn. Hẹn gặp lại."], ["Hẹn gặp lại. Cảm ơn."]),
        "th": ({"end_phrase": "แล้วพบกันใหม่"}, ["ขอบคุณ แล้วพบกันใหม่"], ["แล้วพบกันใหม่ ขอบคุณ", "แล้วพบกันใหม่ค่ะ"]),
    },
    "startend:quotation": {
        "id": (
            {},
            ['"Hari ini hujan."', ' "Hari ini\n\nhujan." '],
            ["Hari ini hujan.", '"Hari ini" hujan.', "“Hari ini hujan.”", '"', '""'],
        ),
        "vi": ({}, ['"Hôm nay mưa."'], ["'Hôm nay mưa.'", '"Hôm nay mưa.', '" "']),
        "th": ({}, ['"วันนี้ฝนตก"'], ["วันนี้ฝนตก", '"วันนี้ฝนตก" ค่ะ']),
    },
    "keywords:existence": {
        "id": (
            {"keywords": ["ikan", "air laut"]},
            ["Ikan hidup di air laut."],
            ["Ikan hidup di laut.", "Perikanan dan air laut", "Ikannya di air laut"],
        ),
        "vi": ({"keywords": ["cá", "giỏ"]}, ["Cá nằm trong giỏ."], ["Cá nằm trong rổ.", "Các con giỏ"]),
        "th": ({"keywords": ["ปลา", "ตะกร้า"]}, ["แม่ซื้อปลาใส่ตะกร้า"], ["แม่ซื้อปลา", "แม่ซื้อกุ้งใส่ตะกร้า"]),
        "tl": ({"keywords": ["isda", "rosa"]}, ["May isdang hawak si rosa."], ["May isda si Rosa.", "May isda sila."]),
    },
    "keywords:forbidden_words": {
        "id": (
            {"forbidden_words": ["ikan", "laut"]},
            ["Kami makan perikanan.", "Nasi putih."],
            ["Kami makan IKAN.", "Di laut, ombak besar."],
        ),
        "vi": ({"forbidden_words": ["cá"]}, ["Các bạn ăn rau."], ["Tôi ăn cá.", "Ca\u0301 ngon."]),  # decomposed
        "th": ({"forbidden_words": ["ปลา"]}, ["แม่ซื้อกุ้ง"], ["แม่ซื้อปลา", "ปลายทางยังอีกไกล"]),  # inside a word
        "tl": ({"forbidden_words": ["tao"]}, ["Maraming isda.", "Tao po!"], ["Walang tao.", "Nabitao na."]),
        "jv": ({"forbidden_words": ["iwak"]}, ["Iwake akeh."], ["Aku tuku iwak."]),
    },
    "keywords:frequency": {
        "id": (
            {"relation": "at least", "keyword": "kali", "frequency": 2},
            ["Sekali-kali, dua kali, tiga kali."],
            ["Dua kali.", "Berkali, sekali, duakali."],
        ),
        "vi": ({"relation": "less than", "keyword": "mưa", "frequency": 2}, ["Mưa to."], ["Mưa to, mưa nhỏ."]),
        "th": ({"relation": "at least", "keyword": "ฝน", "frequency": 2}, ["ฝนตกในฤดูฝน"], ["ฝนตก"]),
        "tl": (
            {"relation": "at least", "keyword": "ulan", "frequency": 2},
            ["Ulan nang ulan.", "Umuulan, maulan."],
            ["Ulan lang."],
        ),
    },
    "keywords:number_frequency": {
        "id": (
            {"relation": "exactly", "number": "7", "frequency": 2},
            ["Pukul 7, hari ke-17.", "77"],
            ["Pukul 7.", "777", "tujuh tujuh"],
        ),
        "vi": ({"relation": "at least", "number": 3, "frequency": 2}, ["3 con gà, 3 con vịt.", "333"], ["3 con gà."]),
        "th": ({"relation": "exactly", "number": "5", "frequency": 1}, ["วันที่ 5"], ["วันที่ ๕", "วันที่ 5 เวลา 5 โมง"]),
    },
    "combination:repeat_prompt": {
        "id": (
            {"prompt_to_repeat": "Siapa penemu telepon?"},
            ["Siapa penemu telepon?\nSaya kira Bell.", "siapa penemu telepon? Bell."],
            ["Siapa penemu telepon?", "Bell.", "Baik. Siapa penemu telepon? Bell.", '"Siapa penemu telepon?" Bell.'],
        ),
        "vi": (
            {"prompt_to_repeat": "Ai vẽ bức tranh này?"},
            ["Ai vẽ bức tranh này? Một họa sĩ."],
            ["Ai vẽ tranh này? Một họa sĩ."],
        ),
        "th": ({"prompt_to_repeat": "ใครเขียนเรื่องนี้"}, ["ใครเขียนเรื่องนี้ คุณครูเขียน"], ["คุณครูเขียน", "ใครเขียนเรื่องนี้"]),
    },
    "combination:two_responses": {
        "id": (
            {},
            ["Nasi goreng.\n******\nMi goreng.", "****** Nasi ****** Mi ******"],
            ["Nasi goreng.", "Nasi *** Mi", "Nasi ****** ...", "Nasi ****** Mi ****** Roti"],
        ),
        "vi": ({}, ["Cơm.\n\n******\n\nPhở."], ["Cơm.\n\nPhở.", "******"]),
        "th": ({}, ["ข้าว ****** ก๋วยเตี๋ยว"], ["ข้าว * * * * * * ก๋วยเตี๋ยว"]),
    },
    "language:response_language": {
        "id": (
            {"response_language": "th"},
            ["ตลาดเปิดตั้งแต่เช้า มีปลาและผักสดขาย"],
            ["Pasar buka sejak pagi.", "The market opens in the morning."],
        ),
        "vi": (
            {"response_language": "id"},
            ["Pasar itu buka sejak pagi dan menjual ikan serta sayuran segar."],
            ["Chợ mở từ sáng sớm, bán cá và rau tươi.", "Ang palengke ay bukas tuwing umaga at nagtitinda ng isda."],
        ),
        "th": ({"response_language": "ta"}, ["சந்தை காலையில் திறக்கிறது."], ["ตลาดเปิดตอนเช้า"]),
        "tl": ({"response_language": "my"}, ["ဈေးသည် မနက်တွင် ဖွင့်သည်။"], ["Bukas ang palengke sa umaga."]),
        "su": ({"response_language": "tl"}, ["Bukas ang palengke tuwing umaga at may mga isda."], ["Pasar dibuka isuk-isuk."]),
    },
}
FLAT = [
    pytest.param(instruction, language, kwargs, follow, fail, id=f"{instruction} {language}")
    for instruction, by_language in CASES.items()
    for language, (kwargs, follow, fail) in by_language.items()
]


@pytest.mark.parametrize(("instruction", "language", "kwargs", "follow", "fail"), FLAT)
def test_cases(instruction, language, kwargs, follow, fail):
    with_others = {name: None for of in INSTRUCTIONS.values() for name in of.arguments} | kwargs  # as the rows are loaded
    assert [text for text in follow if not check(instruction, text, with_others, language)] == []
    assert [text for text in fail if check(instruction, text, with_others, language)] == []


def test_every_instruction_has_cases():
    assert set(CASES) == set(INSTRUCTIONS)
    assert len(CASES) == 21
    for instruction, by_language in CASES.items():
        assert {"id", "vi", "th"} - set(by_language) <= {
            language for language in UNCOUNTED_WORDS if not is_scored(instruction, language)
        }


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_no_response_without_text_follows(instruction):
    kwargs = CASES[instruction]["vi"][0]
    assert not check(instruction, "", kwargs, "vi")
    assert not check(instruction, " \n", kwargs, "vi")


# Pieces that instructions look for, with any text between.
PIECES = st.sampled_from(
    [
        "*",
        "***",
        "******",
        "[",
        "]",
        "<<",
        ">>",
        '"',
        "```",
        "```json",
        "\n",
        "- ",
        "* ",
        " ",
        "P.",
        "S.",
        "ฝน",
        "ก่",
        "ส่วน ",
        "{",
        "1",
    ]
)


@given(st.lists(PIECES | st.text(max_size=8), max_size=30).map("".join))
def test_no_response_crashes_a_checker(text):
    for instruction, by_language in CASES.items():
        for language, (kwargs, *_) in by_language.items():
            assert check(instruction, text, kwargs, language) in (True, False)


@pytest.mark.parametrize(
    ("instruction", "kwargs", "language", "message"),
    [
        (
            "keywords:letters",
            {},
            "id",
            "no checker for the instruction 'keywords:letters'; there are length_constraints:number_words",
        ),
        (
            "keywords:existence",
            {"keywords": None},
            "id",
            "argument 'keywords' of keywords:existence is None: expected a list of texts",
        ),
        ("keywords:existence", {"keywords": [""]}, "id", r"argument 'keywords' of keywords:existence is \[''\]: expected text"),
        ("startend:first_word", {}, "id", "argument 'first_word' of startend:first_word is None: expected text"),
        (
            "keywords:frequency",
            {"relation": "around", "keyword": "a", "frequency": 1},
            "id",
            "argument 'relation' of keywords:frequency is 'around': expected one of at least, less than, exactly",
        ),
        ("detectable_format:number_bullet_lists", {"num_bullets": "two"}, "id", "argument 'num_bullets' of .* is 'two'"),
        ("detectable_format:constrained_response", {}, "xx", "no phrases for detectable_format:constrained_response in 'xx'"),
        ("length_constraints:number_words", {"relation": "at least", "num_words": 3}, "th", "words of 'th' are not counted"),
    ],
)
def test_faulty_instructions_are_named(instruction, kwargs, language, message):
    with pytest.raises(ValueError, match=message):
        read_arguments(instruction, kwargs, language)


def test_the_phrases_are_those_of_the_real_prompts(hub_mirror):
    folder = hub_mirror / "aisingapore/Instruction-Following-IFEval/data"
    for language in ("en", "id", "vi", "th", "tl", "jv", "su"):
        lines = (folder / language / "eval.jsonl").read_text(encoding="utf-8").splitlines()
        prompts = [
            row["prompts"][0]["text"]
            for row in map(json.loads, lines)
            if row["metadata"]["subcategory"] == "detectable_format:constrained_response"
        ]
        assert len(prompts) == 5
        for phrase in PHRASES[language]:
            # one Vietnamese prompt has the full stop behind the quotation mark
            assert all(phrase.rstrip(".") in prompt for prompt in prompts), phrase


@pytest.fixture(scope="module")
def lm_eval_checkers(tmp_path_factory):
    """lm-eval's checkers by instruction; they look for a sentence splitter, which those compared here do not use."""
    for package in ("langdetect", "immutabledict", "nltk"):
        pytest.importorskip(package, reason=f"lm-eval's checkers need {package}: pip install {package}")
    import nltk

    folder = tmp_path_factory.mktemp("nltk")
    (folder / "tokenizers" / "punkt_tab").mkdir(parents=True)
    nltk.data.path.insert(0, str(folder))
    return importlib.import_module("lm_eval.tasks.ifeval.instructions_registry").INSTRUCTION_DICT


# instruction, arguments, whether the two always agree; else ours is the stricter one
COMPARED = [
    ("length_constraints:number_words", {"relation": "at least", "num_words": 4}, True),
    ("detectable_format:title", {}, True),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, True),
    ("detectable_format:constrained_response", {}, True),
    ("detectable_content:postscript", {"postscript_marker": "P.S."}, True),
    ("keywords:forbidden_words", {"forbidden_words": ["fish", "sea"]}, True),
    ("keywords:existence", {"keywords": ["fish", "sea"]}, False),
    ("keywords:frequency", {"relation": "at least", "keyword": "fish", "frequency": 2}, False),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, False),
    ("startend:quotation", {}, False),
    ("startend:end_checker", {"end_phrase": "See you."}, False),
    ("combination:repeat_prompt", {"prompt_to_repeat": "Who is there?"}, False),
    ("detectable_format:json_format", {}, False),
]
_WORDS = """
    fish FISH fishes sea the a [name] [] [ << >> <<Home>> *one* **two** * ** " P.S. p. s. you. ```json ``` {"a":1} [1] , . - 12
"""
ENGLISH = st.sampled_from([*_WORDS.split(), "\n", "My answer is", "My answer is no.", "Who is there?", "See you."])


@given(st.lists(ENGLISH, min_size=1, max_size=14), st.sampled_from([" ", "", "\n"]))
@pytest.mark.parametrize(("instruction", "kwargs", "agree"), COMPARED)
def test_agreement_with_lm_eval_on_english(lm_eval_checkers, instruction, kwargs, agree, pieces, blank):
    text = blank.join(pieces).strip()
    checker = lm_eval_checkers[instruction](instruction)
    checker.build_description(**kwargs)
    found, expected = check(instruction, text, kwargs, "en"), bool(text) and bool(checker.check_following(text))
    assert found == expected if agree else found <= expected
