"""The words that mark a conclusion or a denial in what chat models write, by language: constants.

Each entry is a set of regular expressions, separated by "|". Those of English are read in every language, those of the national
language in the regional languages that have `also` in `answer_phrases.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from .answer_patterns import WORD, known_languages, lead_in_pieces, spellings
from .answer_text import COLON, cue_pattern, plain, words_of_cue


if TYPE_CHECKING:
    from collections.abc import Sequence


# What may stand between two words that lead to an answer, and before the answer.
JOINT = rf"[\])】]?\s*(?:{COLON}|[,\u104a]|[-–—=]+>?|→)?\s*"


@dataclass(frozen=True)
class ConclusionWords:
    """The words of one language.

    Attributes:
        answer: nouns and verbs that make a sentence a statement of the answer: "answer", "I choose".
        option: nouns that may stand before a label in any sentence: "option", "letter".
        lead: what else may lead to a label in a long answer: "in conclusion", "probably", "the sentiment".
        joined: what joins two labels: "or", "and".
        wrong: what says, in the clause with a label, that it is not the answer.
        right: what says that it is.
        no: "not" before the label that is denied: not A …
        but: … and before the one that takes its place: but C.
        yet: what turns from one thought to another: "I thought A, but it is C".
        condition: what makes the clause that it begins no statement: "if".
        preface: how a line begins that introduces an answer and is none: "Here is the translation:".
        work: what was asked for, in the words before a colon: "translation", "summary", the name of the language.
        rendered: verbs that say before a colon what was done: "can be translated as".
        tongue: names of languages, which stand before a colon where the source and its translation are given.
        follows: how a line ends that introduces what follows: "as follows".
        source: the words before a colon and a text that is repeated from the prompt.
        note: how a line begins that comments on an answer, offers more, or gives another: "Note:", "If you need …", "Or:".
        so: what begins the clause of a result: "so", "therefore".
        check: what begins a sentence that goes over a result again: "Check:".
        corrects: what takes an answer back: "Correction:", "I misread".
        left: what stands before the only option that is left: "what remains is".
        asks: what stands before a colon at the beginning of another question that the model makes up: "Question:".
        ordinals: how the first, the second, … option is counted, before or behind the word for an option.
        cardinals: the same behind it only: "option two"; before it they count all options.
        counted: the nouns that are counted so, where some of `option` may also count sentences.
        between: what may stand between such a word and that for an option.
    """

    answer: str = ""
    option: str = ""
    lead: str = ""
    joined: str = ""
    wrong: str = ""
    right: str = ""
    no: str = ""
    but: str = ""
    yet: str = ""
    condition: str = ""
    preface: str = ""
    work: str = ""
    rendered: str = ""
    tongue: str = ""
    follows: str = ""
    source: str = ""
    note: str = ""
    so: str = ""
    check: str = ""
    corrects: str = ""
    left: str = ""
    asks: str = ""
    ordinals: tuple[str, ...] = ()
    cardinals: tuple[str, ...] = ()
    counted: str = ""
    between: str = ""


CONCLUSION_WORDS = {
    "en": ConclusionWords(
        answer="answers?|ans|choose|pick|select|go with|conclusion|(?:label|classify|rate) (?:it|this|that)(?: as)?",
        option="options?|choices?|letter",
        lead=(
            "label(?:led)? (?:it|this)(?: as)?|classif(?:y|ied) (?:it |this )?as|(?:in )?conclusion|probably|"
            "(?:most )?likely|perhaps|maybe|definitely|actually|correction|selected"
            "|ans|but|(?:no,? )?wait|sorry|i mean|(?:we are )?left with|that leaves"
            "|(?:the )?(?:correct |right |final |predicted )?"
            "(?:label|sentiment|category|topic|emotion|class|relationship|classification)"
        ),
        joined="or|and|vs",
        work=(
            "overview|tl;?dr|(?:key|main) (?:points|takeaways|ideas?)"
            "|translation|summary|translated (?:text|version)|result|version|indonesian|thai|english|vietnamese"
            "|malay|tamil|burmese|khmer|lao|javanese|sundanese|tagalog|filipino|chinese|cebuano|ilocano|waray"
        ),
        rendered="translate[sd]?|summari[sz]ed|rendered",
        tongue=(
            "english|indonesian|thai|vietnamese|malay|tamil|burmese|khmer|lao|javanese|sundanese|tagalog|filipino|"
            "chinese|cebuano|ilocano|waray"
        ),
        follows="as follows|below|the following",
        source="original|source|source text|input|english",
        wrong=(
            r"not|isn't|doesn't|cannot|can't|wrong|incorrect|false|neither|unsupported|contradict\w*|irrelevant|✗|✘|❌|"
            r"×|rul(?:e|es|ed|ing) out|eliminat\w*|discard\w*"
        ),
        right=(
            "correct|right|true|best|better|most (?:accurate|appropriate|suitable|likely|plausible)|✓|✔|✅|"
            "most (?:logical|reasonable|fitting|sensible)|fits best|makes (?:the )?most sense"
        ),
        no="not|isn't|rather than|instead of",
        but="but(?: rather)?|rather|instead",
        yet="but|however|though|yet",
        condition="if|when|unless|suppose",
        preface="sure|certainly|of course|okay|ok|here (?:is|are)|here's|below is|this is the",
        note=r"notes?|explanation|let me know|i hope|please note|literal\w*|alternative\w*|this translation|the translation"
        r"|this summary|hope this|would you like|is there anything|if you (?:need|have|want|would)|romani[sz]ation"
        r"|transliteration"
        r"|pronunciation|or(?=\s*[:,])|another (?:version|option|way)|a (?:more|less) (?:formal|casual|literal)|"
        r"alternatively|feel free|please let me|word count|translat(?:ion|or'?s) notes?|length(?=:)",
        so="so|thus|therefore|hence|altogether|in total",
        check="check|checking|verification|verify|to verify|double[- ]check|let(?:'s| me| us) (?:check|verify)",
        corrects=(
            "correction|i apologi[sz]e|sorry|wait|on (?:second thought|reflection)|i (?:misread|was wrong|"
            "made a mistake)|scratch that"
        ),
        asks="questions?|problem|passage|text|paragraph|premise|sentence|article|context|story|tweet|review",
        ordinals=("first|1st", "second|2nd", "third|3rd", "fourth|4th", "fifth|5th"),
        cardinals=("one", "two", "three", "four", "five"),
        between=r"number|no\.|#",
        left="(?:what )?(?:remains|is left)|leaving(?: only)?",
    ),
    "id": ConclusionWords(
        answer="jawaban\\w*|memilih|pilih|(?:ke)?simpulan\\w*",
        option="pilihan\\w*|opsi\\w*|huruf|nomor",
        lead=(
            "(?:ke)?simpulan(?:nya)?|kunci|kemungkinan(?: besar)?|mungkin|sepertinya|tampaknya|sebenarnya|ralat"
            "|koreksi|maksud saya"
            "|(?:label|sentimen|kategori|topik|emosi|hubungan)(?:nya)?(?: yang (?:benar|tepat))?"
        ),
        joined="atau|dan",
        work=(
            "poin(?:-poin)? (?:utama|penting)|inti\\w*|ikhtisar"
            "|terjemahan\\w*|ringkasan\\w*|rangkuman\\w*|hasil\\w*|(?:dalam )?bahasa indonesia|versi\\w*"
            "|singkatnya|(?:secara )?ringkas|intinya"
        ),
        rendered="(?:di)?terjemahkan|diringkas|dirangkum|disimpulkan|diartikan",
        tongue=r"(?:dalam )?bahasa \w+",
        follows="(?:sebagai|seperti) berikut|berikut ini|di bawah ini",
        source="teks (?:asli|sumber)|asli|sumber|bahasa inggris",
        wrong="salah|bukan|tidak|keliru|kurang tepat|bertentangan",
        right="(?:paling |lebih )?(?:benar|tepat|betul|sesuai)|paling (?:masuk akal|logis|mungkin|cocok|akurat|baik)|terbaik",
        no="bukan|bukannya|tidak",
        but="melainkan|tetapi|tapi|namun",
        yet="tapi|tetapi|namun",
        condition=r"jika|kalau|apabila|bila|andai\w*|seandainya",
        preface=r"tentu\w*|baik\w*|berikut\w*",
        note=(
            "catatan|penjelasan|semoga|terjemahan ini|keterangan|ringkasan ini|apakah ada|jika anda (?:ingin|butuh|"
            "memerlukan)|atau(?=\\s*[:(])|atau (?:bisa|dapat|dalam|versi|secara|lebih)|jumlah kata|beri ?tahu|"
            "kalau (?:anda|kamu|perlu|mau)|versi lain|alternatif|terjemahan lain"
        ),
        so="jadi|maka|sehingga|dengan demikian|oleh karena itu",
        check="periksa|pemeriksaan|cek|verifikasi|pembuktian",
        corrects="ralat|koreksi|maaf|saya (?:keliru|salah)|setelah (?:saya )?(?:baca|cek) (?:lagi|ulang)",
        asks="pertanyaan|soal|bacaan|paragraf|teks|premis|kalimat|artikel|konteks|cerita|pilihan",
        cardinals=("pertama|kesatu|satu|ke-1", "kedua|dua|ke-2", "ketiga|tiga|ke-3", "keempat|empat|ke-4", "kelima|lima|ke-5"),
        between=r"yang|nomor|no\.",
        left="tersisa|tinggal(?:lah)?|menyisakan",
    ),
    "jv": ConclusionWords(
        answer="jawaban\\w*|wangsulan\\w*|milih|pilih|dudutan\\w*",
        option="pilihan\\w*|opsi\\w*|aksara|nomer|nomor",
        lead="dudutan(?:e)?|(?:ke)?simpulan(?:e)?|mbokmenawa|sejatine|(?:label|sentimen|kategori)(?:ne|e)?",
        joined="utawa|lan",
        work="terjemahan\\w*|ringkesan\\w*|basa jawa",
        rendered="diterjemahake|diringkes",
        tongue=r"basa \w+",
        follows="ing ngisor iki|kaya (?:mangkene|ngene)|sebagai berikut",
        source="teks asli|basa inggris",
        wrong="salah|dudu|ora|kliru|mboten|sanes",
        right="bener|leres|trep|paling (?:cocog|mathuk|apik)",
        no="dudu|ora|sanes",
        but="nanging|ananging|nangin",
        yet="nanging|ananging|ning|tapi",
        condition="yen|menawa|manawa|upama",
        preface=r"mesthi\w*|nggih|inggih|iki|ing ngisor iki|punika",
        note=(
            r"yen (?:sampeyan|panjenengan)|cathetan|katrangan|muga-muga|utawa(?=\s*[:(])|utawa (?:bisa|ing)|"
            r"yen (?:kepengin|butuh|perlu|arep)|versi liya"
        ),
        so="dadi|mula|mulane|dados|pramila",
        check="priksa|mriksa|cek",
        corrects="ralat|nuwun sewu|ngapunten|aku kliru|kula kliru",
        asks="pitakonan|pitakon|wacan|paragraf|teks|premis|ukara|artikel|pilihan",
        cardinals=("kapisan|pisanan|sepisan|siji", "kapindho|loro", "katelu|telu", "kapapat|papat", "kalima|lima"),
        between="sing|kang|nomer|nomor|angka",
    ),
    "su": ConclusionWords(
        answer="jawaban\\w*|waleran\\w*|milih|pilih|kacindekan\\w*",
        option="pilihan\\w*|opsi\\w*|hurup|aksara|nomer|nomor",
        lead="kacindekan(?:ana)?|kasimpulan(?:ana)?|sigana|meureun|saleresna|(?:label|sentimen|kategori)(?:na|ana)?",
        joined="atawa|atanapi|jeung|sareng",
        work="tarjamahan\\w*|ringkesan\\w*|basa sunda",
        rendered="ditarjamahkeun|ditarjamahkeun|diringkes",
        tongue=r"basa \w+",
        follows="di handap(?: ieu)?|kieu",
        source="téks asli|basa inggris",
        wrong="salah|lain|henteu|teu|sanés|kaliru",
        right="bener|leres|merenah|pang(?:merenah|bener|cocog|leres|hadé|saé)na|paling (?:merenah|cocog|leres)",
        no="lain|sanés|henteu",
        but="tapi|nanging|namung",
        yet="tapi|nanging|namung|ngan",
        condition="lamun|upami|upama",
        preface="tangtos|tangtu|muhun|mangga|ieu|di handap ieu",
        note=(
            r"upami (?:anjeun|aya)|catetan|katerangan|mugia|mugi|atawa(?=\s*[:(])|atawa (?:dina|tiasa|bisa)|"
            r"upami (?:peryogi|hoyong|kersa)|versi séjén"
        ),
        so="janten|jadi|ku kituna",
        check="pariksa|mariksa|cék",
        corrects="ralat|hapunten|punten|abdi lepat|kuring salah",
        asks="patarosan|pananya|bacaan|paragraf|téks|premis|kalimah|artikel|pilihan",
        cardinals=("kahiji|munggaran|hiji", "kadua|dua", "katilu|tilu", "kaopat|opat", "kalima|lima"),
        between="anu|nu|nomer|nomor",
    ),
    "ms": ConclusionWords(
        answer="jawapan\\w*|memilih|pilih|kesimpulan\\w*",
        option="pilihan\\w*|opsyen\\w*|huruf|nombor|nomor",
        lead=(
            "kesimpulan(?:nya)?|kemungkinan(?: besar)?|mungkin|sebenarnya|pembetulan"
            "|(?:label|sentimen|kategori|topik|emosi)(?:nya)?(?: yang (?:betul|tepat))?"
        ),
        joined="atau|dan",
        work=(
            "isi penting|intipati|ikhtisar|terjemahan\\w*|ringkasan\\w*|rumusan\\w*|hasil\\w*|(?:dalam )?bahasa melayu|versi\\w*"
        ),
        rendered="(?:di)?terjemahkan|diringkaskan|dirumuskan",
        tongue=r"(?:dalam )?bahasa \w+",
        follows="(?:seperti|sebagai) berikut|di bawah(?: ini)?",
        source="teks asal|asal|bahasa inggeris",
        wrong="salah|bukan|tidak|silap|kurang tepat|bercanggah",
        right="(?:paling |lebih )?(?:betul|benar|tepat|sesuai)|paling (?:munasabah|logik|mungkin|sesuai|baik)|terbaik",
        no="bukan|tidak",
        but="sebaliknya|tetapi|tapi|namun",
        yet="tetapi|tapi|namun",
        condition="jika|kalau|sekiranya|apabila",
        preface=r"(?:sudah )?tentu\w*|baik\w*|berikut\w*",
        note=(
            r"jika anda (?:ingin|mahu|perlu)|adakah|nota|catatan|penjelasan|semoga|terjemahan ini|atau(?=\s*[:(])|"
            r"atau (?:boleh|dalam|versi|secara|lebih)|jumlah (?:kata|perkataan)|beritahu|beri tahu|versi lain|"
            r"alternatif|terjemahan lain"
        ),
        so="jadi|maka|oleh itu|justeru",
        check="semak|semakan|periksa|pengesahan",
        corrects="pembetulan|ralat|maaf|saya (?:silap|tersilap)",
        asks="soalan|petikan|perenggan|teks|premis|ayat|artikel|konteks|pilihan",
        cardinals=("pertama|satu|ke-1", "kedua|dua|ke-2", "ketiga|tiga|ke-3", "keempat|empat|ke-4", "kelima|lima|ke-5"),
        between=r"yang|nombor|no\.",
        left="tinggal(?:lah)?|yang tinggal",
    ),
    "vi": ConclusionWords(
        answer=r"đáp án|câu trả lời|trả lời(?=\s*(?:[:：]|là))|(?<!lựa )chọn|kết luận",
        option="lựa chọn|phương án|câu|ý|chữ cái",
        lead=(
            "kết luận|tóm lại|có lẽ|có thể|thực ra|chính xác|câu|ý"
            "|(?:nhãn|cảm xúc|chủ đề|sắc thái|thể loại|mối quan hệ)(?: đúng)?"
        ),
        joined="hoặc|hay|và",
        work="(?:điểm|ý|nội dung) chính|bản tóm lược|bản dịch|bản tóm tắt|tóm tắt|kết quả|tiếng việt|dịch",
        rendered="được dịch|có thể dịch|dịch sang|dịch là|được tóm tắt",
        tongue=r"tiếng \w+",
        follows="như sau|sau đây|dưới đây",
        source="bản gốc|nguyên văn|văn bản gốc|tiếng anh",
        wrong="sai|không|chưa|trái với|mâu thuẫn",
        right="đúng|chính xác|(?:hợp lý|phù hợp|thích hợp|tốt|hợp lí) nhất",
        no="không phải(?: là)?|chứ không phải|không",
        but="mà(?: là)?|nhưng(?: là)?",
        yet="nhưng|tuy nhiên|song",
        condition="nếu|giả sử",
        preface="chắc chắn|vâng|dạ|dưới đây|sau đây|đây là|câu này|đoạn văn",
        note=(
            r"nếu bạn (?:cần|muốn)|bạn có (?:cần|muốn)|ghi chú|lưu ý|giải thích|chú thích|hy vọng|bản dịch này|"
            r"hoặc(?=\s*[:(])|hoặc (?:có thể|cũng)|cách (?:dịch|viết|nói) khác|phương án (?:dịch )?khác|bản dịch khác|"
            r"nếu (?:cần|muốn)|cho tôi biết"
        ),
        so="vậy|vậy nên|do đó|vì vậy|như vậy|suy ra|nên",
        check="kiểm tra(?: lại)?|thử lại|xác minh",
        corrects="đính chính|xin lỗi|tôi (?:nhầm|đã nhầm|đọc nhầm)|nhầm rồi|sửa lại",
        asks="câu hỏi|bài toán|đoạn văn|văn bản|tiền đề|bài báo|ngữ cảnh|bối cảnh|các lựa chọn",
        counted="lựa chọn|phương án|đáp án",
        cardinals=("đầu tiên|thứ nhất|đầu", "thứ hai|thứ 2", "thứ ba|thứ 3", "thứ tư|thứ 4", "thứ năm|thứ 5"),
        between="số|thứ",
        left="còn lại|chỉ còn(?: lại)?",
    ),
    "th": ConclusionWords(
        answer="คำตอบ|(?<!ตัว)เลือก|ตอบ|เฉลย|สรุป",
        option="ตัวเลือก|ข้อ",
        lead=("โดยสรุป|สรุป|น่าจะ(?:เป็น|คือ)?|อาจ(?:จะ)?(?:เป็น|คือ)?|ป้ายกำกับ|ความรู้สึก|อารมณ์|หมวดหมู่|ประเภท|จัดอยู่ใน|จริงๆ แล้ว"),
        joined="หรือ|และ|กับ",
        work="ประเด็นสำคัญ|ใจความสำคัญ|เรื่องย่อ|คำแปล|บทแปล|บทสรุป|สรุป|แปล|ผลลัพธ์|ภาษาไทย",
        rendered="แปลได้|แปลเป็น|แปลว่า|สรุปได้",
        tongue=r"ภาษา[^\s:]+",
        follows="ดังนี้|ดังต่อไปนี้|ต่อไปนี้",
        source="ต้นฉบับ|ข้อความต้นฉบับ|ภาษาอังกฤษ",
        wrong="ผิด|ไม่|ขัดแย้งกับ",
        right="ถูกต้อง|ถูก|ใช่|(?:สมเหตุสมผล|เหมาะสม|เป็นไปได้|ดี|ตรง)(?:มาก)?ที่สุด",
        no="ไม่ใช่",
        but="แต่(?:เป็น|คือ)?",
        yet="แต่|อย่างไรก็ตาม",
        condition="ถ้า|หาก|สมมติ",
        preface="แน่นอน|ได้(?:เลย)?ครับ|ได้(?:เลย)?ค่ะ|นี่คือ|ต่อไปนี้|ข้อความนี้",
        note=(
            "หากต้องการ|หากคุณ|ต้องการให้|หมายเหตุ|คำอธิบาย|อธิบาย|หวังว่า|หรืออีก|หรือจะ|หรือแปล|หรือเขียน|"
            "หรือ(?=\\s*:)|อีก(?:แบบ|สำนวน|ทางเลือก)|ทางเลือกอื่น|สำนวนอื่น|ความยาว|จำนวนคำ|แจ้ง(?:ได้|ให้)|บอก(?:ได้|"
            "ผม|ฉัน)"
        ),
        so="ดังนั้น|เพราะฉะนั้น|จึง",
        check="ตรวจสอบ|ตรวจคำตอบ|ตรวจทาน|ทวนคำตอบ",
        corrects="แก้ไข|ขอแก้|ขออภัย|ขอโทษ|ผม(?:อ่าน|เข้าใจ)ผิด|ดิฉัน(?:อ่าน|เข้าใจ)ผิด",
        asks="คำถาม|โจทย์|ข้อความ|บทความ|ย่อหน้า|บริบท|สถานการณ์|ตัวเลือก",
        cardinals=("แรก|หนึ่ง", "สอง", "สาม", "สี่", "ห้า"),
        between="ที่",
        left="เหลือ(?:เพียง|แค่)?",
    ),
    "lo": ConclusionWords(
        answer="ຄຳຕອບ|ຄໍາຕອບ|(?<!ຕົວ)ເລືອກ|ຕອບ|ສະຫຼຸບ|ສະຫລຸບ",
        option="ຕົວເລືອກ|ຂໍ້",
        lead="ສະຫຼຸບ|ສະຫລຸບ|ອາດຈະ(?:ແມ່ນ|ເປັນ)?|ຄວາມຮູ້ສຶກ|ອາລົມ|ໝວດໝູ່",
        joined="ຫຼື|ຫລື|ແລະ",
        work="ໃຈຄວາມສຳຄັນ|ປະເດັນສຳຄັນ|ຄຳແປ|ຄໍາແປ|ບົດແປ|ການແປ|ບົດສະຫຼຸບ|ສະຫຼຸບ|ພາສາລາວ",
        rendered="ແປໄດ້|ແປເປັນ|ແປວ່າ|ສະຫຼຸບໄດ້",
        tongue=r"ພາສາ[^\s:]+",
        follows="ດັ່ງນີ້|ດັ່ງຕໍ່ໄປນີ້|ຕໍ່ໄປນີ້",
        source="ຕົ້ນສະບັບ|ພາສາອັງກິດ",
        wrong="ຜິດ|ບໍ່",
        right="ຖືກຕ້ອງ|ຖືກ|(?:ສົມເຫດສົມຜົນ|ເໝາະສົມ|ເປັນໄປໄດ້|ດີ)ທີ່ສຸດ",
        no="ບໍ່ແມ່ນ",
        but="ແຕ່(?:ແມ່ນ|ເປັນ)?",
        yet="ແຕ່",
        condition="ຖ້າ|ຫາກ",
        preface="ແນ່ນອນ|ໄດ້|ນີ້ແມ່ນ|ຕໍ່ໄປນີ້",
        note=(
            "ຖ້າ(?:ທ່ານ|ເຈົ້າ)|ໝາຍເຫດ|ຫມາຍເຫດ|ຄຳອະທິບາຍ|ຄໍາອະທິບາຍ|ຫວັງວ່າ|ທາງເລືອກອື່ນ|ຫຼືອີກ|ຫຼື(?=\\s*:)|ອີກ(?:ແບບ|"
            "ສຳນວນ)|ຫາກ(?:ທ່ານ|ຕ້ອງການ)|ຖ້າຕ້ອງການ"
        ),
        so="ດັ່ງນັ້ນ|ສະນັ້ນ|ຈຶ່ງ",
        check="ກວດ(?:ສອບ|ຄືນ|ຄຳຕອບ)|ກວດເບິ່ງ",
        corrects="ແກ້ໄຂ|ຂໍອະໄພ|ຂໍໂທດ",
        asks="ຄຳຖາມ|ຄໍາຖາມ|ໂຈດ|ຂໍ້ຄວາມ|ບົດຄວາມ|ບົດອ່ານ|ຕົວເລືອກ",
        cardinals=("ທຳອິດ|ໜຶ່ງ|ນຶ່ງ", "ສອງ", "ສາມ", "ສີ່", "ຫ້າ"),
        between="ທີ່?",
        left="ເຫຼືອ(?:ພຽງ|ແຕ່)?",
    ),
    "km": ConclusionWords(
        answer="ចម្លើយ|ជ្រើសរើស|ជ្រើស|សរុបមក|សេចក្តីសន្និដ្ឋាន",
        option="ជម្រើស|អក្សរ",
        lead="សរុបមក|សេចក្តីសន្និដ្ឋាន|ប្រហែលជា|អារម្មណ៍|ប្រធានបទ|ស្លាក",
        joined="ឬ|និង",
        work="ចំណុចសំខាន់|ការបកប្រែ|បកប្រែ|សេចក្តីសង្ខេប|សង្ខេប|ភាសាខ្មែរ",
        rendered="បកប្រែជា|សង្ខេបបាន",
        tongue=r"ភាសា[^\s:៖]+",
        follows="ដូចខាងក្រោម|ដូចតទៅ|ខាងក្រោម",
        source="អត្ថបទដើម|ភាសាអង់គ្លេស",
        wrong="ខុស|មិន",
        right="ត្រឹមត្រូវ|ត្រូវ|(?:សមហេតុផល|សមស្រប|សមរម្យ|ល្អ|ទំនង)បំផុត",
        no="មិនមែន(?:ជា)?",
        but="(?:ទេ\\s*)?ប៉ុន្តែ(?:គឺ|ជា)?|តែ(?:គឺ)?|គឺ",
        yet="ប៉ុន្តែ|តែ",
        condition="បើ|ប្រសិនបើ",
        preface="ប្រាកដណាស់|បាទ|ចាស|នេះគឺជា|នេះជា|ខាងក្រោមនេះ",
        note=(
            "ប្រសិនបើអ្នក|តើអ្នក|ចំណាំ|សម្គាល់|ការពន្យល់|សង្ឃឹមថា|ឬ(?=\\s*[:៖])|ឬម្យ៉ាង|ម្យ៉ាងទៀត|(?:ការ)?បកប្រែផ្សេង|"
            "បើ(?:អ្នក|លោក)|ប្រសិនបើ(?:ចង់|ត្រូវ)"
        ),
        so="ដូច្នេះ|ដូចនេះ|ហេតុនេះ",
        check="ផ្ទៀងផ្ទាត់|ពិនិត្យ(?:ឡើងវិញ|ចម្លើយ)",
        corrects="កែតម្រូវ|សូមអភ័យទោស|សូមទោស|ខ្ញុំច្រឡំ",
        asks="សំណួរ|លំហាត់|អត្ថបទ|កថាខណ្ឌ|បរិបទ|ប្រយោគ|ជម្រើស",
        cardinals=("មួយ|ដំបូង", "ពីរ", "បី", "បួន", "ប្រាំ"),
        between="ទី|លេខ",
        left="នៅសល់(?:តែ)?|សល់តែ",
    ),
    "my": ConclusionWords(
        answer="အဖြေ|ရွေးချယ်(?!စရာ|မှု)|ရွေး(?!ချယ်)|နိဂုံး|ကောက်ချက်",
        option="ရွေးချယ်စရာ|ရွေးချယ်မှု|အက္ခရာ",
        lead="နိဂုံးချုပ်(?:အနေဖြင့်)?|ကောက်ချက်|ခံစားချက်|အမျိုးအစား|အမှန်မှာ",
        joined="သို့မဟုတ်|နှင့်",
        work=r"အဓိကအချက်|ဘာသာပြန်[^\s:-]*|အနှစ်ချုပ်[^\s:-]*|အကျဉ်းချုပ်[^\s:-]*|မြန်မာလို|မြန်မာဘာသာ",
        rendered="ဘာသာပြန်ဆို|ဘာသာပြန်လျှင်|ဘာသာပြန်ရ",
        tongue=r"\w*(?:မြန်မာ|အင်္ဂလိပ်|ထိုင်း|တရုတ်)[^\s:-]*",
        follows=r"အောက်ပါ\S*|အောက်ပါ အတိုင်း\S*",
        source="မူရင်း|အင်္ဂလိပ်",
        wrong="(?<!သို့)မဟုတ်|မမှန်|မှား|မပါ|မရှိ|မဖော်|မသက်ဆိုင်|မကိုက်ညီ",
        right="မှန်|အသင့်(?:တော်|လျော်)ဆုံး|အကောင်းဆုံး|အဖြစ်နိုင်ဆုံး|အကိုက်ညီဆုံး|အမှန်ဆုံး",
        no="",
        but="မဟုတ်ဘဲ|မဟုတ်ပဲ|မဟုတ်",
        yet="ဒါပေမ(?:ယ့်|ဲ့)|သို့သော်|သို့ရာတွင်",
        condition="အကယ်၍",
        preface="ဟုတ်ကဲ့|သေချာပါတယ်|ဤသည်မှာ|ဒါက|အောက်ပါ",
        note=(
            "မှတ်ချက်|ရှင်းလင်းချက်|မျှော်လင့်|ပုံစံ(?:နောက်|အခြား)\\S*|ဤ(?:အကျဉ်းချုပ်|ဘာသာပြန်)\\S*|တစ်နည်း\\S*|"
            "နောက်ထပ်|အခြား(?:ဘာသာပြန်|ပုံစံ)\\S*|လိုအပ်ပါက|သိလိုပါက"
        ),
        so="ထို့ကြောင့်|ဒါကြောင့်|သို့ဖြစ်၍|ဒါဆို",
        check=r"စစ်ဆေး\S*|စစ်ကြည့်\S*|ပြန်စစ်\S*",
        corrects="ပြင်ဆင်ချက်|တောင်းပန်|မှားသွား|ပြန်ပြင်",
        asks="မေးခွန်း|ပုစ္ဆာ|စာပိုဒ်|စာသား|ဆောင်းပါး|အကြောင်းအရာ|ရွေးချယ်စရာ",
        ordinals=("ပထမ", "ဒုတိယ", "တတိယ", "စတုတ္ထ", "ပဉ္စမ"),
        between="အချက်|မြောက်|နံပါတ်",
        left="ကျန်(?:တာ|သည်မှာ)?",
    ),
    "ta": ConclusionWords(
        answer="விடை|பதில்|தேர்ந்தெடு\\w*|(?<!விருப்பத்)தேர்வு|முடிவு",
        option="விருப்பம்|விருப்பத்தேர்வு|தெரிவு",
        lead="முடிவாக|முடிவு|உணர்வு|வகை|உண்மையில்",
        joined="அல்லது|மற்றும்",
        work="தமிழாக்கம்|மொழியாக்கம்|முக்கிய அம்சங்கள்|சாராம்சம்|மொழிபெயர்ப்பு|சுருக்கம்|தமிழ்|தமிழில்",
        rendered=r"மொழிபெயர்க்க\w*|சுருக்க\w*",
        tongue="ஆங்கிலம்|தமிழ்|ஆங்கிலத்தில்|தமிழில்",
        follows="பின்வருமாறு|கீழே",
        source="மூலம்|ஆங்கிலம்",
        wrong="தவறு|தவறான\\w*|அல்ல|இல்லை|வில்லை|முரண்\\w*",
        right="சரி\\w*|பொருத்தமா\\w*|சிறந்த\\w*",
        no="",
        but="அல்ல",
        yet="ஆனால்|எனினும்|இருப்பினும்",
        condition="ஒருவேளை",
        preface="நிச்சயமாக|சரி|இதோ|கீழே|இங்கே",
        note=(
            "உங்களுக்கு|வேறு ஏதேனும்|குறிப்பு|விளக்கம்|மாற்று\\w*|அல்லது(?=\\s*[:(])|வேறு (?:விதமாக|வகையில்|"
            "மொழிபெயர்ப்பு)|தேவைப்பட்டால்|மேலும் (?:உதவி|விவரங்கள்)"
        ),
        so="எனவே|ஆகவே|ஆகையால்|அதனால்",
        check=r"சரிபார்ப்பு|சரிபார்க்க\w*|சோதனை",
        corrects="திருத்தம்|மன்னிக்கவும்|தவறாக",
        asks="கேள்வி|வினா|கணக்கு|பத்தி|உரை|கட்டுரை|சூழல்|வாக்கியம்|விருப்பங்கள்",
        ordinals=("முதல்|முதலாவது|1வது", "இரண்டாவது|2வது|இரண்டாம்", "மூன்றாவது|3வது|மூன்றாம்", "நான்காவது|4வது|நான்காம்", "ஐந்தாவது|5வது|ஐந்தாம்"),
        between="எண்",
        left="மீதமுள்ளது|எஞ்சியிருப்பது",
    ),
    "zh": ConclusionWords(
        answer="答案|选择|選擇|选(?!项)|選(?!項)|结论|結論",
        option="选项|選項",
        lead="结论|結論|总结|(?:最有?|很)?可能是|应该是|應該是|大概是|情感(?:是)?|类别(?:是)?|标签(?:是)?|主题(?:是)?|属于|实际上",
        joined="或者?|和|、",
        work="要点|概括|概要|内容提要|译文|譯文|翻译|翻譯|摘要|总结|總結|中文",
        rendered="翻译[为成]|译[为成]|概括为|总结为",
        tongue="英[文语]|中文|汉语|泰[文语]|印尼[文语]|越南[文语]|马来[文语]",
        follows="如下|下面",
        source="原文|英文",
        wrong="错误|錯誤|错|錯|不|没有|沒有|未|排除",
        right="正确|正確|对|對|符合|最(?:合适|合適|恰当|恰當|合理|贴切|可能|准确|準確|好)|合理",
        no="不是|并非|並非|不选|不選",
        but="而是|应该是|應該是|而",
        yet="但是?|不过|然而|可是",
        condition="如果|若|假如|假设",
        preface="好的|当然|當然|以下|这是|這是",
        note="如果您|如果你|如需|注|注意|说明|說明|解释|解釋|希望|或(?:译|譯|者)|也可(?:以)?[译譯]|另一种|另一種|另译|备选|字数|以上(?:总结|摘要|翻译|是|为)|如果需要|需要的话|有其他",
        so="所以|因此|因而|故|共|一共|总共",
        check="验算|驗算|检验|檢驗|检查|验证|驗證|核对",
        corrects="更正|纠正|抱歉|对不起|不好意思|看错|搞错|修正",
        asks="问题|問題|题目|題目|文章|短文|段落|前提|句子|上下文|选项|選項",
        ordinals=("第[一1]", "第[二2]", "第[三3]", "第[四4]", "第[五5]"),
        cardinals=("一", "二", "三", "四", "五"),
        between="个|個",
        left="剩下?|只剩下?|只有",
    ),
    "tl": ConclusionWords(
        answer="sagot\\w*|kasagutan|tugon|pinili|pinipili|pipiliin|piliin|konklusyon",
        option="opsyon|opsiyon\\w*|pagpipilian|letra\\w*|titik",
        lead="konklusyon|marahil|siguro|baka|sa totoo lang|(?:ang )?(?:tamang )?(?:damdamin|sentimyento|kategorya|label|paksa)",
        joined="o|at",
        work=(
            "(?:pangunahing|mahahalagang) punto|lagom|salin|pagsasalin|buod|(?:sa )?(?:filipino|tagalog)|bersyon|"
            "madaling salita|maikling sabi"
        ),
        rendered="isinasalin|maisasalin|isalin|maibubuod",
        tongue="(?:sa )?(?:ingles|filipino|tagalog)",
        follows="(?:ang )?sumusunod",
        source="orihinal|ingles",
        wrong="mali|hindi|di|walang|salungat",
        right="tama|wasto|pinaka(?:tama|angkop|akma|makatwiran|mainam|malamang)\\w*|angkop",
        no="hindi",
        but="kundi|sa halip|pero|ngunit",
        yet="pero|ngunit|subalit",
        condition="kung",
        preface="sige|siyempre|oo|narito|ito|heto",
        note=(
            r"kung (?:gusto|kailangan|may)|gusto mo|tala|paalala|paliwanag|sana|o kaya|o(?=\s*:)|maaari ring|"
            r"maaari din|ipaalam|sabihin (?:mo|lang)|ibang salin"
        ),
        so="kaya|samakatuwid",
        check="suriin|pagsusuri|tseke|i-check|patunay",
        corrects="pagwawasto|pasensya|paumanhin|nagkamali ako|teka",
        asks="tanong|problema|talata|teksto|premis|pangungusap|artikulo|konteksto|mga pagpipilian",
        ordinals=(
            "unang|una",
            "ikalawang?|pangalawang?",
            "ikatlong?|pangatlong?",
            "ika-?apat|pang-?apat",
            "ikalimang?|panlimang?",
        ),
        cardinals=("isa", "dalawa", "tatlo", "apat", "lima"),
        between="na|ang|bilang|numero",
        left="natitira(?:ng)?|natira",
    ),
    "ceb": ConclusionWords(
        answer="tubag\\w*|pilion|gipili|pili|konklusyon",
        option="kapilian|opsyon|letra",
        lead="konklusyon|tingali|siguro|basin|kategoriya",
        joined="o|ug",
        work="sumaryo|hubad|katingbanan|sa cebuano|sa sinugboanon|binisaya",
        rendered="mahubad|hubaron",
        tongue="(?:sa )?(?:iningles|english|cebuano|sinugboanon|binisaya)",
        follows="(?:ang )?mosunod",
        source="orihinal|iningles",
        wrong="sayop|dili|wala",
        right="husto|sakto|tama|insakto",
        no="dili",
        but="kondili|apan|kundili",
        yet="apan|pero",
        condition="kung",
        preface="sige|oo|ania|mao kini",
        note=r"kung (?:gusto|kinahanglan|aduna)|pahinumdom|pasabot|timan-i",
        so="busa|mao nga",
        check="susiha|tan-awa",
        corrects="pagtul-id|pasayloa|sayop ko",
        asks="pangutana|problema|tudling|teksto|artikulo|mga kapilian",
        ordinals=("una|unang", "ikaduha|ikaduhang", "ikatulo|ikatulong", "ikaupat|ika-upat", "ikalima|ikalimang"),
        between="nga|numero",
    ),
    "ilo": ConclusionWords(
        answer="sungbat\\w*|piliek|pinilik|konklusion",
        option="pagpilian|opsion|letra",
        lead="konklusion|nalabit|kategoria",
        joined="wenno|ken",
        work="patarus|gupgop|ilokano|iti ilokano",
        follows="sumaganad",
        source="orihinal|ingles",
        wrong="biddut|saan|awan",
        right="umno|husto|agpayso",
        no="saan(?: a| nga)?",
        but="no di ket|ngem",
        yet="ngem",
        condition="no",
        preface="wen|siempre|adtoy|daytoy",
        note=r"nota|pakaammo|palawag|wenno(?=\s*:)",
        so="isu nga|isu a|ngarud",
        check="kitaen|sukimaten",
        corrects="koreksion|dispensar|pakawan",
        asks="saludsod|problema|teksto|artikulo",
        ordinals=("umuna", "maikadua", "maikatlo", "maikapat", "maikalima"),
        between="a|nga|numero",
    ),
    "war": ConclusionWords(
        answer="baton\\w*|sagot|pilion|ginpili|konklusyon",
        option="pirilian|kapilian|opsyon|letra",
        lead="konklusyon|bangin|siguro|kategorya",
        joined="o|ngan",
        work="hubad|sumaryo|waray|ha waray",
        follows="(?:an )?masunod",
        source="orihinal|iningles",
        wrong="sala|sayop|diri|dire|waray",
        right="tama|husto|insakto",
        no="diri|dire",
        but="kundi|lugod",
        yet="pero|kundi|ngem",
        condition="kon",
        preface="oo|sige|adi|ini",
        note=r"pahinumdom|saysay",
        so="salit|sanglit",
        check="susiha",
        corrects="pagtadong|pasayloa",
        asks="pakiana|problema|teksto|artikulo",
        ordinals=("siyahan|una", "ikaduha", "ikatulo", "ikaupat", "ikalima"),
        between="nga|numero",
    ),
}


@lru_cache(maxsize=1024)
def any_word(place: str, language: str) -> re.Pattern[str]:
    """Any of the words of one field of `ConclusionWords`, in the languages that are read in one."""
    return re.compile(_alternatives(place, language), re.IGNORECASE)


def _alternatives(place: str, language: str) -> str:
    words = [getattr(CONCLUSION_WORDS[code], place) for code in known_languages(language) if code in CONCLUSION_WORDS]
    return "|".join(map(bounded, filter(None, words))) or r"(?!)"


def bounded(words: str) -> str:
    """A regular expression of words: whole ones in the Latin script; other scripts may write them together."""
    return rf"(?<![{WORD}])(?:{words})(?![{WORD}])" if re.search(r"(?<!\\)[a-zđ]", words) else f"(?:{words})"


@cache
def lead_in(language: str) -> re.Pattern[str]:
    """The words that lead to an answer, anywhere in a line, and what stands between them and it."""
    return re.compile(
        rf"(?:(?:{lead_in_pieces(language)}|{_alternatives('lead', language)}|{_alternatives('left', language)}){JOINT}){{1,12}}",
        re.IGNORECASE,
    )


def statement_spans(text: str, language: str, *further: str) -> list[tuple[int, int]]:
    """Where in a text the words stand that state an answer: "so the answer is", "I choose"; with words of further fields, too."""
    places = [any_word(place, language) for place in ("answer", *further)]
    return [match.span() for match in lead_in(language).finditer(text) if any(place.search(match[0]) for place in places)]


def without_another_question(text: str, tags: Sequence[str], language: str) -> str:
    """The text up to another question that the model made up and answered, too: a line "Question: …" between two answer tags."""
    ends = [match.end() for match in re.finditer(any_tag(tags), text, re.IGNORECASE)]
    asked = re.compile(rf"(?:\A|\n)[\s>#*_]*(?:{any_word('asks', language).pattern})[\s*_]*\d*[\s*_]*{COLON}", re.IGNORECASE)
    for end, following in pairwise(ends):
        begins = asked.search(text, end, following)
        if begins is not None and text[end : begins.start()].strip(" *_`\n\t"):
            return text[: begins.start()]
    return text


def any_tag(tags: Sequence[str]) -> str:
    """The regular expression of an answer tag at the beginning of a line."""
    return rf"(?:\A|\n)[\s>#*_]*(?:{'|'.join(cue_pattern(plain(tag), spellings(words_of_cue(tag))) for tag in tags) or '(?!)'})"


@cache
def counted_options(language: str) -> re.Pattern[str]:
    """Words that count an option: "the second option", "option 2", "第二个选项".

    The group that matches, `b1` to `b5` or `f1` to `f5`, says which.
    """
    known = [CONCLUSION_WORDS[code] for code in known_languages(language) if code in CONCLUSION_WORDS]
    option = "|".join(bounded(word.counted or word.option) for word in known)
    between = "|".join(bounded(word.between) for word in known if word.between)
    joint = rf"\s*(?:(?:{between})\s*){{0,2}}"
    before, behind = [], []
    for place in range(5):
        ordinals = [bounded(word.ordinals[place]) for word in known if word.ordinals]
        cardinals = [bounded(word.cardinals[place]) for word in known if word.cardinals]
        digit = rf"(?<![\d.,]){place + 1}(?![\d.,/:]*\d)"
        before.append(rf"(?P<b{place + 1}>{'|'.join(ordinals)})")
        behind.append(rf"(?P<f{place + 1}>{'|'.join([*ordinals, *cardinals, digit])})")
    return re.compile(rf"(?:{option}){joint}(?:{'|'.join(behind)})|(?:{'|'.join(before)}){joint}(?:{option})", re.IGNORECASE)
