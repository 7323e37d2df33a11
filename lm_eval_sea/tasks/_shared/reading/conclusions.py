"""The words that mark a conclusion or a denial in what chat models write, by language: constants.

Each entry is a set of regular expressions, separated by "|". Those of English are read in every language, those of the national
language in the regional languages that have `also` in `answer_phrases.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from .answer_patterns import WORD, known_languages, lead_in_pieces
from .answer_text import COLON


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
        note: how a line begins that comments on an answer: "Note:", "Explanation:".
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


CONCLUSION_WORDS = {
    "en": ConclusionWords(
        answer="answers?|ans|choose|pick|select|go with|conclusion",
        option="options?|choices?|letter",
        lead=(
            "(?:in )?conclusion|probably|(?:most )?likely|perhaps|maybe|definitely|actually|correction|selected"
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
        tongue="english|indonesian|thai|vietnamese|malay|tamil|burmese|khmer|lao|javanese|sundanese|tagalog|filipino|chinese|cebuano|ilocano|waray",
        follows="as follows|below|the following",
        source="original|source|source text|input|english",
        wrong=r"not|isn't|doesn't|cannot|can't|wrong|incorrect|false|neither|unsupported|contradict\w*|irrelevant|✗|✘|❌|×",
        right="correct|right|true|best|better|most (?:accurate|appropriate|suitable|likely|plausible)|✓|✔|✅",
        no="not|isn't|rather than|instead of",
        but="but(?: rather)?|rather|instead",
        yet="but|however|though|yet",
        condition="if|when|unless|suppose",
        preface="sure|certainly|of course|okay|ok|here (?:is|are)|here's|below is|this is the",
        note=r"notes?|explanation|let me know|i hope|please note|literal\w*|alternative\w*|this translation|the translation"
        r"|this summary|hope this|would you like|is there anything|if you (?:need|have|want|would)|romani[sz]ation"
        r"|transliteration"
        r"|pronunciation",
    ),
    "id": ConclusionWords(
        answer="jawaban\\w*|memilih|pilih|(?:ke)?simpulan\\w*",
        option="pilihan\\w*|opsi\\w*|huruf",
        lead=(
            "(?:ke)?simpulan(?:nya)?|kunci|kemungkinan(?: besar)?|mungkin|sepertinya|tampaknya|sebenarnya|ralat"
            "|koreksi|maksud saya"
            "|(?:label|sentimen|kategori|topik|emosi|hubungan)(?:nya)?(?: yang (?:benar|tepat))?"
        ),
        joined="atau|dan",
        work=(
            "poin(?:-poin)? (?:utama|penting)|inti\\w*|ikhtisar"
            "|terjemahan\\w*|ringkasan\\w*|rangkuman\\w*|hasil\\w*|(?:dalam )?bahasa indonesia|versi\\w*"
            "|singkatnya|(?:secara )?ringkas"
        ),
        rendered="(?:di)?terjemahkan|diringkas|dirangkum|disimpulkan|diartikan",
        tongue=r"(?:dalam )?bahasa \w+",
        follows="(?:sebagai|seperti) berikut|berikut ini|di bawah ini",
        source="teks (?:asli|sumber)|asli|sumber|bahasa inggris",
        wrong="salah|bukan|tidak|keliru|kurang tepat|bertentangan",
        right="(?:paling |lebih )?(?:benar|tepat|betul|sesuai)",
        no="bukan|bukannya|tidak",
        but="melainkan|tetapi|tapi|namun",
        yet="tapi|tetapi|namun",
        condition=r"jika|kalau|apabila|bila|andai\w*|seandainya",
        preface=r"tentu\w*|baik\w*|berikut\w*",
        note="catatan|penjelasan|semoga|terjemahan ini|keterangan|ringkasan ini|apakah ada|jika anda (?:ingin|butuh|memerlukan)",
    ),
    "jv": ConclusionWords(
        answer="jawaban\\w*|wangsulan\\w*|milih|pilih|dudutan\\w*",
        option="pilihan\\w*|opsi\\w*|aksara",
        lead="dudutan(?:e)?|(?:ke)?simpulan(?:e)?|mbokmenawa|sejatine|(?:label|sentimen|kategori)(?:ne|e)?",
        joined="utawa|lan",
        work="terjemahan\\w*|ringkesan\\w*|basa jawa",
        rendered="diterjemahake|diringkes",
        tongue=r"basa \w+",
        follows="ing ngisor iki|kaya (?:mangkene|ngene)|sebagai berikut",
        source="teks asli|basa inggris",
        wrong="salah|dudu|ora|kliru|mboten|sanes",
        right="bener|leres|trep",
        no="dudu|ora|sanes",
        but="nanging|ananging|nangin",
        yet="nanging|ananging|ning|tapi",
        condition="yen|menawa|manawa|upama",
        preface=r"mesthi\w*|nggih|inggih|iki|ing ngisor iki|punika",
        note=r"yen (?:sampeyan|panjenengan)|cathetan|katrangan|muga-muga",
    ),
    "su": ConclusionWords(
        answer="jawaban\\w*|waleran\\w*|milih|pilih|kacindekan\\w*",
        option="pilihan\\w*|opsi\\w*|hurup|aksara",
        lead="kacindekan(?:ana)?|kasimpulan(?:ana)?|sigana|meureun|saleresna|(?:label|sentimen|kategori)(?:na|ana)?",
        joined="atawa|atanapi|jeung|sareng",
        work="tarjamahan\\w*|ringkesan\\w*|basa sunda",
        rendered="ditarjamahkeun|ditarjamahkeun|diringkes",
        tongue=r"basa \w+",
        follows="di handap(?: ieu)?|kieu",
        source="téks asli|basa inggris",
        wrong="salah|lain|henteu|teu|sanés|kaliru",
        right="bener|leres|merenah",
        no="lain|sanés|henteu",
        but="tapi|nanging|namung",
        yet="tapi|nanging|namung|ngan",
        condition="lamun|upami|upama",
        preface="tangtos|tangtu|muhun|mangga|ieu|di handap ieu",
        note=r"upami (?:anjeun|aya)|catetan|katerangan|mugia|mugi",
    ),
    "ms": ConclusionWords(
        answer="jawapan\\w*|memilih|pilih|kesimpulan\\w*",
        option="pilihan\\w*|opsyen\\w*|huruf",
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
        right="(?:paling |lebih )?(?:betul|benar|tepat|sesuai)",
        no="bukan|tidak",
        but="sebaliknya|tetapi|tapi|namun",
        yet="tetapi|tapi|namun",
        condition="jika|kalau|sekiranya|apabila",
        preface=r"(?:sudah )?tentu\w*|baik\w*|berikut\w*",
        note=r"jika anda (?:ingin|mahu|perlu)|adakah|nota|catatan|penjelasan|semoga|terjemahan ini",
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
        right="đúng|chính xác",
        no="không phải(?: là)?|chứ không phải|không",
        but="mà(?: là)?|nhưng(?: là)?",
        yet="nhưng|tuy nhiên|song",
        condition="nếu|giả sử",
        preface="chắc chắn|vâng|dạ|dưới đây|sau đây|đây là|câu này|đoạn văn",
        note=r"nếu bạn (?:cần|muốn)|bạn có (?:cần|muốn)|ghi chú|lưu ý|giải thích|chú thích|hy vọng|bản dịch này",
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
        right="ถูกต้อง|ถูก|ใช่",
        no="ไม่ใช่",
        but="แต่(?:เป็น|คือ)?",
        yet="แต่|อย่างไรก็ตาม",
        condition="ถ้า|หาก|สมมติ",
        preface="แน่นอน|ได้(?:เลย)?ครับ|ได้(?:เลย)?ค่ะ|นี่คือ|ต่อไปนี้|ข้อความนี้",
        note="หากต้องการ|หากคุณ|ต้องการให้|หมายเหตุ|คำอธิบาย|อธิบาย|หวังว่า",
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
        right="ຖືກຕ້ອງ|ຖືກ",
        no="ບໍ່ແມ່ນ",
        but="ແຕ່(?:ແມ່ນ|ເປັນ)?",
        yet="ແຕ່",
        condition="ຖ້າ|ຫາກ",
        preface="ແນ່ນອນ|ໄດ້|ນີ້ແມ່ນ|ຕໍ່ໄປນີ້",
        note="ຖ້າ(?:ທ່ານ|ເຈົ້າ)|ໝາຍເຫດ|ຫມາຍເຫດ|ຄຳອະທິບາຍ|ຄໍາອະທິບາຍ|ຫວັງວ່າ",
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
        right="ត្រឹមត្រូវ|ត្រូវ",
        no="មិនមែន(?:ជា)?",
        but="(?:ទេ\\s*)?ប៉ុន្តែ(?:គឺ|ជា)?|តែ(?:គឺ)?|គឺ",
        yet="ប៉ុន្តែ|តែ",
        condition="បើ|ប្រសិនបើ",
        preface="ប្រាកដណាស់|បាទ|ចាស|នេះគឺជា|នេះជា|ខាងក្រោមនេះ",
        note="ប្រសិនបើអ្នក|តើអ្នក|ចំណាំ|សម្គាល់|ការពន្យល់|សង្ឃឹមថា",
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
        wrong="မဟုတ်|မမှန်|မှား|မပါ|မရှိ|မဖော်|မသက်ဆိုင်|မကိုက်ညီ",
        right="မှန်",
        no="",
        but="မဟုတ်ဘဲ|မဟုတ်ပဲ|မဟုတ်",
        yet="ဒါပေမ(?:ယ့်|ဲ့)|သို့သော်|သို့ရာတွင်",
        condition="အကယ်၍",
        preface="ဟုတ်ကဲ့|သေချာပါတယ်|ဤသည်မှာ|ဒါက|အောက်ပါ",
        note="မှတ်ချက်|ရှင်းလင်းချက်|မျှော်လင့်",
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
        right="சரி\\w*",
        no="",
        but="அல்ல",
        yet="ஆனால்|எனினும்|இருப்பினும்",
        condition="ஒருவேளை",
        preface="நிச்சயமாக|சரி|இதோ|கீழே|இங்கே",
        note="உங்களுக்கு|வேறு ஏதேனும்|குறிப்பு|விளக்கம்",
    ),
    "zh": ConclusionWords(
        answer="答案|选择|選擇|选(?!项)|選(?!項)|结论|結論",
        option="选项|選項",
        lead="结论|結論|总结|可能是|应该是|應該是|大概是|情感(?:是)?|类别(?:是)?|标签(?:是)?|主题(?:是)?|属于|实际上",
        joined="或者?|和|、",
        work="要点|概括|概要|内容提要|译文|譯文|翻译|翻譯|摘要|总结|總結|中文",
        rendered="翻译[为成]|译[为成]|概括为|总结为",
        tongue="英[文语]|中文|汉语|泰[文语]|印尼[文语]|越南[文语]|马来[文语]",
        follows="如下|下面",
        source="原文|英文",
        wrong="错误|錯誤|错|錯|不|没有|沒有|未|排除",
        right="正确|正確|对|對|符合",
        no="不是|并非|並非|不选|不選",
        but="而是|应该是|應該是|而",
        yet="但是?|不过|然而|可是",
        condition="如果|若|假如|假设",
        preface="好的|当然|當然|以下|这是|這是",
        note="如果您|如果你|如需|注|注意|说明|說明|解释|解釋|希望",
    ),
    "tl": ConclusionWords(
        answer="sagot\\w*|kasagutan|tugon|pinili|pinipili|pipiliin|piliin|konklusyon",
        option="opsyon|opsiyon\\w*|pagpipilian|letra\\w*|titik",
        lead="konklusyon|marahil|siguro|baka|sa totoo lang|(?:ang )?(?:tamang )?(?:damdamin|sentimyento|kategorya|label|paksa)",
        joined="o|at",
        work="(?:pangunahing|mahahalagang) punto|lagom|salin|pagsasalin|buod|(?:sa )?(?:filipino|tagalog)|bersyon",
        rendered="isinasalin|maisasalin|isalin|maibubuod",
        tongue="(?:sa )?(?:ingles|filipino|tagalog)",
        follows="(?:ang )?sumusunod",
        source="orihinal|ingles",
        wrong="mali|hindi|di|walang|salungat",
        right="tama|wasto",
        no="hindi",
        but="kundi|sa halip|pero|ngunit",
        yet="pero|ngunit|subalit",
        condition="kung",
        preface="sige|siyempre|oo|narito|ito|heto",
        note=r"kung (?:gusto|kailangan|may)|gusto mo|tala|paalala|paliwanag|sana",
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
        note=r"nota|pakaammo|palawag",
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
    return re.compile(rf"(?:(?:{lead_in_pieces(language)}|{_alternatives('lead', language)}){JOINT}){{1,12}}", re.IGNORECASE)


def statement_spans(text: str, language: str) -> list[tuple[int, int]]:
    """Where in a text the words stand that state an answer: "so the answer is", "I choose"."""
    answer = any_word("answer", language)
    return [match.span() for match in lead_in(language).finditer(text) if answer.search(match[0])]
