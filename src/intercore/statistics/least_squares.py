"""Linear least squares with what intervals need: as statsmodels has it, which the tests compare with.

statsmodels brings pandas, together 150 MB to install and two seconds to load, for these few lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from intercore.statistics.probability import student_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

_SMALLEST = 1e-15
"""Part of the largest singular value below which one counts as 0."""


class Fit(NamedTuple):
    """A fit of parameters to a response."""

    parameters: Floats
    """The ones of least norm, where columns of the design depend on each other."""
    residuals: Floats
    """Response less what the parameters give, not weighted."""
    squares: float
    """Sum of the squared residuals, weighted."""
    rank: int
    """Of the design."""
    covariance: Floats
    """Of the parameters, for a variance of 1: (X'WX)⁺."""

    @property
    def freedom(self) -> int:
        """Degrees of freedom that are left."""
        return len(self.residuals) - self.rank

    @property
    def variance(self) -> float:
        """Of a response of weight 1, from the residuals; only with freedom left."""
        return self.squares / self.freedom

    def half_width(self, rows: ArrayLike, level: float, *, of_another: bool = False) -> Floats:
        """Return half the width of the interval at that level for each row of a design; only with freedom left.

        It is that of the mean there; or, `of_another`, that of another response of weight 1.
        """
        rows = np.atleast_2d(np.asarray(rows, np.float64))
        variance = self.variance * (np.einsum("ij,jk,ik->i", rows, self.covariance, rows) + of_another)
        found: Floats = student_quantile((1 + level) / 2, self.freedom) * np.sqrt(np.maximum(variance, 0.0))
        return found


def least_squares(response: ArrayLike, design: ArrayLike, weights: ArrayLike | None = None) -> Fit:
    """Fit `design @ parameters` to the response, shapes (n, p), (p,) and (n,); weights above 0, 1 each if left out."""
    y, x = np.asarray(response, np.float64), np.asarray(design, np.float64)
    root = np.ones(len(y)) if weights is None else np.sqrt(np.asarray(weights, np.float64))
    left, singular, right = np.linalg.svd(x * root[:, None], full_matrices=False)
    large = singular > _SMALLEST * np.max(singular, initial=0.0)
    inverse = np.divide(1.0, singular, out=np.zeros_like(singular), where=large)
    pseudo = (right.T * inverse) @ left.T
    parameters = pseudo @ (y * root)
    residuals = y - x @ parameters
    rank = int(np.linalg.matrix_rank(np.diag(singular)))
    return Fit(parameters, residuals, float(np.sum((residuals * root) ** 2)), rank, pseudo @ pseudo.T)
