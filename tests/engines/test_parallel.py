import threading

import pytest
import torch

from ferryman.engines.parallel import map_in_threads


def test_items_keep_their_order_and_share_the_threads():
    seen, both = set(), threading.Barrier(2, timeout=30)

    def work(item):
        both.wait()  # so that it only goes on if two are at work
        seen.add((threading.get_ident(), torch.get_num_threads()))
        return 10 * item

    assert map_in_threads(work, [1, 2, 3, 4], workers=2) == [10, 20, 30, 40]
    assert len(seen) == 2
    assert {threads for _, threads in seen} == {1}


def test_the_number_of_threads_is_what_it_was_after_an_error():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with pytest.raises(ZeroDivisionError):
            map_in_threads(lambda item: 1 / item, [1, 0, 2], workers=2)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
