"""Statistics that analysts reach for, with None handled: pairs or values with None or NaN are left out."""

import math
import statistics
from collections import namedtuple

# Unpack like SciPy's results: r, p = pearsonr(x, y); slope, intercept, r, p, stderr = linregress(x, y).
PearsonResult = namedtuple("PearsonResult", "statistic pvalue")
LinregressResult = namedtuple("LinregressResult", "slope intercept rvalue pvalue stderr")


def _number(value):
    """A float, or None for None and NaN."""
    if value is None:
        return None
    value = float(value)
    return None if math.isnan(value) else value


def _numbers(values):
    return [n for value in values if (n := _number(value)) is not None]


def median(values):
    """Median as float; None when no value is left."""
    numbers = _numbers(values)
    return statistics.median(numbers) if numbers else None


def stdev(values):
    """Sample standard deviation (n - 1) as float; None with fewer than two values."""
    numbers = _numbers(values)
    return statistics.stdev(numbers) if len(numbers) > 1 else None


def _pairs(name, x, y, least):
    x, y = list(x), list(y)
    if len(x) != len(y):
        raise ValueError(f"{name}: x has {len(x)} values and y has {len(y)}")
    pairs = [(a, b) for left, right in zip(x, y) if None not in (a := _number(left), b := _number(right))]
    if len(pairs) < least:
        raise ValueError(f"{name}: {len(pairs)} complete pairs are left; at least {least} are needed")
    return [a for a, _ in pairs], [b for _, b in pairs]


def _sums(x, y):
    """Means and centred sums: mean x, mean y, Sxx, Syy, Sxy."""
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    sxx = math.fsum((a - mx) ** 2 for a in x)
    syy = math.fsum((b - my) ** 2 for b in y)
    sxy = math.fsum((a - mx) * (b - my) for a, b in zip(x, y))
    return mx, my, sxx, syy, sxy


def _beta(a, b, x):
    """Regularized incomplete beta function by its continued fraction (Lentz)."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _beta(b, a, 1.0 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    tiny = 1e-300
    c, d = 1.0, 1.0 / ((1.0 - (a + b) * x / (a + 1.0)) or tiny)
    total = d
    for m in range(1, 300):
        for top in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / ((1.0 + top * d) or tiny)
            c = (1.0 + top / c) or tiny
            total *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return front * total / a


def _two_sided(r, freedom):
    """p of a correlation under the t distribution with `freedom` degrees."""
    if freedom <= 0:
        return 1.0
    return 0.0 if abs(r) >= 1.0 else _beta(freedom / 2, 0.5, 1.0 - r * r)


def pearsonr(x, y):
    """(statistic, pvalue): correlation and two-sided p. ValueError when a side is constant or fewer than 2 pairs."""
    x, y = _pairs("pearsonr", x, y, 2)
    _, _, sxx, syy, sxy = _sums(x, y)
    if sxx == 0 or syy == 0:
        raise ValueError("pearsonr: one side is constant, so there is no correlation")
    r = max(-1.0, min(1.0, sxy / math.sqrt(sxx) / math.sqrt(syy)))
    return PearsonResult(r, _two_sided(r, len(x) - 2))


def linregress(x, y):
    """(slope, intercept, rvalue, pvalue, stderr) of y over x. ValueError when x is constant or fewer than 2 pairs."""
    x, y = _pairs("linregress", x, y, 2)
    mx, my, sxx, syy, sxy = _sums(x, y)
    if sxx == 0:
        raise ValueError("linregress: x is constant, so there is no line")
    slope = sxy / sxx
    r = 0.0 if syy == 0 else max(-1.0, min(1.0, sxy / math.sqrt(sxx) / math.sqrt(syy)))
    freedom = len(x) - 2
    error = math.sqrt(max(0.0, 1.0 - r * r) * syy / sxx / freedom) if freedom > 0 else 0.0
    return LinregressResult(slope, my - slope * mx, r, _two_sided(r, freedom), error)
