"""Products in eight bits: near those in float32, exact in what they add up, each row by itself."""

import pytest
import torch

from ferryman.decoding import beam_search
from ferryman.engines import int8, onnx_graph
from ferryman.engines.choice import build_engine
from ferryman.engines.packed import transposed

pytestmark = pytest.mark.skipif(not int8.has_kernel(), reason="this PyTorch has no kernel for products in eight bits")


@pytest.fixture(autouse=True)
def _however_small(monkeypatch):
    monkeypatch.setattr(int8, "WORTH_IT", 1)
    monkeypatch.setattr(onnx_graph, "WORTH_IT", 1)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def by_runtime(weight, bias):
    """Make a product in eight bits by ONNX Runtime."""
    graph = onnx_graph.Graph(heads=1, eight_bits=True)
    x = graph.input("x", torch.float32, ["rows", weight.size(1)])
    graph.output(graph.linear(x, weight, bias), "y", ["rows", len(weight)])
    session = graph.session(1)

    def product(x):
        x, y = x.contiguous(), torch.empty(len(x), len(weight))
        binding = session.io_binding()
        onnx_graph.bind(binding, {"x": x}, {"y": y})
        session.run_with_iobinding(binding)
        return y

    return product


@pytest.fixture(params=[int8.quantised, by_runtime])
def quantised(request):
    return request.param


@pytest.mark.parametrize("bias", [None, draw(24, seed=2)], ids=["no bias", "bias"])
def test_a_product_is_near_that_in_float32(quantised, bias):
    x, weight = draw(9, 64), draw(24, 64, seed=1)
    expected = transposed(weight, bias)(x)
    found = quantised(weight, bias)(x)
    assert (found - expected).norm() < 0.02 * expected.norm()


def test_a_row_does_not_depend_on_its_neighbours(quantised):
    x, product = draw(33, 64), quantised(draw(24, 64, seed=1), draw(24, seed=2))
    x[5] *= 1000
    whole = product(x)
    for row in range(33):
        assert torch.equal(product(x[row : row + 1])[0], whole[row])


def test_sums_of_the_largest_numbers_do_not_overflow(quantised):
    """Processors that add two products in 16 bits would saturate here."""
    signs = torch.where(torch.arange(512) % 3 == 0, -1.0, 1.0)
    product = quantised(torch.stack((signs, -signs, torch.ones(512))), None)
    expected = torch.tensor([[512.0, -512.0, signs.sum().item()]])
    torch.testing.assert_close(product(signs[None]), expected, rtol=1e-5, atol=1e-3)


def test_a_row_of_zeros_gives_the_bias(quantised):
    bias = draw(24, seed=2)
    assert torch.equal(quantised(draw(24, 64), bias)(torch.zeros(2, 64)), bias.expand(2, -1))


@pytest.mark.parametrize(
    ("capabilities", "levels"),
    [({"avx2": True}, 63), ({"avx512_vnni": True}, 127), ({"avx_vnni": True}, 127), ({"avx_vnni": False}, 63)],
)
def test_weights_are_coarser_where_sums_would_not_fit(capabilities, levels):
    assert int8.weight_levels(capabilities) == levels


def test_a_small_matrix_stays_in_float32(monkeypatch):
    monkeypatch.setattr(int8, "WORTH_IT", 24 * 64 + 1)
    x, weight = draw(3, 64), draw(24, 64, seed=1)
    assert torch.equal(int8.quantised(weight, None)(x), transposed(weight, None)(x))


@pytest.mark.parametrize("name", ["int8", "onnx-int8"])
def test_a_sentence_is_found_the_same_alone(build_model, draw_tokens, name):
    engine = build_engine(name, build_model(d_model=32, norm_order="pre"))
    source, limits = draw_tokens(6, 7), torch.full((6,), 9)
    together = beam_search(engine(source, None), beam=3, max_lengths=limits, bos=2, eos=3)
    for row in range(6):
        [alone] = beam_search(engine(source[row : row + 1], None), beam=3, max_lengths=limits[:1], bos=2, eos=3)
        assert [one.tokens for one in alone] == [one.tokens for one in together[row]]
        assert alone[0].log_prob == pytest.approx(together[row][0].log_prob, abs=1e-5)
