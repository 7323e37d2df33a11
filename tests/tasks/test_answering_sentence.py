"""A sentence in place of a phrase is read as the phrase of the passage, if question and passage tell which one it is."""

import re
from pathlib import Path

import pytest

from lm_eval_sea.tasks._shared.chat.scores import score_chat_qa
from lm_eval_sea.tasks._shared.facts import read_yaml
from lm_eval_sea.tasks._shared.reading.answering_sentence import phrase_of_passage

from ..quick import LANGUAGES, quick_of
from .evaluation import read_json_lines
from .test_labelled_answers import bare, read

TOWERS = "Built in 1998 for an oil company, the twin towers are the work of the architect César Pelli (Cesar)."
DESIGNED, BUILT = "Who designed the twin towers?", "When were the twin towers built?"
SILK = "ผ้าไหมแพรวาเป็นผ้าทอของชาวผู้ไทยในจังหวัดกาฬสินธุ์ เดิมใช้เป็นผ้าสไบในงานพิธี"
TEMPLE = "Candi ini ditemukan lagi pada tahun 1814 oleh rombongan Raffles."
FISH = "Karena memangsa ikan setempat, arapaima dilarang pemerintah sejak 2014."
BANNED = "Mengapa pemerintah melarang pemeliharaan ikan arapaima?"
METRO = "Toàn tuyến dài gần 20 km với 14 ga, trong đó ba ga nằm dưới mặt đất."
NOISE = "Âm thanh phát ra từ tàu được chặn bằng tường cao và cây xanh dọc đường ray."
FOUND = "Kapan candi itu ditemukan kembali?"
BOAT, SANK = "Perahu itu karam pada bulan Mei, lalu pada bulan Juli.", "Kapan perahu itu karam?"
POET = "சுப்பிரமணிய பாரதியார் எட்டயபுரத்தில் பிறந்தார். அவருக்கு பாரதி என்ற பட்டத்தை மன்னர் அளித்தார்."
CLOTH = "ក្រណាត់នេះធ្វើពីសូត្រនៅតាកែវ។"
MAGAZINE = "Kinilala siya ng magasing Alab noong 1986."
PROMOTED = "Ông được phong hàm năm 1948 khi 37 tuổi."
LINE = "The line runs from Boten to the capital and was opened in 2021."
SCHOOL = "It was founded by Prof. Tan Mei in 1961."
HALL = "Gedung itu dibiayai pemerintah. Semula ia bernama Balai Kota."
FUNDED = "Siapa yang membiayai gedung itu?"
BRIDGE, SHUT = "Jembatan itu ditutup karena banjir tahun 1973.", "Mengapa jembatan itu ditutup?"
READ = [
    ("en", TOWERS, DESIGNED, "The twin towers were designed by César Pelli.", "César Pelli"),
    ("en", TOWERS, DESIGNED, "César Pelli designed the twin towers.", "César Pelli"),
    ("en", TOWERS, BUILT, "Answer: The twin towers were built in 1998.", "1998"),
    ("id", TEMPLE, FOUND, "Candi itu ditemukan kembali pada tahun 1814.", "1814"),
    ("th", SILK, "ผ้าไหมแพรวาเดิมใช้ทำอะไร", "ผ้าไหมแพรวาเดิมใช้ทำผ้าสไบในงานพิธี", "ผ้าสไบในงานพิธี"),
    ("id", TEMPLE, "Kapan candi itu ditemukan?", "Jawaban: tahun 1814 (year 1814)", "tahun 1814"),
    # the phrase has a word of the question once more, or stands between its words
    ("id", FISH, BANNED, "Pemerintah melarang pemeliharaan ikan arapaima karena ikan ini memangsa ikan setempat.",
     "memangsa ikan setempat"),
    ("vi", METRO, "Có bao nhiêu ga nằm dưới mặt đất?", "Trả lời: Có ba ga nằm dưới mặt đất.", "ba"),
    # what the passage has is no sentence about it, and has its brackets
    ("en", TOWERS, "Whose work are the twin towers?", "the architect César Pelli (Cesar)", "the architect César Pelli (Cesar)"),
    ("en", TOWERS, "What are the twin towers the work of?", "the twin towers are the work of the architect", None),
    # the kind of question chooses among two phrases
    ("id", TEMPLE, FOUND, "Pada tahun 1814 candi itu ditemukan kembali oleh rombongan Raffles.", "1814"),
    ("en", TOWERS, DESIGNED, "The twin towers, which everybody knows and loves, were designed by César Pelli.", "César Pelli"),
    # the first of two phrases of this kind, although the passage has only the other; one that it does not have; a part of a word
    ("id", BOAT, SANK, "Perahu itu karam pada bulan Mei dan bulan Juni, lalu pada bulan Juli.", "bulan Mei dan bulan Juni"),
    ("id", TEMPLE, FOUND, "Candi itu ditemukan kembali pada tahun 1911.", "1911"),
    ("id", TEMPLE, FOUND, "Candi itu ditemukan kembali tahun 18.", None),
    # words of the passage in a sentence of another language, behind a label, before or behind a remark
    ("th", SILK, "ผ้าไหมแพรวาเป็นผ้าทอของใคร", "The silk is woven by ชาวผู้ไทย (the Phu Thai).", "ชาวผู้ไทย"),
    ("id", FISH, "Sejak kapan ikan itu dilarang?", "Year of the ban: 2014", "2014"),
    ("vi", METRO, "Toàn tuyến dài bao nhiêu?", "Toàn tuyến dài gần 20 km. Các ga ngầm thì ồn hơn.", "20 km"),
    ("id", TEMPLE, FOUND, "Terima kasih! Candi itu ditemukan pada tahun 1814. Semoga membantu.", "1814"),
    ("en", TOWERS, DESIGNED, "> The towers are his work.\n\nThe architect was **César Pelli**, from Tucumán.", "César Pelli"),
    ("en", TOWERS, DESIGNED, "- Question: the designer\n- Words: César Pelli", "César Pelli"),
    # a name or a number that the passage does not have goes on behind its words
    ("en", TOWERS, DESIGNED, "the architect Norman Foster", None),
    ("id", TEMPLE, FOUND, "1 Mei 1814", None),
    # a short phrase that is the whole answer stays, in another form than the passage's or wrong
    ("id", TEMPLE, FOUND, "tahun delapan belas empat belas", None),
    ("vi", METRO, "Toàn tuyến dài bao nhiêu?", "hai mươi km", None),
    ("en", TOWERS, DESIGNED, "Philip Pelli", None),
    ("en", TOWERS, BUILT, "According to the passage, it is the late nineties.", "the late nineties"),
    ("en", TOWERS, BUILT, "In 1998. The twin towers are the work of César Pelli.", "In 1998"),
    ("id", TEMPLE, FOUND, "Candi itu ditemukan kembali pada abad lalu.", "abad lalu"),
    # a word that the passage has by chance
    ("th", "ผ้าผืนนี้สวยและทน", "ผ้าผืนนี้มีลักษณะอย่างไร", "ผ้าผืนนี้มีลักษณะนุ่มและเบา", None),
    ("vi", NOISE, "Làm thế nào để giảm tiếng ồn ở các ga lớn?", "Tạo ra các khoảng yên tĩnh ở các ga lớn.", None),
    # words in which a question word stands by chance
    ("ta", POET, "பாரதியார் எங்கு பிறந்தார்?", "பாரதியார் எட்டயபுரத்தில் பிறந்தார்.", "எட்டயபுரத்தில்"),
    ("km", CLOTH, "តើក្រណាត់ធ្វើពីអ្វី?", "ក្រណាត់ធ្វើពីសូត្រ។", "សូត្រ"),
    # the phrase beside the question's words, its noun or its unit; what a clause adds; a title before a name
    ("tl", MAGAZINE, "Anong magasin ang kumilala sa kanya?", "Ang magasing Alab po ang kumilala kay Nena noong 1986.", "Alab"),
    ("zh", "他于1921年创办了集英大学。", "他创办了哪所大学？", "他于1921年创办了集英大学。", "集英大学"),
    ("vi", PROMOTED, "Ông được phong hàm lúc bao nhiêu tuổi?", "Ông được phong hàm năm 1948 khi 37 tuổi theo lời kể.", "37"),
    ("en", LINE, "Where does the line start?", "The line starts at Boten and runs to the capital.", "Boten"),
    ("en", SCHOOL, "Who founded the school?", "The school was founded by Prof. Tan Mei, who taught botany.", "Prof. Tan Mei"),
    ("id", HALL, FUNDED, "Bacaan itu menyebutkan bahwa gedung itu dibiayai oleh pemerintah.", "pemerintah"),
    ("en", LINE, "Where does the line start?", "The line starts at Bo", None),  # cut
    # a name that ends like a function word; a list in another order; a description
    ("vi", "Gỗ lim được chở từ Nghệ An đến.", "Gỗ lim được chở từ đâu đến?", "Gỗ lim được chở từ Nghệ An đến.", "Nghệ An"),
    ("id", "Toko itu menjual kopi tubruk, roti bakar dan teh tarik.", "Apa yang dijual toko itu?",
     "Toko itu menjual roti bakar, kopi tubruk, dan teh tarik.", None),
    ("en", SCHOOL, "Who founded the school?", "Tan Mei, a botanist, founded the school in 1961.", "Tan Mei"),
    # a reason before its effect, a mark behind "the reason is", an article alone, digits of a longer number
    ("id", BRIDGE, SHUT, "Karena banjir tahun 1973, jembatan itu ditutup.", "banjir tahun 1973"),
    ("id", BRIDGE, SHUT, "Alasan jembatan itu ditutup adalah karena banjir tahun 1973.", "banjir tahun 1973"),
    ("my", "တံတားသည် ၄၁၂ မီတာ ရှည်သည်။", "တံတားသည် မည်မျှ ရှည်သနည်း။", "တံတားသည် ၅၀၀ မီတာ ရှည်သည်။", "တံတားသည် ၅၀၀ မီတာ ရှည်သည်"),
    # another question below; quotation marks around words of the question
    ("id", HALL, FUNDED, "Gedung itu dibiayai pemerintah.\n\nPertanyaan: Apa nama semulanya?\nJawaban: Balai Kota", "pemerintah"),
    ("en", LINE, "Where does the line end?", "the capital\n\n## Your task:\nSay when.\n\nAnswer: in 2021", "the capital"),
    ("ta", POET, "அவருக்கு பாரதி என்ற பட்டத்தை அளித்தவர் யார்?", "மன்னர் அவருக்கு 'பாரதி' என்ற பட்டத்தை அளித்தார்.", "மன்னர்"),
    # of two places with a word of the question, the one in the longer run; a name with its noun; a year without "year"; a gloss
    ("vi", "Miễn dịch học là ngành nghiên cứu hệ thống miễn dịch.", "Ngành nào nghiên cứu hệ thống miễn dịch?",
     "Miễn dịch học nghiên cứu hệ thống miễn dịch.", "Miễn dịch học"),
    ("vi", "Ở vùng này, Đảng Xanh mạnh nhất.", "Đảng nào mạnh nhất ở vùng này?", "Đảng Xanh mạnh nhất ở vùng này.", "Đảng Xanh"),
    ("vi", "Bài hát của nhóm Xanh đoạt giải.", "Bài hát của nhóm nào đoạt giải?", "Bài hát của nhóm Xanh đoạt giải.", "Xanh"),
    ("th", "วัดนี้สร้างขึ้นในปี 1870 โดยชาวบ้าน", "วัดนี้สร้างขึ้นเมื่อใด", "วัดนี้สร้างขึ้นในปี 1870", "1870"),
    ("id", "Alat itu dipakai Badan Kota (BK).", "Siapa yang memakai alat itu?", "Alat itu dipakai oleh Badan Kota (BK).",
     "Badan Kota"),
    ("id", "Tari itu lahir dari suku Mori di Palu.", "Dari mana tari itu lahir?", "Tari itu lahir dari suku Mori di Palu.",
     "suku Mori di Palu"),
    # the phrase in the place of the question word, which has a mark of its own
    ("th", "เขามีชื่อเสียงในด้านลูกเล่นในการแสดง", "เขามีชื่อเสียงในด้านใด", "เขามีชื่อเสียงในด้านลูกเล่นในการแสดง", "ลูกเล่นในการแสดง"),
    ("vi", "Nam, Mai và Lan là đội vô địch.", "Ai là đội vô địch?", "Nam, Mai và Lan là đội vô địch.", "Nam, Mai và Lan"),
    # "six years" is not "five"; a fraction is one number
    ("vi", "Cuộc chiến kéo dài sáu năm.", "Cuộc chiến kéo dài bao lâu?", "Cuộc chiến kéo dài sáu năm.", "sáu năm"),
    ("vi", "Dịch giết hai phần ba dân số.", "Dịch giết bao nhiêu dân số?", "Dịch giết hai phần ba dân số.", "hai phần ba"),
    # a list below the words that lead to it; a quoted sentence before the conclusion; what follows a number
    ("id", "Toko itu milik Budi Arta dan Leo Edi.", "Siapa pemilik toko itu?", "Pemilik toko itu:\n1. Budi Arta\n2. Leo Edi",
     "Budi Arta dan Leo Edi"),
    ("en", SCHOOL, "Who founded it?", 'It says: "It was founded by Prof. Tan Mei." So the founder is Tan Mei.', "Tan Mei"),
    ("id", "Batas usia kini 19 tahun, sama dengan laki-laki.", "Berapa batas usia kini?",
     "Batas usia kini adalah 19 tahun, sama dengan laki-laki.", "19"),
    # a day with its year; a name behind what describes it
    ("ceb", "Natawo siya niadtong Abril 18, 1877.", "Kanus-a natawo si Sotto?",
     "Si Sotto natawo niadtong Abril 18, 1877 sa dakbayan sa Sugbo.", "Abril 18, 1877"),
    ("ms", "Tun Perak digantikan oleh adiknya, Tun Putih.", "Siapakah yang menggantikan Tun Perak?",
     "Tun Perak digantikan oleh adiknya, Tun Putih.", "Tun Putih"),
    # Lao words are not cut within a syllable
    ("lo", "ບໍລິສັດເຮືອງກໍ່ຕັ້ງໂດຍ ນາງ ເລືອງ ລິດດັງ.", "ໃຜກໍ່ຕັ້ງບໍລິສັດເຮືອງ?", "ບໍລິສັດເຮືອງກໍ່ຕັ້ງໂດຍ ນາງ ເລືອງ ລິດດັງ.", "ນາງ ເລືອງ ລິດດັງ"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "passage", "question", "answer", "phrase"), READ)
def test_an_answer_that_takes_up_the_question_is_its_phrase(language, passage, question, answer, phrase):
    """None: the answer stays whole."""
    row = {"language": language, "kind": "span", "passage": passage, "question": question, "answer": answer}
    assert read(row) == (answer.rstrip(".") if phrase is None else phrase)


def test_a_reference_is_also_looked_for_around_the_phrase():
    """Of what the question names in part, the phrase is the rest."""
    doc = {
        "passage": "Ở tuổi ba mươi, Nam đoạt cúp vàng VII.",
        "question": "Nam giành cúp vàng nào khi ba mươi tuổi?",
        "answers": ["cúp vàng VII"],
        "scoring": {"answer_tag": "Trả lời:", "language": "vi", "prompt_language": "vi", "answer_language": "vi"},
    }
    scores = score_chat_qa(doc, ["Nam giành cúp vàng VII khi ba mươi tuổi."])
    assert (doc["answer"], scores["exact_match"], scores["contains"]) == ("VII", 0, 1)


SENTENCES = read_yaml(Path(__file__).with_name("phrases_of_passages.yaml"))


@pytest.mark.parametrize("language", quick_of(LANGUAGES, SENTENCES))
def test_the_kind_of_question_and_its_place_tell_the_phrase(language):
    found = [(row, read({"language": language, "kind": "span", **row})) for row in SENTENCES[language]]
    assert [(row, phrase) for row, phrase in found if phrase != row["phrase"]] == []


@pytest.mark.parametrize("name", ["xquad_th", "xquad_vi", "tydiqa_id"])
def test_published_answers_stay_as_they_are(load_tasks, hub_mirror, name):
    [task] = load_tasks(f"sea_{name}", folder=hub_mirror).values()
    language = name.rpartition("_")[2]
    rows = [(row, answer) for row in task.dataset["test"] for answer in row["answers"]]
    found = [phrase_of_passage(answer, row["question"], row["passage"], language) for row, answer in rows]
    assert len(found) > 500 and found == [answer for _, answer in rows]


# Thai and Vietnamese put the question word where the phrase that answers stands in the sentence that repeats the question.
QUESTION_WORDS = {"th": r"ใคร|อะไร|ใด|ไหน", "vi": r"\b(?:[Aa]i|(?:cái )?gì|nào)\b"}


@pytest.mark.parametrize("language", QUESTION_WORDS)
def test_published_references_are_read_in_the_place_of_the_question_word(language, hub_mirror, everything):
    """Most of them exactly, and of hardly any sentence another piece than the reference or a part of it."""
    rows = read_json_lines(hub_mirror / f"google/xquad/data/xquad.{language}/validation.jsonl")
    found = []
    for row in rows if everything else rows[::10]:
        reference, asked = row["answers"]["text"][0], re.findall(QUESTION_WORDS[language], row["question"])
        if len(asked) == 1 and len(reference) < 80 and reference in row["context"]:
            before, after = re.split(QUESTION_WORDS[language], row["question"].rstrip("? "))
            sentence = f"{before}{reference}{after}."
            doc = {"language": language, "kind": "span", "passage": row["context"], "question": row["question"]}
            found.append((bare(reference), bare(read(doc | {"answer": sentence}) or "")))
    assert len(found) > (500 if everything else 50)
    assert sum(said == reference for reference, said in found) > 0.85 * len(found)
    assert sum(reference not in said and said not in reference for reference, said in found) < 0.02 * len(found)
