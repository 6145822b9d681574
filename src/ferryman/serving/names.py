"""What languages are called, in English; of others, their code."""

from ferryman.text.languages import base_language

_CODES = (
    "af=Afrikaans am=Amharic ar=Arabic az=Azerbaijani be=Belarusian bg=Bulgarian bn=Bengali bs=Bosnian ca=Catalan "
    "cs=Czech cy=Welsh da=Danish de=German el=Greek en=English eo=Esperanto es=Spanish et=Estonian eu=Basque "
    "fa=Persian fi=Finnish fr=French ga=Irish gl=Galician gu=Gujarati he=Hebrew hi=Hindi hr=Croatian hu=Hungarian "
    "hy=Armenian id=Indonesian is=Icelandic it=Italian ja=Japanese ka=Georgian kk=Kazakh km=Khmer kn=Kannada "
    "ko=Korean ky=Kyrgyz la=Latin lo=Lao lt=Lithuanian lv=Latvian mk=Macedonian ml=Malayalam mn=Mongolian "
    "mr=Marathi ms=Malay mt=Maltese my=Burmese nb=Norwegian_Bokmål ne=Nepali nl=Dutch nn=Norwegian_Nynorsk "
    "no=Norwegian pa=Punjabi pl=Polish ps=Pashto pt=Portuguese ro=Romanian ru=Russian si=Sinhala sk=Slovak "
    "sl=Slovenian so=Somali sq=Albanian sr=Serbian sv=Swedish sw=Swahili ta=Tamil te=Telugu tg=Tajik th=Thai "
    "tk=Turkmen tl=Tagalog tr=Turkish uk=Ukrainian ur=Urdu uz=Uzbek vi=Vietnamese yue=Cantonese zh=Chinese zu=Zulu"
)
_NAMES = dict(pair.split("=") for pair in _CODES.split())
_FORMS = {
    "zh-Hans": "Chinese (simplified)",
    "zh-Hant": "Chinese (traditional)",
    "pt-BR": "Portuguese (Brazil)",
    "pt-PT": "Portuguese (Portugal)",
}


def language_name(code: str) -> str:
    """Return the name of a BCP-47 code."""
    if code in _FORMS:
        return _FORMS[code]
    base = base_language(code)
    name = _NAMES.get(base, base).replace("_", " ")
    return name if code == base else f"{name} ({code.removeprefix(base + '-')})"
