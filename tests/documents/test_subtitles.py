"""Subtitles keep numbers, time stamps, notes, styles, tags and line ends."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.config import DocumentsConfig
from ferryman.documents.formats import read_document
from ferryman.errors import DataError

SRT = "1\n00:00:01,000 --> 00:00:02,000\n{}\n\n2\n00:00:03,000 --> 00:00:04,500 X1:10\nEnd.\n"


def test_srt_keeps_its_form(translate):
    text = SRT.format("<i>Hello</i> there.").replace("\n", "\r\n")
    assert translate("a.srt", text) == text.replace("Hello", "HELLO").replace("there", "THERE").replace("End", "END")


def test_a_sentence_over_two_lines_is_one_text_and_two_lines_again(read):
    document = read("a.srt", SRT.format("The river is\nwide and deep."))
    assert document.texts[0] == "The river is wide and deep."
    result = document.write(["Der Fluss ist sehr breit und tief.", None]).decode()
    assert "\nDer Fluss ist sehr\nbreit und tief.\n\n2\n" in result
    assert "\n河又宽又深\n，水很冷。\n" in document.write(["河又宽又深，水很冷。", None]).decode().replace(
        "深，\n", "深\n，"
    )


def test_what_two_people_say_is_two_texts(read):
    assert read("a.srt", SRT.format("- Where is he?\n- At home.")).texts[:2] == ["- Where is he?", "- At home."]


def test_tags_come_back_once_each_over_line_breaks(read):
    document = read("a.srt", SRT.format("{\\an8}<b>One</b> two\nthree <i>four</i> five"))
    assert document.texts[0] == "<f1>One</f1> two three <f2>four</f2> five"
    result = document.write(["<f2>vier</f2> fünf eins <f1>zwei</f1> drei", None]).decode()
    assert re.search(r"\n\{\\an8\}<i>vier</i> fünf( |\n)eins( |\n)<b>zwei</b> drei\n", result)
    assert result.count("\n") == SRT.count("\n") + 1


def test_vtt_keeps_header_notes_styles_and_voices(translate):
    text = (
        "\ufeffWEBVTT - title\nKind: captions\n\nNOTE a note\nin lines\n\nSTYLE\n::cue { color: red }\n\n"
        "intro\n00:01.000 --> 00:02.000 align:start\n<v Roger>hello <00:01.500>you\n\n"
    )
    assert translate("a.vtt", text) == text.replace("hello", "HELLO").replace("you", "YOU")


def test_a_translation_cannot_look_like_a_time_stamp(translate):
    assert "a → b" in translate("a.srt", SRT.format("x"), lambda text: "a --> b")


def test_what_is_not_translated_is_counted(read):
    document = read("a.srt", SRT.format("♪ 12 ♪") + "\n\njunk\n")
    assert document.kept == {"no words": 1, "no time stamp": 1}
    assert read("a.vtt", "WEBVTT\n").segments == []


def test_a_text_without_time_stamps_is_refused(read):
    with pytest.raises(DataError, match="no line has time stamps"):
        read("a.srt", "hello\nyou\n")


def test_files_of_other_programs(shared, read):
    for path in sorted((shared / "srt").iterdir()):
        data = path.read_bytes()
        document = read(path.name, data)
        assert document.write(document.texts) == data
        assert document.segments


CUES = st.lists(
    st.lists(
        st.sampled_from(["word", "<i>a b</i> c", "- hello", "{\\an8}top", "1", "猫在这里。", "<b>", " "]), max_size=3
    ),
    max_size=4,
)


@given(CUES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_cues_keep_their_times_and_their_number_of_lines(cues, end, web):
    time = "00:00:0{0}.000 --> 00:00:0{0}.500" if web else "00:00:0{0},000 --> 00:00:0{0},500"
    blocks = [["WEBVTT"]] if web else []
    blocks += [[str(number), time.format(number), *lines] for number, lines in enumerate(cues, start=1)]
    text = "".join(line + end for block in blocks for line in [*block, ""])
    document = read_document("a.vtt" if web else "a.srt", text.encode(), DocumentsConfig(), ("en", "de"))
    assert document.write(document.texts) == text.encode()
    result = document.write([f"X {one} Y" for one in document.texts]).decode()
    assert re.findall(r".*-->.*", result) == re.findall(r".*-->.*", text)
    assert result.count("\n") == text.count("\n")
    assert sorted(re.findall(r"</?\w+>", result)) == sorted(re.findall(r"</?\w+>", text))
