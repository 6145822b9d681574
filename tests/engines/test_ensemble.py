"""Several models as one stepper."""

import math

import torch

from ferryman.decoding import Stepper, beam_search
from ferryman.engines.ensemble import EnsembleStepper, mean_log_probs
from ferryman.engines.torch_stepper import TorchStepper


def test_probabilities_are_averaged_through_reordering_and_keeping(build_model, draw_tokens):
    source = draw_tokens(3, 6)
    models = [build_model(seed=1), build_model(seed=2, d_model=32, encoder_layers=1)]
    single = [TorchStepper(model, source, None) for model in models]
    together = EnsembleStepper([TorchStepper(model, source, None) for model in models])
    assert isinstance(together, Stepper)
    with torch.inference_mode():
        assert [stepper.start(2) for stepper in [*single, together]] == [3, 3, 3]
        for move in range(3):
            tokens = draw_tokens(6 if move < 2 else 4, seed=move)
            each = [stepper.step(tokens).exp() for stepper in single]
            found = together.step(tokens)
            torch.testing.assert_close(found.exp(), (each[0] + each[1]) / 2)
            assert bool((found <= 0).all())
            for stepper in [*single, together]:
                stepper.reorder(torch.tensor([1, 0, 2, 2, 5, 4]) if move == 0 else torch.arange(6 - 2 * (move > 1)))
                if move == 1:
                    stepper.keep(torch.tensor([0, 2]))


def test_a_model_with_itself_is_that_model(build_model, draw_tokens):
    source, model = draw_tokens(3, 6), build_model()
    options = {"beam": 3, "max_lengths": torch.tensor([9, 9, 9]), "bos": 0, "eos": 1}
    (alone, twice) = (
        beam_search(stepper, **options)
        for stepper in (
            TorchStepper(model, source, None),
            EnsembleStepper([TorchStepper(model, source, None) for _ in range(2)]),
        )
    )
    assert [[one.tokens for one in each] for each in alone] == [[one.tokens for one in each] for each in twice]


def test_what_is_impossible_for_all_stays_impossible():
    found = mean_log_probs([torch.tensor([0.0, -math.inf]), torch.tensor([0.0, -math.inf])])
    assert found.tolist() == [0.0, -math.inf]
