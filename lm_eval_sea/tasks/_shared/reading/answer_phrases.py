"""What people and models say around an answer, by language: constants.

The words before a label ("The correct answer is option B") and those behind it ("B is the correct answer", "B ครับ") are given in
pieces. Any number of `before` may stand before a label, one after the other, and any number of `after` between the label and
the end of the line. So the pieces need not be combined by hand, and none may deny, ask or restrict: no "not", "if", "maybe". The
pieces of English are read in every language, those of the national language in the regional languages that have `also`.

A new language: fill `before` with the words for "the answer", "the correct answer", "is", "option", "letter", "I choose",
"so", "according to the passage"; `after` with whole predicates ("is the correct answer"), final copulas and polite particles;
`because` with the words that begin a reason.
`answer_patterns.py` makes regular expressions of them.
"""

from __future__ import annotations

from dataclasses import dataclass


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

# Label words that are alike in several languages. Models mix them up, so chat tasks read each for the other. SEA-HELM's published
# reader does not.
COGNATES = (
    ("positif", "positip", "positive", "positibo"),
    ("negatif", "negatip", "négatif", "négatip", "negative", "negatibo"),
    ("netral", "nétral", "neutral", "neutro", "nyutral", "neyutral"),
)

# Languages that write words without blanks between them. A blank in one of their pieces may be left out in an answer.
WRITTEN_TOGETHER = {"th", "lo", "km", "my", "zh"}


@dataclass(frozen=True)
class Phrases:
    """The phrases of one language.

    Attributes:
        before: pieces that may stand before a label, separated by "|".
        after: pieces that may stand behind a label, separated by "|".
        because: words that begin a reason behind a label, separated by "|".
        letters: what stands for A, B, C, D, E in the language's script; empty where there is no such custom.
        also: the code of another language whose pieces are read too.
    """

    before: str = ""
    after: str = ""
    because: str = ""
    letters: str = ""
    also: str = ""


PHRASES = {
    "en": Phrases(
        before="""
            answer | the answer | my answer | the final answer | final answer | correct answer | the correct answer
            | right answer | the right answer | the best answer | the correct option | the right option
            | the best option | correct option | the correct choice | the right choice | the best choice
            | the correct letter | to the question | to this question | is | would be | should be | must be | it is
            | it's | option | choice | answer choice | letter | the letter | I choose | I would choose | I'd choose
            | I pick | I select | I'll go with | I would go with | I'd go with | so | therefore | thus | hence
            | I think | I believe | in my opinion | according to the passage | according to the text
            | based on the passage | based on the text | I'd say | I would say
            | the one that fits best | the best fit | the best match | my choice | the one | of the four options
            | out of the four options | of these options | among the options | among the four options
            | after reading the passage | after reading the text | I conclude that | I think that | I believe that
            | to the question above | here | I'm sure | I am sure | I'm sure that | clearly | obviously | to this
            | sure | of course | certainly | according to this passage | based on this passage | by the passage
            | the most accurate answer | the most appropriate answer | the most suitable answer
            | I'm going with | I am going with""",
        after="""
            is the answer | is my answer | is the correct answer | is the right answer | is the best answer
            | is the correct option | is the right option | is the correct choice | is the right choice
            | is the best choice | is correct | is right
            | is the right one | is the correct one | is the best one | is the best fit | fits best
            | is the most appropriate choice | is the most appropriate option | is the most appropriate answer
            | is the most suitable answer | is the most accurate answer | is the most likely answer
            | is therefore the correct choice | is therefore the correct answer | is therefore correct
            | is the only one left | is the only correct option""",
        because="because | since | as",
    ),
    "id": Phrases(
        before="""
            jawaban | jawabannya | jawaban saya | jawabanku | jawaban benar | jawaban tepat | jawaban akhir
            | jawaban akhirnya | jawaban yang benar | jawaban yang tepat | jawaban yang paling benar
            | jawaban yang paling tepat | jawaban yang sesuai | jawaban terbaik | yang benar | yang tepat | pilihan
            | pilihannya | pilihan saya | pilihan jawaban | pilihan yang benar | pilihan yang tepat
            | pilihan yang paling tepat | opsi | opsi yang benar | opsi yang tepat | huruf | untuk pertanyaan ini
            | untuk pertanyaan tersebut | dari pertanyaan ini | dari pertanyaan tersebut | atas pertanyaan tersebut
            | adalah | ialah | yaitu | yakni | saya memilih | saya pilih | saya akan memilih | saya akan pilih | jadi | maka
            | dengan demikian | oleh karena itu | menurut saya | saya rasa | saya pikir | saya kira | saya yakin
            | berdasarkan teks | berdasarkan teks tersebut | berdasarkan bacaan | berdasarkan bacaan tersebut
            | berdasarkan konteks | berdasarkan konteks tersebut | berdasarkan paragraf
            | berdasarkan paragraf tersebut | menurut teks | menurut bacaan | menurut konteks | menurut paragraf
            | yang paling tepat | yang paling benar | yang paling sesuai | di atas | dari keempat pilihan
            | dari keempat pilihan tersebut | dari keempat pilihan itu | dari empat pilihan | dari pilihan
            | dari pilihan yang ada | di antara keempat pilihan | berdasarkan kutipan | berdasarkan kutipan tersebut
            | menurut kutipan | menurut kutipan tersebut | setelah membaca teks | setelah membaca bacaan
            | setelah membaca kutipan | saya menyimpulkan bahwa | saya menyimpulkan | dapat disimpulkan bahwa
            | saya yakin bahwa | untuk pertanyaan | dari pertanyaan | atas pertanyaan | di sini | jelas
            | tentu | tentu saja | baik | baiklah | berdasarkan kutipan ini | menurut kutipan ini
            | berdasarkan isi kutipan | menurut isi kutipan | berdasarkan bacaan di atas | berdasarkan kutipan di atas
            | menurut teks tersebut | menurut bacaan tersebut | berdasarkan informasi dalam teks
            | berdasarkan informasi dalam kutipan
            | yang paling akurat | yang terbaik | yang paling baik | yang paling logis | yang paling masuk akal
            | pilihan terbaik | opsi terbaik | nomor""",
        after="""
            jawabannya | jawaban yang benar | jawaban yang tepat | yang benar | yang tepat | adalah jawabannya
            | adalah jawaban saya | adalah jawaban yang benar | adalah jawaban yang tepat
            | adalah jawaban yang paling tepat | adalah pilihan yang benar | adalah pilihan yang tepat
            | merupakan jawaban yang benar | merupakan jawaban yang tepat | adalah yang benar | adalah yang tepat
            | benar | tepat
            | yang paling tepat | yang paling benar | yang paling sesuai | adalah pilihan yang paling tepat
            | adalah pilihan yang paling sesuai | adalah jawaban yang paling sesuai | adalah yang paling tepat
            | adalah yang paling sesuai | merupakan pilihan yang paling tepat | merupakan jawaban yang paling tepat
            | deh | lho""",
        because="karena | sebab",
    ),
    "jv": Phrases(
        before="""
            jawaban | jawabane | jawabanku | jawaban sing bener | jawaban kang bener | jawaban sing paling bener
            | jawaban sing trep | jawaban ingkang leres | wangsulan | wangsulane | wangsulanku | wangsulanipun
            | wangsulan kula | wangsulan sing bener | wangsulan kang bener | wangsulan sing paling trep
            | wangsulan ingkang leres | sing bener | kang bener | ingkang leres | pilihan | pilihane | pilihanku
            | pilihan sing bener | pilihan kang bener | opsi | opsi sing bener | aksara | huruf | saka pitakonan iki
            | kanggo pitakonan iki | yaiku | yakuwi | iku | kuwi | inggih menika | inggih punika | aku milih
            | kula milih | tak pilih | dadi | mula | mulane | dados | pramila | miturutku | miturut kula
            | adhedhasar wacan | miturut wacan | manut wacan | miturut teks | adhedhasar teks | takkira | miturut aku
            | sing paling trep | sing paling bener | sing paling cocog | ing ndhuwur | saka patang pilihan
            | saka patang pilihan mau | saka patang pilihan iku | saka pilihan | miturut pethikan
            | adhedhasar pethikan | manut pethikan | sawise maca wacan | sawise maca pethikan | aku nyimpulake yen
            | aku nyimpulake | kanggo pitakonan | ing kene | aku yakin | cetha
            | mesthi | mesthi wae | nggih | inggih | miturut pethikan kasebut | adhedhasar pethikan kasebut
            | miturut wacan kasebut | adhedhasar wacan kasebut | miturut teks kasebut | adhedhasar teks kasebut
            | jawaban bener | wangsulan bener | jawaban sing paling trep | jawaban sing paling cocog
            | wangsulan sing paling bener | wangsulan sing paling cocog | pilihan sing trep | pilihan sing paling trep
            | pilihan sing paling bener
            | saka pitakonan iku | saka pitakonan kasebut | saka pitakonan mau | kanggo pitakonan kasebut
            | sing paling apik | nomer | nomor""",
        after="""
            jawabane | wangsulane | jawaban sing bener | wangsulan sing bener | sing bener | kang bener | iku jawabane
            | iku wangsulane | iku jawaban sing bener | iku wangsulan sing bener | iku wangsulan kang bener
            | kuwi jawaban sing bener | kuwi wangsulan sing bener | yaiku jawaban sing bener
            | yaiku wangsulan sing bener | menika wangsulan ingkang leres | minangka jawaban sing bener
            | minangka wangsulan sing bener | iku sing bener | iku bener | bener | leres
            | sing paling trep | sing paling bener | iku sing paling bener | iku pilihan sing paling cocog
            | iku pilihan sing paling trep | iku wangsulan sing paling trep | yaiku pilihan sing paling trep
            | iku pilihan sing bener""",
        because="amarga | merga | awit | jalaran",
        also="id",
    ),
    "su": Phrases(
        before="""
            jawaban | jawabanana | jawabanna | jawaban abdi | jawaban kuring | jawaban anu leres | jawaban nu leres
            | jawaban anu bener | jawaban nu bener | jawaban anu paling leres | jawaban anu paling merenah
            | jawaban anu pas | waleran | waleranana | waleran anu leres | waleran nu leres | waleran abdi | anu leres
            | nu leres | anu bener | nu bener | pilihan | pilihanana | pilihan abdi | pilihan anu leres
            | pilihan nu leres | pilihan anu bener | opsi | opsi anu leres | aksara | hurup | huruf
            | tina patarosan ieu | kana patarosan ieu | nyaéta | nya éta | téh | abdi milih | kuring milih | janten
            | jadi | ku kituna | ku sabab éta | numutkeun abdi | ceuk kuring | saur abdi | sakanyaho abdi
            | dumasar kana bacaan | numutkeun bacaan | dumasar kana téks | numutkeun téks | nurutkeun bacaan
            | jawaban nu merenah
            | anu pangmerenahna | nu pangmerenahna | anu pangbenerna | anu paling merenah | mah | di luhur
            | tina opat pilihan | tina opat pilihan éta | tina éta opat pilihan | tina pilihan | sanggeus maca bacaan
            | saparantos maca bacaan | kuring nyindekkeun yén | kuring nyindekkeun | abdi nyindekkeun yén
            | pikeun patarosan | pikeun patarosan ieu | kana patarosan | di dieu | abdi yakin | kuring yakin | écés
            | tangtos | tangtu | muhun | mangga | nurutkeun téks | nurutkeun éta bacaan | dumasar kana éta bacaan
            | numutkeun éta bacaan | numutkeun éta téks | dumasar kana éta téks | jawaban leres | jawaban bener
            | jawaban anu pangmerenahna | jawaban anu pangbenerna | jawaban anu pangleresna
            | pilihan anu pangmerenahna | pilihan anu merenah
            | tina éta patarosan | kana éta patarosan | anu pangsaéna | nu pangsaéna | anu panghadéna
            | anu pangalusna | nomer | nomor""",
        after="""
            jawabanana | waleranana | jawaban anu leres | jawaban nu leres | jawaban anu bener | anu leres | nu leres
            | anu bener | nyaéta jawaban anu leres | nyaéta jawaban anu bener | nyaéta jawabanana
            | mangrupa jawaban anu leres | mangrupa jawaban anu bener | mangrupikeun jawaban anu leres
            | téh jawabanana | téh jawaban anu leres | téh jawaban anu bener | téh waleran anu leres | téh leres
            | téh bener | leres | bener
            | anu pangmerenahna | nu pangmerenahna | téh pilihan anu paling cocog | téh pilihan anu pangmerenahna
            | téh jawaban anu pangmerenahna | mangrupa pilihan anu pangmerenahna | téh pilihan anu leres""",
        because="sabab | lantaran | kusabab | margi",
        also="id",
    ),
    "ms": Phrases(
        before="""
            jawapan | jawapannya | jawapan saya | jawapan betul | jawapan akhir | jawapan yang betul
            | jawapan yang benar | jawapan yang tepat | jawapan yang paling tepat | jawapan yang sesuai
            | jawapan terbaik | yang betul | yang tepat | pilihan | pilihannya | pilihan saya | pilihan jawapan
            | pilihan yang betul | pilihan yang tepat | opsyen | opsyen yang betul | huruf | bagi soalan ini
            | untuk soalan ini | kepada soalan ini | bagi soalan tersebut | ialah | adalah | iaitu | yakni
            | saya memilih | saya pilih | saya akan memilih | saya akan pilih | jadi | maka | oleh itu | dengan itu | justeru
            | pada pendapat saya | saya rasa | saya fikir | saya percaya | saya yakin | berdasarkan petikan
            | berdasarkan petikan itu | berdasarkan petikan tersebut | menurut petikan | mengikut petikan
            | berdasarkan teks | menurut teks
            | yang paling tepat | yang paling sesuai | di atas | daripada empat pilihan | daripada empat pilihan itu
            | daripada keempat-empat pilihan | antara empat pilihan itu | daripada pilihan | setelah membaca petikan
            | saya menyimpulkan bahawa | saya menyimpulkan | saya yakin bahawa | bagi soalan | untuk soalan | di sini
            | jelas
            | sudah tentu | tentu | tentu sahaja | baik | baiklah | menurut petikan tersebut | menurut petikan itu
            | mengikut petikan tersebut | mengikut petikan itu | berdasarkan petikan ini | menurut petikan di atas
            | berdasarkan petikan di atas | berdasarkan teks tersebut | menurut teks tersebut
            | jawapan yang paling sesuai | pilihan yang paling tepat | pilihan yang paling sesuai | pilihan terbaik
            | bagi soalan itu | untuk soalan itu | untuk soalan tersebut | yang paling betul | yang paling baik
            | yang terbaik | opsyen terbaik | nombor""",
        after="""
            jawapannya | jawapan yang betul | jawapan yang tepat | yang betul | yang tepat | ialah jawapannya
            | ialah jawapan saya | ialah jawapan yang betul | ialah jawapan yang tepat | ialah jawapan yang benar
            | adalah jawapan yang betul | adalah jawapan yang tepat | merupakan jawapan yang betul
            | merupakan jawapan yang tepat | ialah pilihan yang betul | adalah pilihan yang betul | adalah betul
            | betul | tepat
            | yang paling tepat | yang paling sesuai | ialah pilihan yang paling tepat
            | ialah pilihan yang paling sesuai | ialah jawapan yang paling tepat | ialah jawapan yang paling sesuai
            | adalah pilihan yang paling tepat | ialah yang paling tepat
            | lah""",
        because="kerana | sebab",
        also="id",
    ),
    "tl": Phrases(
        before="""
            sagot | ang sagot | sagot ko | ang sagot ko | ang aking sagot | aking sagot | ang tamang sagot
            | tamang sagot | ang wastong sagot | wastong sagot | ang pinakatamang sagot | ang pinakaangkop na sagot
            | ang tama | ang tamang opsiyon | ang tamang opsyon | ang tamang pagpipilian | ang tamang titik
            | ang tamang letra | tama | sa tanong | sa tanong na ito | ay | ang | po | titik | letra | opsiyon
            | opsyon | pagpipilian | pinipili ko | pinili ko | pipiliin ko | ang pinipili ko | ang pinili ko | kaya
            | kaya naman | samakatuwid | samakatwid | kung gayon | sa tingin ko | tingin ko | sa palagay ko
            | palagay ko | para sa akin | ayon sa talata | batay sa talata | ayon sa teksto | batay sa teksto
            | letrang | titik na | opsiyong | ang letrang | ang pinakatamang opsiyon
            | ang pinakaangkop | ang pinakatama | sa apat na pagpipilian | sa mga pagpipilian
            | mula sa apat na pagpipilian | ayon sa sipi | batay sa sipi | matapos basahin ang sipi
            | matapos basahin ang talata | pagkatapos basahin ang sipi | napagpasyahan kong | masasabi kong | sa itaas
            | dito | sigurado akong | malinaw na
            | sige | sigurado | oo | opo | batay sa siping ito | ayon sa siping ito | batay sa talatang ito
            | ayon sa talatang ito | ang pinakamahusay na sagot | ang pinakatumpak na sagot
            | ang pinakamahusay | ang pinakatumpak | ang pinakamahusay na opsyon | ang pinakamahusay na pagpipilian
            | ang pinakaangkop na opsyon""",
        after="""
            po | ho | ang sagot | ang sagot ko | ang aking sagot | ang tamang sagot | ang wastong sagot | ang tama
            | ay ang sagot | ay ang tamang sagot | ay ang wastong sagot | ay tama | ang pinipili ko | ang pinili ko
            | ang pinakaangkop | ang pinakatama | ay ang pinakaangkop | ang pinakaangkop na pagpipilian
            | ang pinakaangkop na sagot | ang tamang opsyon | ang tamang pagpipilian | ang pinakatamang sagot""",
        because="dahil | sapagkat | kasi",
    ),
    "ceb": Phrases(
        before="""
            tubag | ang tubag | ang akong tubag | akong tubag | ang tubag nako | ang hustong tubag | hustong tubag
            | ang husto nga tubag | husto nga tubag | ang saktong tubag | saktong tubag | ang sakto nga tubag
            | ang insaktong tubag | ang tukmang tubag | ang husto | ang sakto | ang hustong kapilian
            | ang hustong opsyon | ang hustong letra | husto | sakto | sa pangutana | niini nga pangutana | mao | kay
            | ang | letra | titik | opsyon | opsiyon | kapilian | pilion nako | akong pilion | akong gipili
            | gipili nako | nagpili ko sa | mopili ko sa | busa | mao nga | tungod niini | sa akong hunahuna
            | sa akong pagtuo | sa akong tan-aw | sa tan-aw nako | para nako | sumala sa teksto | base sa teksto
            | subay sa teksto | pinasikad sa teksto | ang insakto nga tubag | insakto nga tubag | insaktong tubag
            | ang labing haom | ang labing maayo | ang labing husto | sa upat ka kapilian | sa mga kapilian
            | gikan sa upat ka kapilian | human sa pagbasa sa teksto | nakahukom ko nga | sa ibabaw | dinhi
            | sigurado ko nga | klaro nga
            | sige | oo | sumala niini nga teksto | base niini nga teksto | ang labing hustong tubag
            | ang labing husto nga tubag | ang labing maayong tubag | ang labing haom nga tubag
            | ang labing tukmang tubag | ang labing saktong tubag | ang labing maayong kapilian
            | ang labing maayong opsyon | ang labing haom nga kapilian""",
        after="""
            ang tubag | ang akong tubag | ang hustong tubag | ang husto nga tubag | ang saktong tubag
            | ang sakto nga tubag | ang husto | ang sakto | mao ang tubag | mao ang akong tubag
            | mao ang hustong tubag | mao ang husto nga tubag | mao ang saktong tubag | mao ang sakto nga tubag
            | mao ang husto | mao ang sakto | husto | sakto | ang akong pilion | ang akong gipili
            | ang insakto nga tubag | mao ang insakto nga tubag
            | ang labing haom | mao ang labing haom | ang labing haom nga kapilian | ang labing haom nga tubag
            | ang hustong kapilian | mao ang labing haom nga kapilian | mao ang labing haom nga tubag""",
        because="kay | tungod kay",
        also="tl",
    ),
    "ilo": Phrases(
        before="""
            sungbat | ti sungbat | sungbatko | ti sungbatko | ti umno a sungbat | umno a sungbat | ti husto a sungbat
            | husto a sungbat | ti kusto a sungbat | kusto a sungbat | ti nasayaat a sungbat | ti umno | ti husto
            | ti kusto | ti umno a pagpilian | ti husto a pagpilian | ti umno a letra | umno | husto | kusto
            | iti saludsod | iti daytoy a saludsod | ket | isu | isu ti | ti | letra | opsion | pagpilian | piliek
            | piliek ti | pinilik | pinilik ti | ti piliek | ti pinilik | isu nga | isu nga ti | gapuna | ngarud
            | iti panagkunak | iti panangmatmatko | pagarupek | para kaniak | segun iti teksto | sigun iti teksto
            | maibatay iti teksto | naibatay iti teksto | ti umno nga sungbat | umno nga sungbat
            | ti husto nga sungbat | husto nga sungbat | ti kusto nga sungbat | kusto nga sungbat
            | ti kasayaatan | ti kasayaatan a sungbat | ti maikanatad | ti kasayaatan a maikanatad | ti maitutop
            | ti kaitutopan | kadagiti uppat a pagpilian | kadagiti pagpilian | manipud kadagiti uppat a pagpilian
            | letra a | kalpasan ti panangbasak iti teksto | kalpasan a nabasak ti teksto | iti ngato | ditoy
            | siguradoak a | nalawag a
            | wen | sige | sigun iti daytoy a teksto | maibatay iti daytoy a teksto | ti kaumnuan
            | ti kaumnuan a sungbat | ti kasayaatan a pagpilian | ti kaitutopan a sungbat
            | isu a | ti kaustuan | ti kaustuan a sungbat | ti kasayaatan nga opsion""",
        after="""
            ti sungbat | ti sungbatko | ti umno a sungbat | ti husto a sungbat | ti kusto a sungbat | ti umno
            | ti husto | ti kusto | isu ti sungbat | isu ti umno a sungbat | isu ti husto a sungbat
            | isu ti kusto a sungbat | ket umno | ket husto | ket kusto | ti piliek | ti pinilik | apo
            | ti umno nga sungbat | ti husto nga sungbat | ti kusto nga sungbat | isu ti umno nga sungbat
            | ti kasayaatan | ti maitutop | ti kasayaatan a pagpilian | ti kasayaatan a sungbat | ti umno a pagpilian
            | ti husto a pagpilian | ti maitutop a sungbat""",
        because="gapu ta | ta",
        also="tl",
    ),
    "war": Phrases(
        before="""
            baton | an baton | an akon baton | akon baton | an baton ko | an husto nga baton | husto nga baton
            | an tama nga baton | tama nga baton | an sakto nga baton | an husto | an tama | an husto nga pirilian
            | an husto nga opsyon | an husto nga letra | husto | tama | han pakiana | hini nga pakiana
            | han hini nga pakiana | amo | an | letra | opsyon | opsiyon | pirilian | pipilion ko | akon pipilion
            | akon ginpili | ginpili ko | ginpipili ko | an akon ginpili | an akon pipilion | salit | busa
            | tungod hini | sanglit | ha akon hunahuna | ha akon pagtoo | para ha akon | sumala han teksto
            | sumala ha teksto | basado han teksto | basado ha teksto | uyon han teksto | kay
            | an pinakaangay | an pinakamaupay | an pinakatama | ha upat nga pirilian | han upat nga pirilian
            | ha mga pirilian | letra nga | katapos basaha an teksto | katapos pagbasa han teksto | ha igbaw | dinhi
            | sigurado ako nga | klaro nga
            | sige | oo | basar ha teksto | basar han teksto | sumala hini nga teksto | an pinakahusto
            | an pinakahusto nga baton | an pinakamaupay nga baton | an pinakamaopay | an pinakamaopay nga baton
            | an pinakaangay nga baton
            | an pinakasakto | an pinakasakto nga baton | an pinakamaupay nga pirilian | an pinakamaopay nga pirilian
            | an pinakaangay nga pirilian""",
        after="""
            an baton | an akon baton | an husto nga baton | an tama nga baton | an sakto nga baton | an husto
            | an tama | amo an baton | amo an akon baton | amo an husto nga baton | amo an tama nga baton
            | amo an sakto nga baton | amo an husto | husto | an akon ginpili | an akon pipilion
            | an pinakaangay | an pinakamaupay | an pinakamaupay nga pirilian | an pinakaangay nga pirilian
            | an pinakamaupay nga baton | an husto nga pirilian | an pinakamaopay | an pinakamaopay nga pirilian
            | an pinakamaopay nga baton""",
        because="kay | tungod kay",
        also="tl",
    ),
    "th": Phrases(
        before="""
            คำตอบ | คำตอบที่ถูก | คำตอบที่ถูกต้อง | คำตอบที่ถูกที่สุด | คำตอบที่ถูกต้องที่สุด | คำตอบที่เหมาะสมที่สุด
            | คำตอบของฉัน | คำตอบของผม | คำตอบของดิฉัน | คำตอบสุดท้าย | คำตอบข้อนี้ | คำตอบของข้อนี้
            | คำตอบของคำถามนี้ | ข้อที่ถูก | ข้อที่ถูกต้อง | ตัวเลือกที่ถูก | ตัวเลือกที่ถูกต้อง | ตัวเลือก
            | ตัวเลือกที่ | ข้อ | ตัวอักษร | อักษร | คือ | ได้แก่ | เป็น | จึงเป็น | น่าจะเป็น | ควรเป็น | ตอบ | ขอตอบ
            | ขอตอบว่า | เลือก | ขอเลือก | ฉันเลือก | ผมเลือก | ดิฉันเลือก | ฉันขอเลือก | ผมขอเลือก | ดิฉันขอเลือก
            | ดังนั้น | เพราะฉะนั้น | จึง | ฉันคิดว่า | ผมคิดว่า | ดิฉันคิดว่า | คิดว่า | จากบทความ | ตามบทความ
            | จากข้อความ | ตามข้อความ | จากบริบท | ตามบริบท | จากเนื้อหา | ตามเนื้อหา | จากเนื้อเรื่อง | จากย่อหน้า
            | คำตอบที่ดีที่สุด | เฉลย
            | ข้างต้น | ข้อที่เหมาะสมที่สุด | ตัวเลือกที่เหมาะสมที่สุด | ข้อที่ดีที่สุด | ข้อที่ถูกที่สุด
            | ในสี่ตัวเลือกนี้ | จากสี่ตัวเลือก | จากตัวเลือกทั้งสี่ | จากตัวเลือกทั้งหมด | ในบรรดาตัวเลือกทั้งสี่
            | หลังจากอ่านบทความแล้ว | หลังจากอ่านข้อความแล้ว | เมื่ออ่านบทความแล้ว | สรุปได้ว่า | สรุปว่า | ของคำถาม
            | ของคำถามนี้ | สำหรับคำถามนี้ | ในที่นี้ | ผมมั่นใจว่า | ฉันมั่นใจว่า | ดิฉันมั่นใจว่า | ชัดเจนว่า
            | ได้ครับ | ได้ค่ะ | ได้เลยครับ | ได้เลยค่ะ | แน่นอน | แน่นอนครับ | แน่นอนค่ะ | ตามเนื้อหาในบทความ
            | จากเนื้อหาในบทความ | ตามเนื้อหาของบทความ | จากบทความข้างต้น | จากบทความนี้ | ตามบทความนี้
            | จากข้อมูลในบทความ | จากย่อหน้าดังกล่าว | จากบทความดังกล่าว | จากข้อความดังกล่าว
            | ตัวเลือกของผม | ตัวเลือกของฉัน | ตัวเลือกที่ดีที่สุด | ตัวเลือกที่ถูกที่สุด | ตัวเลือกที่ถูกต้องที่สุด
            | คำตอบที่แม่นยำที่สุด | คำตอบที่สมเหตุสมผลที่สุด""",
        after="""
            ครับ | ค่ะ | คะ | ครับผม | นะครับ | นะคะ | นะ | ถูก | ถูกต้อง | ถูกที่สุด | เป็นคำตอบ | เป็นคำตอบที่ถูก
            | เป็นคำตอบที่ถูกต้อง | เป็นข้อที่ถูก | เป็นข้อที่ถูกต้อง | เป็นตัวเลือกที่ถูกต้อง | คือคำตอบ
            | คือคำตอบที่ถูก | คือคำตอบที่ถูกต้อง | คือข้อที่ถูกต้อง
            | เหมาะสมที่สุด | ดีที่สุด | เป็นตัวเลือกที่เหมาะสมที่สุด | เป็นตัวเลือกที่ถูกต้องที่สุด
            | เป็นคำตอบที่เหมาะสมที่สุด | เป็นคำตอบที่ถูกต้องที่สุด | คือตัวเลือกที่ถูกต้อง
            | คือตัวเลือกที่เหมาะสมที่สุด | คือคำตอบที่ถูกต้องที่สุด
            | เพียงข้อเดียว | เพียงตัวเลือกเดียว | ข้อเดียว | เท่านั้น | ชัวร์ | แน่นอน""",
        because="เพราะ | เพราะว่า | เนื่องจาก",
        letters="กขคงจ",
    ),
    "lo": Phrases(
        before="""
            ຄຳຕອບ | ຄຳຕອບທີ່ຖືກ | ຄຳຕອບທີ່ຖືກຕ້ອງ | ຄຳຕອບທີ່ຖືກຕ້ອງທີ່ສຸດ | ຄຳຕອບຖືກ | ຄຳຕອບຂອງຂ້ອຍ
            | ຄຳຕອບຂອງຂ້າພະເຈົ້າ | ຄຳຕອບສຸດທ້າຍ | ຄຳຕອບຂອງຄຳຖາມນີ້ | ຂໍ້ທີ່ຖືກ | ຂໍ້ທີ່ຖືກຕ້ອງ | ຕົວເລືອກທີ່ຖືກ
            | ຕົວເລືອກທີ່ຖືກຕ້ອງ | ຕົວເລືອກ | ຕົວເລືອກທີ່ | ຂໍ້ | ຕົວອັກສອນ | ອັກສອນ | ແມ່ນ | ຄື | ຄືວ່າ | ເປັນ
            | ຈຶ່ງແມ່ນ | ຕອບ | ຂໍຕອບ | ເລືອກ | ຂໍເລືອກ | ຂ້ອຍເລືອກ | ຂ້ອຍຂໍເລືອກ | ຂ້າພະເຈົ້າເລືອກ | ຂ້າພະເຈົ້າຂໍເລືອກ
            | ດັ່ງນັ້ນ | ສະນັ້ນ | ຂ້ອຍຄິດວ່າ | ຂ້າພະເຈົ້າຄິດວ່າ | ຄິດວ່າ | ອີງຕາມບົດອ່ານ | ຕາມບົດອ່ານ | ຈາກບົດອ່ານ
            | ອີງຕາມຂໍ້ຄວາມ | ຕາມຂໍ້ຄວາມ | ຈາກຂໍ້ຄວາມ | ອີງຕາມບົດຄວາມ | ຕາມບົດຄວາມ | ຄຳຕອບທີ່ດີທີ່ສຸດ
            | ຂ້າງເທິງ | ຂໍ້ທີ່ເໝາະສົມທີ່ສຸດ | ຕົວເລືອກທີ່ເໝາະສົມທີ່ສຸດ | ຂໍ້ທີ່ດີທີ່ສຸດ | ໃນສີ່ຕົວເລືອກນີ້
            | ຈາກສີ່ຕົວເລືອກ | ຈາກຕົວເລືອກທັງສີ່ | ໃນບັນດາຕົວເລືອກທັງສີ່ | ຫຼັງຈາກອ່ານບົດຄວາມແລ້ວ
            | ຫຼັງຈາກອ່ານບົດອ່ານແລ້ວ | ສະຫຼຸບໄດ້ວ່າ | ສະຫຼຸບວ່າ | ຂອງຄຳຖາມ | ຂອງຄຳຖາມນີ້ | ສຳລັບຄຳຖາມນີ້ | ໃນທີ່ນີ້
            | ຂ້ອຍໝັ້ນໃຈວ່າ
            | ແນ່ນອນ | ໄດ້ | ຄຳຕອບທີ່ເໝາະສົມທີ່ສຸດ | ອີງໃສ່ບົດອ່ານ | ອີງໃສ່ບົດອ່ານນີ້
            | ຕາມເນື້ອໃນຂອງບົດອ່ານ | ອີງໃສ່ຂໍ້ຄວາມ | ອີງໃສ່ບົດຄວາມ
            | ຕົວເລືອກຂອງຂ້ອຍ | ຕົວເລືອກທີ່ດີທີ່ສຸດ | ຕົວເລືອກທີ່ຖືກຕ້ອງທີ່ສຸດ""",
        after="""
            ຖືກ | ຖືກຕ້ອງ | ຖືກຕ້ອງທີ່ສຸດ | ແມ່ນຄຳຕອບ | ແມ່ນຄຳຕອບທີ່ຖືກ | ແມ່ນຄຳຕອບທີ່ຖືກຕ້ອງ | ເປັນຄຳຕອບທີ່ຖືກ
            | ເປັນຄຳຕອບທີ່ຖືກຕ້ອງ | ຄືຄຳຕອບ | ຄືຄຳຕອບທີ່ຖືກຕ້ອງ | ແມ່ນຂໍ້ທີ່ຖືກຕ້ອງ | ແມ່ນຖືກຕ້ອງ | ເຈົ້າ | ຄັບ | ຄ່ະ
            | ເດີ
            | ເໝາະສົມທີ່ສຸດ | ແມ່ນເໝາະສົມທີ່ສຸດ | ແມ່ນຕົວເລືອກທີ່ເໝາະສົມທີ່ສຸດ | ແມ່ນຕົວເລືອກທີ່ຖືກຕ້ອງ
            | ແມ່ນຄຳຕອບທີ່ເໝາະສົມທີ່ສຸດ | ເປັນຕົວເລືອກທີ່ເໝາະສົມທີ່ສຸດ | ຢ່າງແນ່ນອນ
            | ເທົ່ານັ້ນ""",
        because="ເພາະ | ເພາະວ່າ | ເນື່ອງຈາກ",
        letters="ກຂຄງຈ",
    ),
    "km": Phrases(
        before="""
            ចម្លើយ | ចម្លើយត្រឹមត្រូវ | ចម្លើយដែលត្រឹមត្រូវ | ចម្លើយដែលត្រឹមត្រូវបំផុត | ចម្លើយត្រូវ | ចម្លើយរបស់ខ្ញុំ
            | ចម្លើយចុងក្រោយ | ចម្លើយចំពោះសំណួរនេះ | ចម្លើយសម្រាប់សំណួរនេះ | ចំលើយ | ចំលើយត្រឹមត្រូវ | ជម្រើស
            | ជម្រើសត្រឹមត្រូវ | ជម្រើសដែលត្រឹមត្រូវ | ជម្រើសទី | ជំរើស | អក្សរ | តួអក្សរ | ខ្ញុំជ្រើសរើស | ខ្ញុំជ្រើស
            | ខ្ញុំសូមជ្រើសរើស | ខ្ញុំសូមជ្រើស | សូមជ្រើសរើស | ជ្រើសរើស | ជ្រើសរើសយក | ខ្ញុំជ្រើសរើសយក
            | ខ្ញុំជ្រើសយក | គឺ | គឺជា | ជា | ដូច្នេះ
            | ដូចនេះ | ដូច្នេះហើយ | ហេតុនេះ | ខ្ញុំគិតថា | ខ្ញុំយល់ថា | តាមគំនិតខ្ញុំ | យោងតាមអត្ថបទ | យោងទៅតាមអត្ថបទ
            | តាមអត្ថបទ | ផ្អែកលើអត្ថបទ | ផ្អែកតាមអត្ថបទ | បាទ | ចាស | ចា៎ស | ចម្លើយដែលត្រូវ | ចម្លើយល្អបំផុត
            | ខាងលើ | ចម្លើយដែលសមស្របបំផុត | ចម្លើយសមស្របបំផុត | ជម្រើសដែលសមស្របបំផុត | ក្នុងចំណោមជម្រើសទាំងបួន
            | ក្នុងចំណោមជម្រើសទាំងនេះ | បន្ទាប់ពីអានអត្ថបទ | ខ្ញុំសន្និដ្ឋានថា | សម្រាប់សំណួរ | ចំពោះសំណួរ
            | សម្រាប់សំណួរនេះ | ចំពោះសំណួរនេះ | នៅទីនេះ | ខ្ញុំប្រាកដថា | ច្បាស់ណាស់
            | ប្រាកដណាស់ | យោងតាមអត្ថបទនេះ | យោងតាមអត្ថបទខាងលើ | យោងតាមអត្ថបទដកស្រង់ | ផ្អែកលើអត្ថបទនេះ
            | ចម្លើយដែលល្អបំផុត | ជម្រើសដែលត្រឹមត្រូវបំផុត | ជម្រើសល្អបំផុត
            | ជម្រើសរបស់ខ្ញុំ | ចម្លើយត្រឹមត្រូវបំផុត | ចម្លើយនៃសំណួរ | ចម្លើយនៃសំណួរនេះ | ចម្លើយចំពោះសំណួរ
            | ចម្លើយសម្រាប់សំណួរ | ជម្រើសត្រឹមត្រូវបំផុត""",
        after="""
            ត្រឹមត្រូវ | គឺត្រឹមត្រូវ | គឺជាចម្លើយ | គឺជាចម្លើយត្រឹមត្រូវ | គឺជាចម្លើយដែលត្រឹមត្រូវ | ជាចម្លើយ
            | ជាចម្លើយត្រឹមត្រូវ | ជាចម្លើយដែលត្រឹមត្រូវ | គឺជាជម្រើសត្រឹមត្រូវ | ជាជម្រើសត្រឹមត្រូវ | បាទ | ចាស
            | ចា៎ស
            | សមស្របបំផុត | គឺសមស្របបំផុត | គឺជាជម្រើសដែលសមស្របបំផុត | គឺជាចម្លើយដែលសមស្របបំផុត
            | ជាជម្រើសដែលសមស្របបំផុត | គឺជាជម្រើសដែលត្រឹមត្រូវ
            | តែមួយ | តែប៉ុណ្ណោះ""",
        because="ព្រោះ | ពីព្រោះ | ដោយសារ",
        letters="កខគឃង",
    ),
    "my": Phrases(
        # The subject markers are glued to their nouns: "အဖြေ က" is "answer: က", "အဖြေက" is "the answer".
        before="""
            အဖြေ | အဖြေမှာ | အဖြေသည် | အဖြေက | အဖြေကတော့ | အဖြေမှန် | အဖြေမှန်မှာ | အဖြေမှန်သည် | အဖြေမှန်က
            | အဖြေမှန်ကတော့ | မှန်ကန်သော အဖြေ | မှန်ကန်သော အဖြေမှာ | မှန်ကန်သော အဖြေသည် | မှန်ကန်သည့် အဖြေ
            | မှန်ကန်သည့် အဖြေမှာ | မှန်ကန်တဲ့ အဖြေ | မှန်ကန်တဲ့ အဖြေက | မှန်ကန်တဲ့ အဖြေကတော့ | ကျွန်ုပ်၏ အဖြေမှာ
            | ကျွန်ုပ်၏ အဖြေသည် | ကျွန်ုပ်၏ အဖြေ | ကျွန်တော်၏ အဖြေမှာ | ကျွန်မ၏ အဖြေမှာ | ကျွန်တော့် အဖြေက
            | ကျွန်တော့် အဖြေကတော့ | ကျွန်တော့် အဖြေမှာ | ကျွန်မ အဖြေက | ကျွန်မ အဖြေကတော့ | ကျွန်မရဲ့ အဖြေက
            | ကျွန်တော့်ရဲ့ အဖြေက | နောက်ဆုံး အဖြေမှာ | ဤမေးခွန်း၏ | ဤမေးခွန်းအတွက် | ရွေးချယ်စရာ | ရွေးချယ်မှု
            | အက္ခရာ | မှန်ကန်သော ရွေးချယ်စရာမှာ | မှန်ကန်သော ရွေးချယ်မှုမှာ | မှန်ကန်သော အက္ခရာမှာ | ကျွန်ုပ်
            | ကျွန်ုပ်သည် | ကျွန်တော် | ကျွန်တော်သည် | ကျွန်တော်က | ကျွန်မ | ကျွန်မသည် | ကျွန်မက
            | ကျွန်ုပ် ရွေးချယ်သည်မှာ | ထို့ကြောင့် | ဒါကြောင့် | သို့ဖြစ်၍ | ကျွန်ုပ်အထင် | ကျွန်တော့်အထင်
            | ကျွန်မအထင် | စာပိုဒ်အရ | စာပိုဒ်အရဆိုလျှင် | စာသားအရ | စာပိုဒ်ကို အခြေခံ၍ | မှန်ကန်သော အဖြေက
            | မှန်ကန်သည့် အဖြေသည်
            | အသင့်တော်ဆုံး | အသင့်တော်ဆုံးမှာ | အသင့်တော်ဆုံးက | အသင့်တော်ဆုံးကတော့ | ရွေးချယ်စရာ လေးခုထဲမှာ
            | ရွေးချယ်စရာ လေးခုအနက် | ရွေးချယ်စရာများထဲမှ | လေးခုထဲမှာ | လေးခုအနက် | စာပိုဒ်ကို ဖတ်ပြီးနောက် | အထက်ပါ
            | အထက်ပါ မေးခွန်းအတွက် | အထက်ပါ မေးခွန်း၏ | ဒီမှာ | မှန်ကန်တဲ့ ရွေးချယ်မှုက | ရှင်းပါတယ်
            | ဟုတ်ကဲ့ | ဟုတ်ပါတယ် | ရပါတယ် | အထက်ပါ စာပိုဒ်အရ | ဤစာပိုဒ်အရ | ပေးထားသော စာပိုဒ်အရ
            | ကောက်နုတ်ချက် စာသားအရ | အကောင်းဆုံး အဖြေ
            | အကောင်းဆုံး အဖြေမှာ | အကောင်းဆုံး အဖြေက | အကောင်းဆုံး အဖြေသည် | အမှန်ဆုံး အဖြေမှာ | အမှန်ဆုံး အဖြေက
            | အသင့်တော်ဆုံး အဖြေမှာ | အသင့်တော်ဆုံး အဖြေက | အသင့်တော်ဆုံး အဖြေသည်
            | ကျွန်တော့် ရွေးချယ်မှုက | ကျွန်တော့် ရွေးချယ်မှုမှာ | ကျွန်ုပ်၏ ရွေးချယ်မှုမှာ | ကျွန်မ ရွေးချယ်မှုက
            | မေးခွန်း၏ | မေးခွန်းအတွက် | အကောင်းဆုံး ရွေးချယ်မှုမှာ | အကောင်းဆုံး ရွေးချယ်မှုက
            | အကောင်းဆုံး ရွေးချယ်စရာမှာ""",
        after="""
            ဖြစ်သည် | ဖြစ်ပါသည် | ဖြစ်ပါတယ် | ဖြစ်တယ် | ဖြစ်၏ | ပါ | ပဲ | ပဲ ဖြစ်ပါတယ် | ဘဲ ဖြစ်ပါတယ် | ခင်ဗျာ | ခင်ဗျ
            | ရှင် | ရှင့် | သည် အဖြေမှန် | သည် မှန်ကန်သော အဖြေ | သည် မှန်ကန်သည့် အဖြေ | က အဖြေမှန်
            | က မှန်ကန်တဲ့ အဖြေ | သည် အဖြေ | မှန်သည် | မှန်ပါသည် | မှန်ပါတယ် | မှန်တယ် | မှန်ကန်သည် | မှန်ကန်ပါသည်
            | မှန်ကန်ပါတယ် | သည် မှန်ကန်သည် | သည် မှန်ကန်ပါသည် | သည် မှန်သည် | က မှန်ပါတယ် | က မှန်တယ်
            | က မှန်ကန်ပါတယ် | ကို ရွေးချယ်သည် | ကို ရွေးချယ်ပါသည် | ကို ရွေးချယ်ပါတယ် | ကို ရွေးသည် | ကို ရွေးပါသည်
            | ကို ရွေးပါတယ် | ကို ရွေးတယ် | ဟု ထင်သည် | ဟု ထင်ပါသည် | ဟု ထင်ပါတယ် | ဟု ယူဆပါသည် | လို့ ထင်ပါတယ်
            | လို့ ထင်တယ် | လို့ ယူဆပါတယ်
            | က အသင့်တော်ဆုံး | သည် အသင့်တော်ဆုံး | ဟု ကောက်ချက်ချသည် | ဟု ကောက်ချက်ချပါသည်
            | သည် အသင့်တော်ဆုံး ရွေးချယ်မှု | သည် အသင့်တော်ဆုံး အဖြေ | က အသင့်တော်ဆုံး အဖြေ | ဖြစ်မယ်လို့ ယုံကြည်ပါတယ်
            | လို့ ယုံကြည်ပါတယ်
            | ကို ရွေးပါမယ် | ကို ရွေးချယ်ပါမယ် | ကို ရွေးမယ် | ကို ရွေးချယ်မယ်""",
        because="ဘာဖြစ်လို့လဲဆိုတော့ | အဘယ်ကြောင့်ဆိုသော်",
        letters="ကခဂဃင",
    ),
    "vi": Phrases(
        before="""
            đáp án | đáp án đúng | đáp án đúng nhất | đáp án chính xác | đáp án của tôi | đáp án cuối cùng
            | câu trả lời | câu trả lời đúng | câu trả lời đúng nhất | câu trả lời chính xác | câu trả lời của tôi
            | trả lời | lựa chọn | lựa chọn đúng | lựa chọn của tôi | phương án | phương án đúng
            | phương án trả lời đúng | chữ cái | chữ | cho câu hỏi này | của câu hỏi này | của câu hỏi | là | chính là
            | sẽ là | phải là | chọn | tôi chọn | tôi xin chọn | em chọn | mình chọn | vậy | vậy thì | vì vậy | vì thế
            | do đó | do vậy | như vậy | tôi nghĩ | tôi nghĩ rằng | tôi cho rằng | tôi tin rằng | theo tôi
            | theo đoạn văn | dựa vào đoạn văn | dựa trên đoạn văn | theo bối cảnh | dựa vào bối cảnh | theo bài đọc
            | dựa vào bài đọc | theo văn bản | dựa vào văn bản | dạ | thưa | đáp án chính xác nhất
            | đáp án phù hợp nhất | câu trả lời phù hợp nhất | phương án phù hợp nhất
            | trên | ở trên | phù hợp nhất | thích hợp nhất | hợp lý nhất | chính xác nhất | đúng nhất
            | trong bốn lựa chọn | trong bốn phương án | trong bốn đáp án | trong các lựa chọn | trong các phương án
            | sau khi đọc đoạn văn | sau khi đọc văn bản | tôi kết luận | tôi kết luận rằng | có thể kết luận rằng
            | cho câu hỏi | ở đây | tôi chắc chắn | chắc chắn | rõ ràng
            | vâng | vâng ạ | tất nhiên | dĩ nhiên | được | theo đoạn văn trên | theo đoạn văn này
            | dựa vào đoạn văn trên | dựa vào nội dung đoạn văn | theo nội dung đoạn văn | dựa trên nội dung đoạn văn
            | câu trả lời tốt nhất | đáp án tốt nhất | đáp án hợp lý nhất | câu trả lời hợp lý nhất
            | câu trả lời chính xác nhất | phương án tốt nhất | lựa chọn tốt nhất | phương án đúng nhất
            | lựa chọn đúng nhất | phương án chính xác | lựa chọn chính xác
            | câu | câu đúng | ý | ý đúng""",
        after="""
            là đáp án | là đáp án đúng | là đáp án đúng nhất | là đáp án chính xác | là đáp án của tôi
            | là câu trả lời đúng | là câu trả lời chính xác | là câu trả lời | là phương án đúng | là lựa chọn đúng
            | là đúng | là chính xác | mới đúng | đúng | chính xác | ạ | nhé
            | là phù hợp nhất | phù hợp nhất | là hợp lý nhất | là lựa chọn phù hợp nhất | là phương án phù hợp nhất
            | là đáp án phù hợp nhất | là lựa chọn đúng nhất | là phương án đúng nhất | là lựa chọn chính xác""",
        because="vì | bởi vì | do | bởi",
    ),
    "ta": Phrases(
        before="""
            பதில் | விடை | சரியான பதில் | சரியான விடை | மிகச் சரியான விடை | என் பதில் | எனது பதில் | என்னுடைய பதில்
            | என் விடை | எனது விடை | என்னுடைய விடை | இறுதி விடை | இறுதி பதில் | இந்தக் கேள்விக்கான | இக்கேள்விக்கான
            | கேள்விக்கான | விருப்பம் | விருப்பத்தேர்வு | தெரிவு | தேர்வு | எழுத்து | சரியான விருப்பம்
            | சரியான விருப்பத்தேர்வு | சரியான தெரிவு | சரியான தேர்வு | சரியான எழுத்து | என் தேர்வு | எனது தேர்வு
            | என் தெரிவு | எனது தெரிவு | நான் | நான் தேர்ந்தெடுப்பது | நான் தேர்வு செய்வது | எனவே | ஆகவே | ஆகையால்
            | அதனால் | என் கருத்துப்படி | எனது கருத்துப்படி | என்னைப் பொறுத்தவரை | பத்தியின்படி | பத்தியின் படி
            | பத்தியின் அடிப்படையில் | உரையின்படி | உரையின் அடிப்படையில் | மிகச் சரியான பதில்
            | பத்தியின்படி பார்த்தால்
            | மிகவும் பொருத்தமானது | மிகப் பொருத்தமானது | மிகப் பொருத்தமான விடை | மிகப் பொருத்தமான பதில்
            | நான்கு விருப்பங்களில் | இந்த நான்கு விருப்பங்களில் | இந்த விருப்பங்களில் | விருப்பங்களில்
            | பத்தியைப் படித்த பிறகு | மேலே உள்ள | இங்கே | தெளிவாக
            | சரி | நிச்சயமாக | கண்டிப்பாக | இந்தப் பத்தியின்படி | கொடுக்கப்பட்டுள்ள பத்தியின்படி
            | கொடுக்கப்பட்ட பத்தியின்படி | மேலே உள்ள பத்தியின்படி | மேற்கண்ட பத்தியின்படி | சிறந்த பதில் | சிறந்த விடை
            | மிகச் சிறந்த பதில் | மிகச் சிறந்த விடை
            | மிகத் துல்லியமான விடை | மிகத் துல்லியமான பதில் | சிறந்த விருப்பம் | மிகச் சிறந்த விருப்பம்
            | மிகச் சரியான விருப்பம் | மிகப் பொருத்தமான விருப்பம்""",
        after="""
            ஆகும் | தான் | தான் பதில் | தான் விடை | தான் சரியான பதில் | தான் சரியான விடை | சரி | சரியானது
            | சரியான பதில் | சரியான விடை | என்பதே பதில் | என்பதே விடை | என்பதே சரியான பதில் | என்பதே சரியான விடை
            | என்பது சரியான பதில் | என்பது சரியான விடை | என்பதே சரி | என்பதே சரியானது | என்பது சரியானது | என்பது சரி
            | ஐத் தேர்ந்தெடுக்கிறேன் | ஐ தேர்ந்தெடுக்கிறேன் | ஐத் தேர்வு செய்கிறேன் | ஐ தேர்வு செய்கிறேன்
            | என்பதைத் தேர்ந்தெடுக்கிறேன் | என்பதைத் தேர்வு செய்கிறேன் | என்ற எழுத்து | என்ற விருப்பம் | என்ற தெரிவு
            | என்று நினைக்கிறேன் | என நினைக்கிறேன் | என்று கருதுகிறேன் | எனக் கருதுகிறேன் | ஐயா | தான் சரி
            | என்பதாகும்
            | தான் சரியானது | தான் மிகவும் பொருத்தமானது | மிகவும் பொருத்தமானது | என்பதே மிகவும் பொருத்தமானது
            | என்று முடிவு செய்கிறேன் | என முடிவு செய்கிறேன் | மிகவும் பொருத்தமான விருப்பம் | மிகவும் பொருத்தமான விடை
            | மிகவும் பொருத்தமான பதில் | என்பதே சரியான விருப்பம் | தான் சரியான விருப்பம் | என்று உறுதியாக நம்புகிறேன்
            | என்று நம்புகிறேன்""",
        because="ஏனெனில் | ஏனென்றால்",
        letters="அஆஇஈஉ",
    ),
    "zh": Phrases(
        before="""
            答案 | 正确答案 | 正确的答案 | 最佳答案 | 最终答案 | 我的答案 | 本题答案 | 本题正确答案 | 这道题的答案
            | 这道题的正确答案 | 此题答案 | 选项 | 正确选项 | 正确的选项 | 选择 | 我选择 | 选 | 我选 | 应选 | 应该选
            | 应选择 | 故选 | 字母 | 是 | 为 | 应为 | 应是 | 应该是 | 就是 | 因此 | 所以 | 因而 | 故 | 我认为 | 我觉得
            | 我想 | 根据文章 | 根据短文 | 根据文章内容 | 根据文本 | 根据原文 | 根据上文 | 正確答案 | 正確的答案
            | 最終答案 | 本題答案 | 選項 | 正確選項 | 選擇 | 我選擇 | 選 | 我選 | 應選 | 應該選 | 故選 | 為 | 應為
            | 應該是 | 我認為 | 我覺得 | 根據文章 | 根據短文 | 根據文本 | 本题 | 此题 | 这题 | 这道题 | 本題 | 此題
            | 最合适的 | 最恰当的 | 最符合的 | 四个选项中 | 在四个选项中 | 这四个选项中 | 在这四个选项中 | 最合適的
            | 四個選項中 | 读完文章后 | 阅读文章后 | 上述问题的 | 以上问题的 | 这里的 | 我确定 | 显然 | 顯然
            | 好的 | 好 | 当然 | 當然 | 根据这段文字 | 根据这段话 | 根据本文 | 根据文中内容
            | 根据文段 | 根據這段文字 | 根據本文 | 根據這段話 | 最准确的 | 最好的 | 最佳
            | 最佳选项 | 应该选择 | 應該選擇
            | 我的选择 | 我的選擇 | 问题的 | 問題的 | 这个问题的 | 该问题的 | 最佳选择 | 最佳選擇""",
        after="""
            项 | 選項 | 选项 | 是答案 | 是正确答案 | 是正确的答案 | 是正确的 | 是正确选项 | 是正确的选项 | 为正确答案
            | 正确 | 项正确 | 项是正确答案 | 是我的答案 | 是对的 | 項 | 是正確答案 | 是正確的答案 | 是正確的
            | 是正確選項 | 為正確答案 | 正確
            | 最合适 | 最恰当 | 是最合适的 | 是最合適的 | 是最合适的选项 | 是最恰当的选项 | 是最佳选项 | 是最佳答案
            | 是最合適的選項
            | 了 | 无疑 | 最合理 | 最合理的""",
        because="因为 | 因為 | 由于 | 由於",
        letters="甲乙丙丁戊",
    ),
    # The prompts of Kachin and Shan are English.
    "kac": Phrases(),
    "shn": Phrases(),
}
