"""Plain text keeps its line ends, indentation, empty lines, byte order mark and encoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.config import DocumentsConfig
from ferryman.documents.formats import read_document
from ferryman.errors import DataError

LINES = st.lists(st.tuples(st.text(max_size=12), st.sampled_from(["\n", "\r\n", "\r", "\n\n"])), max_size=8)


@given(LINES, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
def test_any_text_comes_back_as_it_was(lines, encoding):
    data = "".join(line + end for line, end in lines).encode(encoding, "replace")
    document = read_document("a.txt", data, DocumentsConfig())
    assert document.write(document.texts) == data
    assert document.write([None] * len(document.segments)) == data


def test_lines_are_translated_where_they_stand(translate):
    assert translate("a.txt", "\ufeff  one two\r\n\r\n\tthree \r\nfour") == "\ufeff  ONE TWO\r\n\r\n\tTHREE \r\nFOUR"


def test_a_translation_of_several_lines_stays_on_its_line(translate):
    assert translate("a.txt", "one\ntwo\n", lambda text: f"{text}\n again\n") == "one again\ntwo again\n"


def test_segments_know_their_lines(read):
    assert [one.line for one in read("a.txt", "a\r\n\r\nb\rc\n\nd").segments] == [1, 3, 4, 6]


def test_what_is_not_utf_8_is_refused_with_its_place(read):
    with pytest.raises(DataError, match=r"a.txt, line 2, byte 4 of the file: 0xff is not valid UTF-8; convert"):
        read("a.txt", b"ab\n\xff")


def test_utf_16_stays_utf_16(read):
    document = read("a.txt", "one\n".encode("utf-16"))
    assert document.write(["zwei"]).decode("utf-16") == "zwei\n"
