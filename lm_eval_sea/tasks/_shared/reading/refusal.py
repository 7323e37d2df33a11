"""Whether a chat model declines to answer. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import cache


# How a refusal says so, by language: that one is unable or unwilling, and what one is unable to do or to be. English is read in
# every language.
REFUSALS = {
    "en": r"(?:(?:i(?: am|['’]m) (?:really |very )?sorry|sorry|i apologi[sz]e|unfortunately|as an? (?:ai|language model))"
    r"[^.\n\"”]{0,60}\b)?i(?: ?can(?:not|['’]t)|(?: am|['’]m) (?:unable|not able)| won['’]t| must decline| will not)"
    r"[^.\n\"”]{0,40}\b(?:help|assist|answer|comply|provide|fulfill?|do that|continue|translate|summari[sz]e|discuss|engage)",
    "id": r"(?:maaf|mohon maaf|sebagai (?:model bahasa|ai|kecerdasan buatan))[^.\n]{0,60}"
    r"(?:tidak|tak|belum) (?:dapat|bisa|mampu|akan)[^.\n]{0,40}(?:bantu|jawab|beri|sedia|lakukan|erjemah|ringkas|rangkum"
    r"|penuhi|lanjut)",
    "ms": r"(?:maaf|minta maaf|sebagai (?:model bahasa|ai))[^.\n]{0,60}"
    r"(?:tidak|tak) (?:dapat|boleh|mampu|akan)[^.\n]{0,40}(?:bantu|jawab|beri|sedia|lakukan|erjemah|ringkas|penuhi|terus)",
    "jv": r"(?:nyuwun (?:pangapunten|ngapunten|sewu)|ngapunten)[^.\n]{0,60}(?:ora|mboten) (?:bisa|saged)",
    "su": r"(?:hapunten|punten)[^.\n]{0,60}(?:teu|henteu) (?:tiasa|bisa)",
    "vi": r"(?:xin lỗi|rất tiếc|tôi là (?:một )?(?:mô hình|ai|trí tuệ))[^.\n]{0,60}(?:không thể|không được phép)",
    "tl": r"(?:paumanhin|pasensya|patawad|bilang isang (?:ai|modelo))[^.\n]{0,60}(?:hindi (?:ko|ako)|di ko)"
    r"[^.\n]{0,20}(?:maaari|kaya|makatulong|masagot|maibibigay)|(?:paumanhin|pasensya)[^.\n]{0,40}walang",
    "ceb": r"(?:pasayloa|pasensya)[^.\n]{0,60}(?:dili|di) (?:ko|nako|ako)",
    "ilo": r"(?:pasensia|dispensar)[^.\n]{0,60}(?:saan|diak) ",
    "war": r"(?:pasayloa|pasensya)[^.\n]{0,60}(?:diri|dire) (?:ko|ako|nakon)",
    "th": r"(?:ขออภัย|ขอโทษ|เสียใจ|ในฐานะ(?:โมเดล|แบบจำลอง|ปัญญาประดิษฐ์|ai))[^\n]{0,80}(?:ไม่สามารถ|ไม่อาจ|ไม่ได้รับอนุญาต|ไม่เห็น|ไม่พบ)",
    "my": r"(?:တောင်းပန်|ဝမ်းနည်း)[^\n]{0,120}(?:မရ|မတတ်နိုင်|မပေးနိုင်|မဖြေနိုင်|မကူညီနိုင်|မဆောင်ရွက်နိုင်|မလုပ်နိုင်)",
    "km": r"(?:សូមអភ័យទោស|សុំទោស|សូមទោស)[^\n]{0,120}(?:មិនអាច|ពុំអាច)",
    "lo": r"(?:ຂໍອະໄພ|ຂໍໂທດ|ເສຍໃຈ)[^\n]{0,120}(?:ບໍ່ສາມາດ|ບໍ່ອາດ)",
    "ta": r"(?:மன்னிக்கவும்|மன்னியுங்கள்|வருந்துகிறேன்)[^.\n]{0,120}(?:முடியாது|இயலாது|முடியவில்லை|இயலவில்லை)"
    r"|[^.\n]{0,60}என்னால்[^.\n]{0,40}(?:முடியாது|இயலாது|முடியவில்லை|இயலவில்லை)",
    "zh": r"(?:抱歉|对不起|很遗憾|作为(?:一个|一名)?(?:ai|人工智能|语言模型))[^\n]{0,40}(?:不能|无法|不便|没办法)",
}
_BEGINNING = 300  # characters of an answer in which a refusal has to stand


def is_refusal(answer: str, language: str) -> bool:
    """Whether an answer begins with a refusal, in a language or in English.

    Args:
        answer: what the model wrote, without its thought.
        language: code of the language that it is expected to speak.
    """
    return bool(_refusal(language).match(answer[:_BEGINNING].lstrip(' \t\n*_"“')))


@cache
def _refusal(language: str) -> re.Pattern[str]:
    words = [REFUSALS[code] for code in dict.fromkeys((language, "en")) if code in REFUSALS]
    return re.compile("|".join(f"(?:{each})" for each in words), re.IGNORECASE)
