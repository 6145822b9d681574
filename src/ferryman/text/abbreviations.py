"""Abbreviations with a full stop that (almost) never ends a sentence, by language; in lower case, without the stop.

Those that often do end one (``etc.``, ``usw.``) are left out: what follows them tells. Single letters and letters with
stops between (``z.B.``) need no list. ``BEFORE_NUMBER`` are abbreviations only where a number follows.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES = _words("mr mrs ms dr prof st")  # in all languages

ABBREVIATIONS: dict[str, frozenset[str]] = {
    language: _words(words)
    for language, words in {
        "en": "mr mrs ms dr prof st mt gen col capt cmdr lt sgt maj adm gov sen rep rev hon pres supt insp "
        "messrs mmes vs cf approx dept est ave blvd al viz ",
        "de": "hr fr frl dr prof dipl ing st bzw ca vgl evtl ggf inkl exkl zzgl abzgl sog bspw insb tel "
        "nr bd hrsg jh geb gest verh ggü kath ev röm geschw str bes allg urspr südl nördl östl westl sen jun abs",
        "fr": "m mm mme mmes mlle mlles dr pr prof st ste me mgr cf av apr env tél bd boul chap éd ",
        "es": "sr sra sres sras srta d dña dr dra prof profa lic ing arq gral cnel cap tte sto sta ud uds vd vds av "
        "avda pág págs art núm tel aprox fig cf vs",
        "it": "sig sigg dott prof avv ing geom arch on rev egr gent spett sigra pag art cfr ecc tel ca fig dr mons",
        "pt": "sr sra srs sras srta dr dra prof profa eng exmo exma av pág págs art tel núm fig cf aprox d",
        "nl": "dhr mevr mw dr drs ir ing mr prof st bijv bv nl ca evt incl excl resp vgl zgn dwz tel nr",
        "sv": "dr prof st ca t.ex bl.a d.v.s tel nr jfr resp inkl exkl kl s.k f.d m.fl",
        "da": "dr prof hr fr skt ca f.eks bl.a dvs tel nr jf kl fx evt inkl ekskl",
        "nb": "dr prof hr fr st ca f.eks bl.a dvs tel nr jf kl evt inkl ekskl",
        "fi": "dr prof hra rva nti esim mm ns ts ym ks vrt puh nro",
        "pl": "dr prof mgr inż ul al pl os św ks np tzw tzn por tel nr godz min ww pt gen płk mjr kpt red",
        "cs": "dr prof doc mgr ing judr mudr phdr bc ul nám sv tzv např popř resp tj tzn mj čp tel",
        "sk": "dr prof doc mgr ing judr mudr ul nám sv tzv napr resp tj tzn tel",
        "hu": "dr prof ifj id özv ún pl kb ill stb tel",
        "ro": "dl dna dra dr prof ing str bd nr tel cca dvs pt art",
        "ru": "г гг ул пл пр просп пер обл р руб коп тыс млн млрд см ср напр проф акад доц гр тов стр рис табл "
        "тел кв корп",
        "uk": "р рр вул пл просп пров обл грн коп тис млн млрд див напр ім проф акад доц гр стор рис табл тел кв",
        "bg": "г гг ул пл бул обл лв хил млн млрд напр проф акад доц стр фиг табл тел вж др",
        "sr": "др проф инж ул бр стр нпр тзв сл тј г dr prof inž ul br str npr tzv sl tj",
        "hr": "dr prof mr inž ul br str npr tzv sl tj god",
        "sl": "dr prof mag inž ul št str npr tj oz t.i ga g",
        "tr": "dr prof doç yrd av sn bkz vb örn alb gen cad sok mah apt tel no",
        "el": "κ κα κος δρ καθ αγ π.χ δηλ λεωφ τηλ",
        "ca": "sr sra dr dra prof av núm tel pàg",
        "hi": "डॉ प्रो श्री श्रीमती सं रु पं कि",
        "vi": "ts ths pgs gs tp",
        "id": "dr prof ir drs sdr jl no tel hlm",
    }.items()
}
ABBREVIATIONS["no"] = ABBREVIATIONS["nn"] = ABBREVIATIONS["nb"]
ABBREVIATIONS["bs"] = ABBREVIATIONS["hr"]

BEFORE_NUMBER = _words(
    "no nos nr núm nº p pp pg pag pág s ss vol vols ch chap kap fig figs abb tab eq sec sect art arts abs ziff ed ca c "
    "approx min max tel ok jan feb mar apr jun jul aug sep sept oct okt nov dec dez str стр рис гл п № č čís št бр"
)

# Languages that write ordinal numbers with a full stop: ``am 3. Mai``, ``Ludwig XIV. war``.
ORDINAL_STOP = _words("de da nb nn no fi is fo et lv lb hu cs sk sl hr bs sr tr pl eu hsb dsb gsw")
