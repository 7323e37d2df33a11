"""Answers as chat models give them, each with what a person reads in it: `labelled_answers.jsonl`, written for this project.

`truth` is the position of the option, the number, the text that counts, or null where a person cannot tell; `also` has other
phrases of the passage that a person may mark as well. Texts may differ in case, blanks, Unicode form and the stop at their end.
`answer_language` is that of a translation where it is not the language of the row. `sentence` marks sets of answers to questions
that are mostly whole sentences: which words of such an answer count is often open.
"""

import collections
import re
import unicodedata
from decimal import Decimal
from pathlib import Path

import pytest

from lm_eval_sea.tasks._shared.chat import scores as chat

from ..quick import LANGUAGES
from .evaluation import chat_words, read_json_lines

ANSWERS = read_json_lines(Path(__file__).with_name("labelled_answers.jsonl"))
FEW = [row for row in ANSWERS if row["language"] in LANGUAGES]  # the patterns of a language take a second
NAMES = {"span": "qa"} | {kind: kind for kind in ("letter", "label", "number", "translation", "summary")}
SCORERS = {kind: getattr(chat, f"score_chat_{name}") for kind, name in NAMES.items()}


def read(row):
    """What the chat task of a kind takes from an answer: the `answer` that it logs."""
    language, kind, options = row["language"], row["kind"], row.get("options", [])
    tags = chat_words(language)["tags"]
    scoring = {"answer_tag": tags.get(kind, tags["answer"]), "language": language, "prompt_language": language}
    scoring |= {"answer_language": row.get("answer_language", language), "label_words": options}
    doc = {"scoring": scoring, "gold": 0, "solution": "0", "answers": ["-"], "summary": "-", "target": "-", "translation": "-"}
    doc |= {"question": ""} | {name: row[name] for name in ("passage", "question") if name in row}
    if kind == "letter":
        doc |= {"letters": list("ABCDE"[: len(options)]), "options": options}
    SCORERS[kind](doc, [row["answer"]])
    return doc["answer"]


def agrees(row, answer):
    truth, kind = row["truth"], row["kind"]
    if truth is None or answer is None:
        return truth is None and answer is None
    if kind in ("letter", "label"):
        return answer == (list("ABCDE") if kind == "letter" else row["options"])[truth]
    if kind == "number":
        return Decimal(answer) == Decimal(truth)
    return bare(answer) in map(bare, (truth, *row.get("also", ())))


def bare(text):
    # Thai and Lao am in two parts, which a tone mark may come between
    text = re.sub("([\u0e4d\u0ecd])([\u0e48-\u0e4b\u0ec8-\u0ecb])", r"\2\1", unicodedata.normalize("NFKD", text))
    return " ".join(text.split()).strip(' .。။។"“”').casefold()


def rates(found, by):
    """Key → share of the answers with a truth that are read right, and of all those that are read wrong."""
    groups = collections.defaultdict(list)
    for row, answer in found:
        key = "sentence" if by == "kind" and row.get("sentence") else row[by]
        groups[key].append((row["truth"] is not None, agrees(row, answer), answer is not None))
    return {
        key: (
            sum(right for told, right, _ in rows if told) / sum(told for told, _, _ in rows),
            sum(not right and is_read for _, right, is_read in rows) / len(rows),
        )
        for key, rows in groups.items()
    }


def test_answers_of_every_kind_and_language_are_read_and_hardly_ever_wrong(everything):
    """All of them, which takes a minute, or every ninth of some languages."""
    assert len(ANSWERS) > 10_000
    found = [(row, read(row)) for row in (ANSWERS if everything else FEW[::9])]
    of_kinds, of_languages = rates(found, "kind"), rates(found, "language")
    assert set(of_kinds) == {*SCORERS, "sentence"}
    right, wrong = of_kinds.pop("sentence")
    assert right > (0.8 if everything else 0.7) and wrong < (0.2 if everything else 0.3)
    assert {name: right for name, (right, _) in (of_kinds | of_languages).items() if right < 0.95} == {}
    assert {
        kind: wrong for kind, (_, wrong) in of_kinds.items() if wrong > (0.005 if everything else 0.015)
    } == {}  # of few, some more


def test_no_answer_stops_the_scoring(everything):
    """Half of one answer, and the half of another below it: a text that no one thought of."""
    answers, step = (ANSWERS, 16) if everything else (FEW, 48)
    for row, other in zip(answers[::step], answers[8::step], strict=False):
        half = row["answer"][: len(row["answer"]) // 2]
        for answer in (half, f"{half}\n\n{other['answer'][len(other['answer']) // 2 :]}", "\u104b", "**.**"):
            read(row | {"answer": answer})


LETTERS = {"language": "en", "kind": "letter", "options": ["east", "west", "north"]}
YES_OR_NO = {"language": "id", "kind": "label", "options": ["ya", "tidak"]}
BURMESE = {"language": "my", "kind": "label", "options": ["ဟုတ်", "မဟုတ်"]}
SIGNS = {"language": "id", "kind": "label", "options": ["Tidak", "ya (C++"]}  # which patterns use
PRONOUN = {"language": "id", "kind": "letter", "options": ["Ia pulang lebih awal.", "Ia membeli payung."]}
OO = {"language": "tl", "kind": "label", "options": ["oo", "hindi"]}
DRIES = {"language": "en", "kind": "letter", "options": ["It dries.", "It does not dry."]}
INITIALS = {"language": "ta", "kind": "letter", "options": ["லீ ராஜன்", "எம். குமார்"]}
MOUNTAINS = {"language": "su", "kind": "letter", "options": ["Mount Agung", "Mount Rinjani", "not Agung", "Lake Toba"]}
PARTS = {"Rinjani": "B", "Lake": "D", "Agung": None, "Mount": None}
THAI = {"language": "th", "kind": "span"}
SPAN, NUMBER, SUMMARY = ({"language": "en", "kind": kind} for kind in ("span", "number", "summary"))
REFUSAL = "Maaf, saya tidak bisa menjawab."  # names no label
NAMED = {"letter": LETTERS["options"], "label": ["positive", "negative"]}
# What is told, and the same words where they tell something else: language, kind, answer, what is read.
CROSSINGS = [
    # an answer that is taken back is none; a fact that is not certain is no doubt about the answer
    ("en", "letter", "Answer: A\nMy first answer was wrong.", None),
    ("en", "letter", "Answer: A\nSo my first answer was wrong. The correct answer is C.", "C"),
    ("tl", "letter", "Sagot: A\n\nPaliwanag: Nasa kanluran ito. Kaya mali ang aking unang sagot. Ang tamang sagot ay B.", "B"),
    ("tl", "letter", "Sagot: A\n\nAng west at ang north ay mga pook na hindi tiyak ang hangganan.", "A"),
    # a word in capitals or after a hyphen does not break off
    ("ms", "span", "1.6 bilion dolar AS", "1.6 bilion dolar AS"),
    ("en", "span", "The lake is as deep as", None),
    ("ilo", "span", "Biag ni Lam-ang", "Biag ni Lam-ang"),
    # a loop of one sentence says what the first does; sentences about different things retell the passage
    ("en", "span", "It was Ramon Diaz. It was Ramon Diaz in 1987. It was Ramon Diaz who", "Ramon Diaz"),
    ("en", "span", "The ferry left the harbour at dawn. The ferry was new then. The ferry carried", None),
    # the only line in bold below the words that lead to it, not a heading
    ("th", "span", "ดอยนี้มีความสูง\n**2,565 เมตร**", "2,565 เมตร"),
    # what follows "in short" after words about the article, and not after the summary itself
    ("en", "summary", "This article is about a dam.\n\nIn short, the dam broke on Monday.", "the dam broke on Monday."),
    ("en", "summary", "The dam broke on Monday.\n\nThis article says why it broke.", "The dam broke on Monday."),
    ("en", "summary", "The dam broke on Monday.\n\nIts owner is on trial.", "The dam broke on Monday.\n\nIts owner is on trial."),
    # a list under a heading, and words of the text with what they mean
    ("vi", "summary", "Tóm tắt: Đập vỡ hôm thứ Hai.\n\n**Chi tiết**\n- Ba người chết", "Đập vỡ hôm thứ Hai."),
    ("id", "translation", "Bendungan itu jebol.\n\n- Bendungan - dam\n- jebol - broke", "Bendungan itu jebol."),
    ("id", "translation", "Harga beras naik.\n- Harga telur turun.", "Harga beras naik.\n- Harga telur turun."),
    # asking back is no answer; what speaks of a question may be one
    ("ms", "span", "Maaf, saya tidak memahami soalan ini. Boleh anda hantar semula soalan itu?", None),
    ("ms", "span", "Jawapan: kerana murid tidak memahami soalan itu", "kerana murid tidak memahami soalan itu"),
    ("ms", "span", "soalan tentang cukai", "soalan tentang cukai"),
    ("vi", "span", "Tôi chưa hiểu rõ câu hỏi. Bạn vui lòng nói rõ hơn được không?", None),
    ("vi", "span", "Đáp án: học sinh không hiểu câu hỏi", "học sinh không hiểu câu hỏi"),
    ("lo", "span", "ຂໍອະໄພ, ຂ້ອຍບໍ່ເຂົ້າໃຈຄຳຖາມນີ້. ກະລຸນາສົ່ງຄຳຖາມອີກຄັ້ງ.", None),
    ("lo", "span", "ຄຳຕອບ: ຍ້ອນບໍ່ເຂົ້າໃຈຄຳຖາມ", "ຍ້ອນບໍ່ເຂົ້າໃຈຄຳຖາມ"),
    ("my", "span", "မေးခွန်းကို နားမလည်ပါ။ မေးခွန်းကို ပြန်ပို့ပေးပါ။", None),
    ("my", "span", "အဖြေ: မေးခွန်းကို နားမလည်၍", "မေးခွန်းကို နားမလည်၍"),
    ("ta", "span", "மன்னிக்கவும், கேள்வி புரியவில்லை. மீண்டும் எழுத முடியுமா?", None),
    ("zh", "span", "请问您指的是哪一场战争？", None),
    ("zh", "span", "答案：他没有看到问题", "他没有看到问题"),
    ("tl", "span", "Paumanhin, hindi ko po maintindihan ang tanong. Maaari po bang linawin?", None),
    ("tl", "span", "ang tanong ng guro", "ang tanong ng guro"),
    ("su", "span", "Punten, abdi teu ngartos patarosanana. Mangga kintun deui patarosanana.", None),
    ("en", "span", "I could not find the question. Could you please send it again?", None),
    ("en", "span", "The vendors asked which market the mayor meant.", "The vendors asked which market the mayor meant"),
    ("id", "span", "Maaf, perang mana yang Anda maksud?", None),
    ("ms", "span", "Petikan ini menerangkan sejarah pelabuhan dan rempah. Apakah soalan yang anda ingin saya jawab?", None),
    ("th", "span", "บริบท: ปลาบึกพบเฉพาะในลุ่มแม่น้ำโขง\nคำถาม: ปลาบึกพบที่ใด", None),
    # a sentence that equates what was asked for, and a phrase that has such a verb
    ("id", "span", "Ibu kota Mongolia adalah Ulan Bator.", "Ulan Bator"),
    ("id", "span", "kota yang warganya adalah orang Tionghoa.", "kota yang warganya adalah orang Tionghoa"),
    ("vi", "span", "Trả lời: Dòng sông chảy qua trung tâm Warszawa là sông Vistula.", "sông Vistula"),
    # a phrase that begins with a word that leads to an answer elsewhere, or names a work in quotation marks
    ("th", "span", "การเลือกตั้งทั่วไป", "การเลือกตั้งทั่วไป"),
    ("vi", "span", "Chọn lọc tự nhiên", "Chọn lọc tự nhiên"),
    ("id", "span", 'Buku "Laskar Pelangi"', 'Buku "Laskar Pelangi"'),
    ("en", "span", "1911 is the correct answer.", "1911"),
    # what describes an answer, or says where it stands, behind it
    ("id", "span", "Jawaban: Raden Wijaya, yang mendirikan kerajaan itu pada tahun 1293.", "Raden Wijaya"),
    ("id", "span", "cabang kimia, yang menerapkan mekanika kuantum", "cabang kimia, yang menerapkan mekanika kuantum"),
    ("su", "span", "Jawaban: Gunung Tangkuban Parahu, numutkeun paragraf kahiji.", "Gunung Tangkuban Parahu"),
    # unsure at the end, behind several options; of one it is an answer all the same
    ("en", "letter", "Answer: B\nOn second thought it could be A, too. I am not sure.", None),
    ("en", "letter", "Answer: B\nI am not sure about the date, though.", "B"),
    ("en", "letter", "A is far off and C is too old. I'm not sure, but B fits.\nAnswer: B", "B"),
    ("id", "letter", "Jawaban: B\nBisa juga A. Saya kurang yakin.", None),
    ("id", "letter", "Jawaban: B\nSaya tidak begitu yakin.", "B"),
    ("ms", "letter", "Jawapan: C\nMungkin juga A. Saya tidak pasti.", None),
    ("vi", "letter", "Đáp án: A\nCũng có thể là C. Tôi không chắc.", None),
    ("vi", "letter", "Đáp án: C. Câu A nói về nơi khác, không chắc chắn bằng C.", "C"),
    ("th", "letter", "คำตอบ: B\nแต่ A ก็เป็นไปได้เหมือนกัน ผมไม่แน่ใจ", None),
    ("th", "letter", "คำตอบ: B\nฤดูกาลขึ้นอยู่กับฝน", "B"),
    ("zh", "letter", "答案：B\n也可能是A。我不太确定。", None),
    ("zh", "letter", "答案：B\n产量取决于雨水。", "B"),
    ("km", "letter", "ចម្លើយ៖ B\nប៉ុន្តែ A ក៏អាចត្រូវដែរ។ ខ្ញុំមិនប្រាកដទេ។", None),
    ("jv", "letter", "Wangsulan: B\nBisa uga A. Aku ora yakin.", None),
    ("tl", "letter", "Sagot: B\nPwede ring C. Hindi ako sigurado.", None),
    ("ceb", "letter", "Tubag: B\nPuyde sab A. Dili ko sigurado.", None),
    ("en", "label", "The food is positive and the queue negative. It depends on what you rate.", None),
    ("en", "label", "So the review is negative. It depends on the queue alone.", "negative"),
    # not enough to conclude it; what a line has denied it does not state
    ("en", "label", "The praise is not enough to conclude that it is positive.\n\n=> negative", "negative"),
    ("en", "label", "- positive: 0.2\n- negative: 0.8\n=> negative", "negative"),
    # a thought without marks; users may want something in a text, too
    ("id", "summary", "Pengguna meminta saya merangkum artikel ini. Pertama, saya perlu", None),
    ("id", "summary", "Pengguna meminta harga pulsa turun.", "Pengguna meminta harga pulsa turun."),
    ("th", "summary", "ผู้ใช้ต้องการให้ฉันสรุปข่าว ก่อนอื่นต้องดูว่า", None),
    ("th", "summary", "ผู้ใช้ต้องการให้ราคาลดลง", "ผู้ใช้ต้องการให้ราคาลดลง"),
    ("zh", "summary", "用户希望我概括这篇文章。首先看第一段", None),
    ("zh", "summary", "用户希望降价。", "用户希望降价。"),
    # how long it is
    ("id", "summary", "Jembatan itu ditutup. (3 kata)", "Jembatan itu ditutup."),
    ("id", "summary", "Jaraknya 24 km. (15 mil)", "Jaraknya 24 km. (15 mil)"),
    ("id", "summary", "Jembatan itu ditutup (2019).", "Jembatan itu ditutup (2019)."),
    ("vi", "summary", "Cây cầu đã đóng. (khoảng 4 từ)", "Cây cầu đã đóng."),
    ("my", "summary", "တံတားကို ပိတ်ထားသည်။ (စကားလုံး ၄ လုံး)", "တံတားကို ပိတ်ထားသည်။"),
    # the place of an answer
    ("id", "summary", "Ringkasan: ANSWER\nGanti ANSWER dengan ringkasan artikel", None),
    ("en", "summary", "Summary: Answers came late.", "Answers came late."),
    # a later line goes on from a result, or concludes, or repeats
    ("id", "number", "20 x 3 = 60\nUang 100 ribu dikurangi harga itu menyisakan 40 ribu.", None),
    ("id", "number", "20 x 3 = 60\nJadi 3 buku dengan harga 20 berharga segitu.", "60"),
    ("vi", "number", "20 x 3 = 60\nĐó là giá của 3 quyển.", "60"),
    ("zh", "number", "20×3=60\n第二步，总价是", None),
    # quotation marks
    ("id", "span", "Menurut bacaan itu ia lahir 'di tepi sungai Musi' pada zaman dahulu.", "di tepi sungai Musi"),
    ("en", "span", "The farmers' market and the sailors' inn", "The farmers' market and the sailors' inn"),
    # a gloss in Latin letters
    ("th", "span", "คำตอบ: ยุงลาย (Aedes mosquito)", "ยุงลาย"),
    ("th", "span", "คำตอบ: ยุง (ลาย)", "ยุง (ลาย)"),
    ("id", "span", "Jawaban: Badan Meteorologi (BMKG)", "Badan Meteorologi (BMKG)"),
    # the last line states it
    ("vi", "span", "Đoạn văn nêu hai năm.\nNăm 1953 là năm lập hội.\nVậy đáp án đúng là 1956.", "1956"),
    ("id", "span", "1956\nJawaban ini ada di kalimat kedua bacaan tersebut.", "1956"),
    # it breaks off, or ends with a label
    ("en", "letter", "East is where the sun rises and west is where it sets. The wind came from the cold north because", None),
    ("en", "letter", "The sun sets there, as the second line of the passage says in so many words. My choice: option A", "A"),
    # what the prompt says of the answer
    ("ms", "span", "Jawapan: frasa pendek yang disalin daripada teks", None),
    ("th", "span", "คำตอบ: X คือวลีสั้น ๆ ที่คัดมาจากเนื้อความ", None),
    ("en", "span", "Answer: a short phrase from the text", None),
    ("zh", "translation", "译文：X 是译文。", None),
    ("en", "span", "Answer: a short phrase that he learnt in the market", "a short phrase that he learnt in the market"),
    ("id", "span", "Jawaban: teks", "teks"),
    # a promise, and the same words in a text
    ("id", "translation", "Tentu! Saya akan menerjemahkan teks tersebut.", None),
    ("zh", "summary", "好的，我来为这篇文章写一个摘要。首先，我需要找出", None),
    ("en", "summary", "I will first analyse the structure of the article, looking at the", None),
    ("id", "translation", "Terjemahan: Saya akan menerjemahkan buku itu.", "Saya akan menerjemahkan buku itu."),
    ("vi", "translation", "Tôi sẽ giải thích câu chuyện này.", "Tôi sẽ giải thích câu chuyện này."),
    # asking for the text
    ("id", "translation", "Terjemahan: Mohon berikan teks yang ingin diterjemahkan.", None),
    ("id", "translation", "Terjemahan: Mohon kirim teks itu kepada guru.", "Mohon kirim teks itu kepada guru."),
    ("en", "summary", "```\n```\nI'm sorry, but the article appears to be empty.", None),
    ("en", "translation", "I'm sorry, the bus is empty.", "I'm sorry, the bus is empty."),
    # all options, or one of them
    ("en", "letter", "Answer: A: east\nB: west\nC: north", None),
    ("en", "letter", "Answer: A: east\nB: west\nC: north\nThe right answer is C.", "C"),
    ("en", "letter", "Answer: A: east\nB is west, where the sun sets.", "A"),
    ("ms", "letter", "Jawapan: X = B", "B"),
    # a further row
    ("en", "label", "Answer: negative\n\nMessage: I love it.\nAnswer: positive", "negative"),
    ("en", "label", "Answer: negative\nView: Fine.\nAnswer: positive\nView: Good.\nAnswer: positive", "negative"),
    ("en", "label", "Answer: negative\n\nCorrection: the last line praises it.\nAnswer: positive", "positive"),
    ("en", "label", "It is mostly positive, with only one negative remark on the queue.", "positive"),
    ("en", "label", "It cannot be positive, leaving only negative.", "negative"),
    # a step without its number, and a share
    ("th", "number", "1. วันแรกอ่าน 20 หน้า\n2. วันที่สองอ่าน 20 + 5 = 25 หน้า\n3. วันที่สามอ่าน", None),
    ("en", "number", "1. On day one, 20 pages.\n2. On day two, 20 + 5 = 25 pages.\n3. So she reads twenty-five.", "25"),
    ("lo", "number", "ຄຳຕອບ: 16\n\nສະຫຼຸບ: 40% ຂອງ 40 ແມ່ນ 16.", "16"),
    ("en", "number", "In conclusion, 40% of 40 is 16.", "16"),
    ("jv", "number", "Jawaban: 16\n\nDadi jawabane: 40% saka 40 iku 16.", "16"),
    ("en", "number", "Answer: 5\n\nConclusion: 7 of the boys are left, not 5.", "7"),
    # a quoted answer and its reason
    ("lo", "span", 'ຄຳຕອບ: "ເຈົ້າຟ້າງຸ່ມ" ເພາະວ່າບົດອ່ານກ່າວວ່າເພິ່ນເປັນຜູ້ຮວບຮວມອານາຈັກລ້ານຊ້າງ.', "ເຈົ້າຟ້າງຸ່ມ"),
    ("en", "span", 'Answer: the "Diponegoro" because of the war', 'the "Diponegoro" because of the war'),
    # notes below a translation, or versions of it
    ("ta", "translation", 'அது பாதுகாப்பானது.\n\n**குறிப்புகள்**\n1. "it" – அது\n2. "safe" – பாதுகாப்பானது (பெயரடை)', "அது பாதுகாப்பானது."),
    ("id", "translation", "1. Vaksin itu aman. (formal)\n2. Vaksinnya aman, kok. (santai)", "Vaksin itu aman."),
    # the tag at the end wins
    ("vi", "span", "Suy luận: Có hai người:\n- Lý Bạch\n- Đỗ Phủ\n\nCâu hỏi: ai là bạn?\n\nTrả lời: Đỗ Phủ", "Đỗ Phủ"),
    # a number that breaks off in a sentence
    ("my", "number", "ကျောင်းသား 24 ယောက် ရှိသည်။ အုပ်စုတစ်ခုလျှင် 6 ယောက်ဖြစ်သဖြင့် စုစုပေါင်းကို", None),
    ("zh", "number", "全班共有48人。四分之一参加合唱团，篮球队的人数是合唱团人数的", None),
    ("th", "number", "มีชาย 24 คน กลุ่มละ 6 คน นำจำนวนทั้งหมดหารด้วย", None),
    ("th", "number", "มีทั้งหมด 12 คน", "12"),
    # the number that adds up what equations give, and one that takes it apart
    ("en", "number", "So that is 3 × 18 = 54 plus 2 × 9 = 18, giving 72 books.", "72"),
    ("en", "number", "12 × 5 = 60 pens, of which 20 are red and 40 blue.", "60"),
    ("id", "number", "Jadi sisanya 100 - 40 = 60 butir, karena 40 dari 100 butir sudah dijual.", "60"),
    ("en", "number", "100 - 75 = 25. She paid 100 for goods worth 75.", None),
    ("vi", "number", "Vậy cả ba ngày là 3 × 6 = 18 giờ trong 2 tuần.", "18"),
    ("su", "number", "Harga 4 buku nyaéta 4 x Rp5.000 = Rp20.000. Mayar Rp50.000, pamulangan Rp30.000.", "30000"),
    # a comma between thousands in a language of decimal commas, and a large unit behind a year or a linker
    ("jv", "number", "12 × 450 = 5,400 kg\n\nDadi asile ana 5.400 kg utawa 5,4 ton.", "5400"),
    ("vi", "number", "Đáp án: 1,125 km", "1.125"),
    ("id", "number", "Jadi pendapatan pada tahun 2023 adalah 2,4 juta.", "2400000.0"),
    ("en", "number", "So 12 of the pens are red and 5 are blue.", None),
    ("ceb", "number", "Tubag: 2.4 ka milyon", "2400000.0"),
    ("ceb", "number", "Tubag: 3 ka libro", "3"),
    ("th", "number", "คำตอบ: 2 พันล้านบาท", "2000000000"),
    ("ta", "number", "விடை: ரூ.500", "500"),
    # working that goes round, a check, and asking back
    ("th", "number", "x + y = 40\n40 - y + y = 40\n40 = 40", None),
    ("ilo", "number", "Ti sabali ket 19 - 12 = 7.\n\nPanangsukimat: 12 + 7 = 19.", "7"),
    ("zh", "number", "每行有9棵树。请告诉我一共有几行。", None),
    ("vi", "number", "9 × 4 = 36\nVậy có 36 cây. Vui lòng cho tôi biết nếu cần thêm.", "36"),
    ("en", "number", "It is 5 × 8 = 40. The baker could not say which of the boxes was full.", "40"),
    ("en", "number", "There are 9 rows. Please tell me how many trees each row has.", None),
    ("id", "number", "9 × 4 = 36. Silakan beri tahu saya jika ada yang kurang jelas.", "36"),
    ("zh", "letter", "选项B正确，因为太阳在那里落下。选项A错误。如果还有问题，请告诉我。", "B"),
    ("en", "number", "If they do, the total is $69; if not, the total is $60. I can't say which one is right.", None),
    # the better of two versions, and one more
    ("tl", "translation", "Unang salin: Umalis na.\n\nMatigas ito. Mas natural na salin: Nakaalis na siya.", "Nakaalis na siya."),
    ("tl", "translation", "Salin: Umalis siya.\n\nMas natural na salin: Nakaalis na siya.", "Umalis siya."),
    ("vi", "translation", "1. Anh ấy thà đi bộ.\n2. Anh ấy chọn đi bộ về.\n\nMình đề xuất bản 2.", "Anh ấy chọn đi bộ về."),
    ("id", "translation", "1. Cuci beras.\n2. Rebus air.\n\nCatatan: 2 kalimat.", "1. Cuci beras.\n2. Rebus air."),
    ("en", "translation", "1. Cook it.\n2. Rest it.\n\nBest within 2 hours.", "1. Cook it.\n2. Rest it.\n\nBest within 2 hours."),
    ("id", "summary", "- Laga usai. Hasil akhir: seri.\n- Pelatih puas.", "- Laga usai. Hasil akhir: seri.\n- Pelatih puas."),
    ("th", "translation", "เธอเปิดประตู\n\nThoe poet pratu\n\nคำศัพท์:\n- poet = open", "เธอเปิดประตู"),
    ("en", "translation", "I can offer a translation, but the sentence is ambiguous: is it a river bank or a lender?", None),
    ("en", "translation", "My translation: Do you know which text is ambiguous?", "Do you know which text is ambiguous?"),
    # a word for a number in polite words
    ("jv", "number", "Nuwun sewu, kula boten saged ngetang soal punika amargi angkanipun boten jangkep.", None),
    ("jv", "number", "Nuwun sewu, kula nembe sinau.", None),
    ("jv", "number", "Wangsulan: sewu", "1000"),
    ("su", "span", "Hapunten, abdi henteu mendakan waleranana dina téks. Naha tiasa dipasihan téks anu sanés?", None),
    ("su", "span", "Waleran: henteu mendakan cai", "henteu mendakan cai"),
    ("ta", "span", "மன்னிக்கவும், பத்தியில் விடை கிடைக்கவில்லை.", None),
    # what will be done
    ("my", "span", "စာပိုဒ်ကို ဖတ်ပြီး မေးခွန်းကို ဖြေပေးပါမယ်။", None),
    ("vi", "span", "Tôi sẽ đọc đoạn văn và trả lời câu hỏi.", None),
    ("en", "span", "Let's see, the passage names Paris.", "Let's see, the passage names Paris"),
    ("vi", "summary", "Tôi sẽ đọc kỹ văn bản và tóm tắt nội dung chính bằng một câu ngắn gọn.", None),
    ("vi", "translation", "Tôi sẽ đọc cuốn sách ấy.", "Tôi sẽ đọc cuốn sách ấy."),
    ("su", "translation", 'Mangga, ieu kalimahna:\n\n"Harga beras naik lagi."\n\nAbdi bakal narjamahkeun kalimah ieu.', None),
    ("en", "translation", 'Here is the translation:\n\n"Rice rose."\n\nI can translate other sentences, too.', "Rice rose."),
    # several behind a tag, and which of them is wanted
    ("my", "letter", "အဖြေ: A B C", None),
    ("en", "letter", "Answer: A B C\n\nThe correct answer is B.", "B"),
    ("km", "letter", "ចម្លើយ៖ **A** (east) ឬ **C** (north) ទាំងពីរត្រូវបានលើកឡើង។", None),
    ("en", "letter", "Answer: B (west), not C (north)", "B"),
    ("id", "letter", "Jawaban: A atau B\n\nPilihan akhir: B", "B"),
    ("zh", "label", "答案：positive、negative\n\n从整体来看，因此最终选择：negative", "negative"),
    ("en", "label", "It may be positive, for the food, or negative. Which one would you like me to choose?", None),
    ("vi", "label", "Đây là negative, không phải positive. Bạn muốn tôi giải thích thêm không?", "negative"),
    ("jv", "translation", "Ngoko: Aku ora lunga.\nKrama: Kula boten kesah.\n\nSampeyan kersane nganggo ragam sing endi?", None),
    ("jv", "translation", "Ngoko: Aku ora lunga.\nKrama: Kula boten kesah.", "Aku ora lunga."),
    # which is counted
    ("tl", "letter", "Kaya ang pinakatamang sagot ay ang ikalawa.", "B"),
    ("my", "letter", "ထို့ကြောင့် ဒုတိယအချက်သည် မှန်ကန်သော အဖြေ ဖြစ်ပါသည်။", "B"),
    ("id", "letter", "Jadi, jawaban yang paling tepat adalah yang kedua.", "B"),
    ("ms", "letter", "Petikan tidak mencukupi untuk memilih satu sahaja.", None),
    ("en", "letter", "The answer is in the second sentence.", None),
    # the phrase in bold type of a sentence
    ("vi", "span", "Câu trả lời: Sách được in tại **Roma** vào năm 1651.", "Roma"),
    ("en", "span", "Answer: the **1911** revolution", "the 1911 revolution"),
    ("vi", "span", 'Theo bối cảnh: "Robusta, vị đắng, chiếm phần lớn".\n\n=> Giống cà phê là: **robusta**', "robusta"),
    # what one may think at first is no answer; what was so at first may be one
    ("th", "letter", "ตอนแรกอาจคิดว่าเป็นข้อ A เพราะมีตะวัน แต่ลมหนาวมาจากอีกทางหนึ่ง", None),
    ("id", "letter", "Awalnya saya kira jawabannya A, tetapi angin dingin datang dari arah lain.", None),
    ("zh", "letter", "乍一看应选A，但冷风来自别的方向。", None),
    ("en", "letter", "At first it seems to be east, but the cold wind came from the north.", "C"),
    ("id", "letter", "Menurut bacaan, awalnya angin datang dari sana, jadi jawabannya A.", "A"),
    ("en", "label", "The critic, who at first seemed unhappy, is positive.", "positive"),
    # which of two options it is cannot be told, but another is
    ("en", "letter", "The text names no wind. So one cannot tell whether it is east or west.", None),
    ("en", "letter", "So it is north. It is hard to say whether east or west came later.", "C"),
    # a further sentence
    ("lo", "letter", "The more plausible side is option B. The sun sets there.", "B"),
    ("zh", "letter", "更合理的方向是选项B。太阳在那里落下。", "B"),
    ("en", "letter", "The first thing to check for the most likely side is option A. If the sun sets there, fine.", None),
    ("en", "letter", "Option B is right. In A the sentence is ambiguous.", "B"),
    ("en", "letter", "What is not right is option B. The sun sets there.", None),
    ("en", "letter", "What may look right is option A. However, the sun sets elsewhere.", None),
    # the conclusion ends with "is" and an option
    ("en", "letter", "The wind came from the north. So the side on which the sun sets in this story is the west.", "B"),
    ("en", "letter", "The wind came from the north. So the side on which the sun sets in this story is far from the west.", None),
    # an arrow on the last line points at the answer; a mapping, a chain and an order of options do not
    ("su", "letter", "Lianna:\n- east: laut\n- north: pasir\n\n➡️ **B. west**", "B"),
    ("vi", "letter", 'Thoạt nhìn có thể chọn "east" (A), nhưng nắng tắt ở đây.\n\nTóm lại: west → B.', "B"),
    ("zh", "label", "用词很亲切。\n\n判断结果 ⇒ positive\n\n（如果下雨，那么就是 negative。）", "positive"),
    ("en", "letter", "The sun rises there → A\nThe sun sets there → B", None),
    ("en", "letter", "The order of the wind is:\nA → C → B", None),
    ("en", "letter", "The correct answer is **C. north**.\n\neast => A", "C"),
    ("en", "letter", "If it rises → A\nIf it sets → B", None),
    # another question with options of its own, and the same options once more
    ("vi", "letter", "Đáp án: **(B)** – west\n\nCâu tiếp theo: Ai là tác giả?\nA. Nam\nB. Lan\nC. Minh\nĐáp án: A", "B"),
    ("jv", "letter", "Papan surup: west\nPilihan: B\n\n---\nPitakon: Sapa mlayu …\nA. Anto B. Adi C. Ida\nWangsulan: C", "B"),
    ("zh", "letter", "答案：B。west\n【题目】太阳从哪里升起？\nA. east B. west C. north\n答案：A。east", "B"),
    ("en", "letter", "Answer: B\n\nOnce more, where does the sun rise?\nA. east\nB. west\nC. north\nAnswer: A", "A"),
    ("en", "letter", "Answer: B\n\nLet me check each:\nA. the sun rises there\nB. nothing\nC. it is cold\nAnswer: A", "A"),
    # a list of all options, and an option that is named below it; the list again
    ("ilo", "letter", "Pagpilian:\n1. East – baybay\n2. West – daga\n3. North – bantay\n\nWest laeng ngarud ti lumnek.", "B"),
    ("en", "letter", "1. East - sea\n2. West - land\n3. North - hills\n\nNot the west alone keeps the sun.", None),
    ("en", "letter", "1. East - sea\n2. West - land\n3. North - hills\n\nThe west and the north keep the sun.", None),
    ("my", "letter", "မေးခွန်းကို ဖြေပါ။\nA. east\nB. west\nC. north\nမေးခွန်းကို ဖြေပါ။\nA. east\nB. west\nC.", None),
    ("my", "letter", "A. east\nB. west\nC. north\nနေဝင်ရာ အရပ်ဖြစ်သည်။\nB. west", "B"),
    # "so this, not that"; two letters that are both possible; a letter beside what is denied
    ("tl", "letter", "Mula east ang hangin. Samakatuwid, west ang panig, hindi north.", "B"),
    ("tl", "letter", "Maaaring east, ngunit tila north na. Pareho pong may batayan ang B at C.", None),
    ("lo", "letter", "ຕາເວັນຕົກຢູ່ທາງ west ຂອງເມືອງ. ສ່ວນ east (A) ບໍ່ແມ່ນບ່ອນນັ້ນ.", None),
    ("th", "letter", "ทิศนั้นคือ west มีทุ่งนา ส่วน east มีทะเล", "B"),
    ("th", "letter", "ทิศนั้นคือ west และ east มีทะเล", None),
    # a label below a heading of any words, one for each of several parts, and a label with a gloss
    ("th", "label", "ความคิดเห็น: ห้องสะอาด\nผลการวิเคราะห์: positive\nเหตุผล: แขกพอใจ", "positive"),
    ("en", "label", "Food: positive\nPrice: negative\nOverall: hard to say", None),
    ("su", "label", "Hartina béda.\n\nLabel: negative (contradiction)", "negative"),
    ("su", "label", "Hartina béda.\n\nLabel: negative (lain positive)", "negative"),
    # letters that are offered, and options that are gone through below a heading
    ("id", "letter", "Mohon kirim soalnya supaya saya bisa memilih di antara A, B, atau C dengan benar.", None),
    ("id", "letter", "Di antara A, B, atau C, yang benar adalah B.", "B"),
    ("vi", "letter", "Xét từng đáp án:\nA. east: sai hướng.\nB. west: mặt trời lặn → đúng.\nC. north: lạnh.", "B"),
    # the version that the last paragraph calls the best, and alternatives below a text
    ("zh", "translation", "直译：雨来了。\n意译：雨季到了。\n\n推荐使用意译。", "雨季到了。"),
    ("zh", "translation", "直译：雨来了。\n意译：雨季到了。\n\n两种都可以。", "雨来了。"),
    ("en", "translation", "1. **Neutral:** It is so.\n2. **Casual:** It's so.\n3. **Formal:** It remains so.", "It is so."),
    ("en", "translation", "It is so.\n\nOther ways to put it:\n1. It's so. (casual)\n2. It remains so. (formal)", "It is so."),
    # a result in two units, and a step that goes on from a result
    ("en", "number", "1.5 / 6 = 0.25\n\nEach glass holds 0.25 litres (250 ml) of juice.", "0.25"),
    ("en", "number", "12 x 5 = 60\nOf the 60 pens, 20 are given away.", None),
    # the sign typed for a Khmer colon at the end of a word
    ("km", "span", "ចម្លើយ៖ ធម្មៈ", "ធម្មៈ"),
    # the prompt again
    ("th", "span", "บริบท: คลองยาว 80 กิโลเมตร\nคำถาม: คลองเปิดใช้เมื่อใด\nคำตอบ:", None),
    ("th", "span", "บริบท: คลองยาว 80 กิโลเมตร\nคำถาม: คลองเปิดใช้เมื่อใด\nคำตอบ: 1914", "1914"),
    # it starts over and breaks off; a line that is shorter than another
    ("th", "number", "45 ÷ 9 = 5\nตอบ 5 ผล\n45 ÷ 9 = 5\nตอบ 5 ผล\n45 ÷ 9 =", "5"),
    ("ta", "number", "கூட்டுத்தொகை 4+8 = 12. சராசரி = 12/2 = 6. ஆகவே சராசரி 6 ஆகும்.\nகூட்டுத்தொகை 4+8 = 12. சராசரி =", "6"),
    ("en", "number", "4 + 8 = 12\n12 / 2 =", None),
    ("zh", "translation", "译文：他来了。\n解析：这句话的意思是他来了。\n译文：他来了。\n解析：这句话", "他来了。"),
    ("en", "translation", "The boats came\nThe boats", "The boats came\nThe boats"),
    ("en", "summary", "Summary: Rice rose. Fuel fell.\n\nSummary: Rice rose.", "Rice rose."),
    ("en", "letter", "B. west\nC. north\n\nB", "B"),
    # the question behind a result; an offer
    ("id", "number", "12/80 = 0,15\n\nKenaikannya 15 persen. Apakah soalnya memakai harga awal Rp80?", "15"),
    ("en", "number", "20 - 5 = 15\n\nI can show 2 other ways. Would you like to see them?", "15"),
    # the last line names a result again, or counts something else
    ("ms", "number", "3x = 27 dan x = 9.\ncuba x = 9 → 20\n\nKedua-dua cara memberikan nilai yang sama, iaitu 9.", "9"),
    ("en", "number", "4 × 9 = 36\nThat pays for all boxes with 9 pens.", "36"),
    # a check without a word for it, and steps with ticks
    ("ceb", "number", "2x + 3 = 21\n2x = 18\nx = 9\n\n2(9) + 3 = 21. Husto!", "9"),
    ("id", "number", "10 - 2 = 8 ✓\n8 + 2 = 10 ✓", "10"),
    ("id", "number", "10 - 2 = 8\n8 + 4 = 12 ✓", "12"),
    # the answer before its working or reason, and what is given
    ("tl", "number", "Magbabayad siya ng 35.\n\nPaano nakuha:\n- 5 × 5 = 25\n- 2 × 5 = 10\n\nKung 50, 15 ang sukli.", "35"),
    ("tl", "number", "May 60 na mag-aaral.\n\nSolusyon:\n60 ÷ 3 = 20\n60 - 20 = 40 na mag-aaral", "40"),
    ("zh", "number", "一共有128个苹果。计算过程：每箱16个，8箱就是16×8。如果卖掉28个，还会剩100个。", "128"),
    ("lo", "number", "ມີໄກ່ 14 ໂຕ ເພາະວ່າ 20 - 6 = 14. ຖ້າລວມເປັດອີກ 6 ໂຕ ກໍຈະເປັນ 20 ໂຕ.", "14"),
    ("id", "number", "Ada 20 kelereng, karena 15 + 5 = 20. Ia memberi 8 kepada Ani. 20 - 8 = 12.", "12"),
    # three numbers, of which the last is the result of the others
    ("ceb", "number", "Kung ang usa ka kilo tag-150 pesos ug nagpalit og 3 ka kilo, mobayad siya og 450 pesos.", "450"),
    ("lo", "number", "ລາຄາ 20.000 ກີບ ຫຼຸດ 20% ແມ່ນຫຼຸດ 4.000 ກີບ.", "4000"),
    ("en", "number", "There are 3 boxes with 20 pens, 45 of them blue.", None),
    ("en", "number", "Of the 60 pens 20 are red and 40 are blue.", None),
    # it breaks off, or another exercise follows
    ("zh", "number", "甲队合作 4 天完成 4 × (1/12 + 1/18) = 5/9，剩下", None),
    ("vi", "number", "Đáp án: 112,5 km\nBài tiếp theo: Xe máy đi 30 km/h trong 2 giờ. Đáp án: 60", "112.5"),
    ("tl", "number", "Sagot: 12\nSusunod na tanong: Ilan ang 3 + 4?\nSagot: 7", "12"),
    # what only announces a summary, and the words before one
    ("th", "summary", "บทความนี้พูดถึงฝุ่น ซึ่งผมจะสรุปในประโยคเดียว ดังนี้", None),
    ("th", "summary", "กรมประกาศมาตรการลดฝุ่น ดังนี้", "กรมประกาศมาตรการลดฝุ่น ดังนี้"),
    ("id", "summary", "Artikel ini membahas jembatan.\n\nJika diringkas: Jembatan itu ditutup.", "Jembatan itu ditutup."),
    ("ilo", "summary", "Ti kangrunaan a punto ti artikulo: nairikep ti rangtay.", "nairikep ti rangtay."),
    ("id", "summary", "Dalam satu kalimat, jembatan itu ditutup.", "jembatan itu ditutup."),
    ("id", "summary", "Dalam satu kalimat ia menolak, lalu pergi.", "Dalam satu kalimat ia menolak, lalu pergi."),
    # the same in other languages
    ("id", "summary", "Ringkasan: Jembatan ditutup.\n\nRingkasan (Inggris): Closed.\nRingkasan (Thai): ปิด", "Jembatan ditutup."),
    ("id", "translation", "Terjemahan (Inggris): It closed.\nTerjemahan (Indonesia): Jembatan ditutup.", "Jembatan ditutup."),
    ("my", "summary", "Summary: တံတားကို ပိတ်ထားသည်။\nThe bridge was closed.\n桥关了。", "တံတားကို ပိတ်ထားသည်။"),
    ("th", "translation", "เขาอ่านหนังสือชื่อ\n三国", "เขาอ่านหนังสือชื่อ\n三国"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "answer", "found"),
    [
        *(({"language": code, "kind": kind, "options": NAMED.get(kind, [])}, text, told) for code, kind, text, told in CROSSINGS),
        # a frame within other tags
        *(
            (LETTERS, text, "B")
            for text in ("<br>B or C?<br><answer>B</answer>", "<p><Answer>B</answer></p>", "<ANSWER>B</ANSWER>")
        ),
        (BURMESE, "**အဖြေ: မဟုတ်**\n\nစာပိုဒ်အရ ဒေါ်မြသည် ဆရာမဖြစ်ပြီး ဆရာဝန်မဟုတ်ပါ။", "မဟုတ်"),
        (THAI, "คำตอบ: ดัลลัส (Dallas)", "ดัลลัส"),
        (THAI | {"passage": "เขาเกิดที่ ดัลลัส (Dallas) ในปี 1950"}, "คำตอบ: ดัลลัส (Dallas)", "ดัลลัส (Dallas)"),
        (PRONOUN, "Akibat yang paling masuk akal adalah dia membeli payung.", "B"),
        (LETTERS, "Answer: A\n\nThe text says north, so A is wrong.\n\nThe correct answer is: C", "C"),
        (SUMMARY, "Summary: X, where X is the summary of the article.", None),
        # part of an option behind a tag
        *((MOUNTAINS, f"1. Mount Agung\n2. Lake Toba\n\nWaleran: {part}", found) for part, found in PARTS.items()),
        # a quoted question in a statement, a label that denies, a reason that denies
        (YES_OR_NO, 'Jadi, jawaban atas pertanyaan "Apakah kapal itu tenggelam pada Mei?" adalah tidak.', "tidak"),
        (YES_OR_NO, 'Teks menjawab pertanyaan "Apakah kapal itu tenggelam, ya atau tidak?" di baris pertama.', None),
        (OO, "Walang barkong lumubog. Samakatuwid, hindi ang sagot sa tanong kung lumubog ito.", "hindi"),
        (DRIES, "B – It does not dry, because it is not warm.", "B"),
        (DRIES, "A. It dries, but not today.", None),
        (INITIALS, "பாடலை எழுதியவர் எம். குமார். அதைத் திருத்தியவர் லீ ராஜன் ஆவார்.", None),
        # texts without end, in which the time would grow with the square of the length
        (LETTERS, "It is east or west, I am not sure. " * 2_000 + "So the answer is north.", "C"),
        (LETTERS, "A " * 20_000 + "So the answer is north.", "C"),
        (LETTERS, "--->" * 10_000 + "\nAnswer: C", "C"),
        (LETTERS, "Answer: C\n" * 20_000, "C"),
        (LETTERS, "The answer is C.\n" + "User: hi\n" * 8_000, "C"),
        (LETTERS, "Answer: C" + "<|im_end|> " * 8_000 + "x", "C"),
        pytest.param(LETTERS, "Answer: C" + "<|im_end|> " * 20_000 + "x", "C", marks=pytest.mark.slow),
        (SIGNS, REFUSAL, None),
        (SIGNS, "Jawaban: ya (C++", "ya (C++"),
        (YES_OR_NO, "saya tidak bisa", None),
        (YES_OR_NO, f"{REFUSAL} Silakan bertanya yang lain.", None),
        (YES_OR_NO, "Tidak, karena hujan.", "tidak"),
        (YES_OR_NO, f"{REFUSAL} Jawaban: ya", "ya"),
        (YES_OR_NO, "tidak", "tidak"),
        (SPAN, "The text names two towns.\nOne is older.\n\nSo the older town is **Ubud**.", "Ubud"),
        (SPAN, "Answer: X = 1911", "1911"),
        (SPAN, "The mill closed after the flood.\n\nSo the answer is 1911.", "1911"),
        (SPAN, "The mill closed in 1911.\n\nThe answer is in the second sentence of the passage.", "The mill closed in 1911"),
        (SPAN, "1911 is the correct answer.\n\nThe text says so.", "1911"),
        (SPAN, "My answer: 1911.", "1911"),
        (NUMBER, "15 is the correct answer.\n\nThe text says so.", "15"),
        (NUMBER, "The answer is -12.", "-12"),
        (SPAN, "Answer: in May 1911\n\nAnswer: in May 1911\n\nAnswer: in M", "in May 1911"),
        (SPAN, "Passage: It was built in 1911. Question: When was it built", None),
        (NUMBER, "20 - 5 = 15\n\nAnswer: Korn is fifteen years old.", "15"),
        (SUMMARY, "The user wants a summary. The article is about a bridge", None),
        (SUMMARY, 'Summarise the article.\n\nReply only in the form "Summary: X", where X is the summary.', None),
    ],
)
def test_single_answers(row, answer, found):
    assert read(row | {"answer": answer}) == found


# What is asked → the right answer and another one.
ASKED = {
    "letter": (LETTERS, "B", "A"),
    "number": ({"language": "en", "kind": "number"}, "5", "3"),
    "span": ({"language": "en", "kind": "span"}, "Paris", "Rome"),
}
FRAMED = [
    "First try: \\boxed{{{other}}}. Wait, that is wrong.\n\nAnswer: {right}",
    'The text gives {{"answer": "{other}"}} at first sight.\n\nAnswer: {right}',
    "Draft: <answer>{other}</answer>. On reflection that is wrong.\n\nAnswer: {right}",
    "<option>{other}</option> is wrong because of the heat.\n\nAnswer: {right}",
    "<quote>{other}</quote>\nAnswer: {right}",
    "<analysis>The answer is {other} at first sight.</analysis>\nAnswer: {right}",
    "<reason>The answer is {other}.</reason>\n<answer>{right}</answer>",
    "Answer: {right}\n\n(It never mentions <option>{other}</option>.)",
    "Answer: \\boxed{{{right}}}",
    "Answer:\n<option>{right}</option>",
    "Answer: {other}\n\nNo, that is wrong.\n\n\\boxed{{{right}}}",
    '{{"answer": "{other}"}}\n\n{{"answer": "{right}"}}',
    "<response>It may be either.\nAnswer: {right}</response>",
    "<jawaban>{right}</jawaban>\n<alasan>The text says so.</alasan>",
    "\\boxed{{{right}}}\n\nQuestion: What else?\nAnswer: {other}",
    "<answer>{right}" + "<answer>" * 2_000,
    '{{"answer": "{right}"}}' + '{{"answer": ' * 20_000,
]


@pytest.mark.parametrize("kind", ASKED)
def test_of_frames_and_answer_tags_the_last_counts(kind):
    row, right, other = ASKED[kind]
    for text in FRAMED:
        assert read(row | {"answer": text.format(right=right, other=other)}) == right, text[:40]
