"""Add & Norm (Figure 1, §3.1): where the residual sum and the layer normalisation stand around a sub-layer."""

from jaxtyping import Float
from torch import Tensor, nn

from ferryman.model.dropout import Dropout
from ferryman.model.observe import Observer


class PostNorm(nn.Module):
    """LayerNorm(x + Dropout(Sublayer(x))): the paper's order (§3.1, §5.4)."""

    def __init__(self, d_model: int, *, dropout: float, epsilon: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(d_model, eps=epsilon)
        self.dropout = Dropout(dropout)

    def before(
        self, x: Float[Tensor, "batch length d_model"], observe: Observer | None = None
    ) -> Float[Tensor, "batch length d_model"]:
        """Return what the sub-layer reads: x as it is."""
        return x

    def after(
        self,
        x: Float[Tensor, "batch length d_model"],
        sublayer: Float[Tensor, "batch length d_model"],
        observe: Observer | None = None,
    ) -> Float[Tensor, "batch length d_model"]:
        """Add the sub-layer's output and normalise."""
        total = self.dropout.add(x, sublayer)
        normed: Tensor = self.norm(total)
        if observe:
            observe("residual", total)
            observe("norm", normed)
        return normed


class PreNorm(nn.Module):
    """x + Dropout(Sublayer(LayerNorm(x))).

    Differs from the paper: gradients reach every layer through an unbroken sum, so training is stable at high learning
    rates (Xiong et al., 2020). The stack needs one more norm at its end.
    """

    def __init__(self, d_model: int, *, dropout: float, epsilon: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(d_model, eps=epsilon)
        self.dropout = Dropout(dropout)

    def before(
        self, x: Float[Tensor, "batch length d_model"], observe: Observer | None = None
    ) -> Float[Tensor, "batch length d_model"]:
        """Return what the sub-layer reads: x normalised."""
        normed: Tensor = self.norm(x)
        if observe:
            observe("norm", normed)
        return normed

    def after(
        self,
        x: Float[Tensor, "batch length d_model"],
        sublayer: Float[Tensor, "batch length d_model"],
        observe: Observer | None = None,
    ) -> Float[Tensor, "batch length d_model"]:
        """Add the sub-layer's output."""
        total = self.dropout.add(x, sublayer)
        if observe:
            observe("residual", total)
        return total


AddNorm = PostNorm | PreNorm
