#!/usr/bin/env python3
"""reference.py [--scipy]: the table that stats_test.c compares with, on standard output; --scipy: compares it with SciPy.

A Clopper-Pearson bound is where a binomial tail has the chance (1 - confidence) / 2. Here the tail is summed term by term in
60 decimal digits and the equation solved by Newton's method, with nothing but Python's own library. SciPy's inverse of the
beta distribution has to agree to 1e-9 for less than 10^7 tries. Above that it does not hold (1.17.1: 2.5 times the truth for
1000 events in 10^10 tries), but its forward function does: it has to give that chance at each bound of the table, to 1e-9.
"""
import decimal
import functools
import sys
from decimal import Decimal

decimal.setcontext(decimal.Context(prec=60, Emin=-(10**15), Emax=10**15))

CONFIDENCES = (0.9, 0.95, 0.99, 0.99999)
TABLE = {  # events: tries
    0: (1, 3, 1000, 10**6, 10**10, 10**12),
    1: (1, 2, 10, 1000, 10**6, 10**8, 10**10, 10**12),
    2: (3, 100, 10**5, 10**10),
    10: (10, 11, 12, 20, 10**4, 10**10),
    1000: (1000, 1001, 10**4, 10**10),
    10**5: (100001, 2 * 10**5, 10**6, 10**10),
    10**6: (1000001, 10**12),
}


@functools.cache
def ways(tries, events):
    """The binomial coefficient, rounded."""
    result = Decimal(1)
    for i in range(min(events, tries - events)):
        result = result * (tries - i) / (i + 1)
    return result


def tail(events, tries, p, step):
    """The chance of exactly so many events, and of these or fewer (step -1) or these or more (step 1)."""
    odds = (1 - p) / p
    first = term = total = ways(tries, events) * p**events * (1 - p) ** (tries - events)
    i = events
    while 0 <= i + step <= tries and term > total * Decimal("1e-50"):
        term *= odds * i / (tries - i + 1) if step < 0 else (tries - i) / (odds * (i + 1))
        i += step
        total += term
    return first, total


def solve(events, tries, chance, step):
    """The p of which the tail has this chance. The tail's logarithm is concave in p: Newton's method cannot miss."""
    p = (Decimal(events) + Decimal("0.5")) / (tries + 1)
    while True:
        first, total = tail(events, tries, p, step)
        slope = first * ((tries - events) / (1 - p) if step < 0 else events / p) / total * step
        following = p + (chance / total).ln() / slope
        if abs(following - p) < p * Decimal("1e-30"):
            return following
        p = min(max(following, p / 2), (p + 1) / 2)


def bounds(events, tries, confidence):
    """Lower and upper; what the contract of stats.h says of 0 and all events."""
    miss = 1 - Decimal(confidence)
    one_sided = (miss.ln() / tries).exp()
    lower = Decimal(0) if events == 0 else one_sided if events == tries else solve(events, tries, miss / 2, 1)
    upper = Decimal(1) if events == tries else 1 - one_sided if events == 0 else solve(events, tries, miss / 2, -1)
    return float(lower), float(upper)


def rows():
    for events, all_tries in TABLE.items():
        for tries in all_tries:
            for confidence in CONFIDENCES:
                yield (events, tries, confidence, *bounds(events, tries, confidence))


def compare():
    from scipy.stats import beta

    def expect(what, got, wanted):
        if abs(got - wanted) > 1e-9 * wanted:
            sys.exit(f"{events} of {tries}, confidence {confidence}: {what}: {got!r}, not {wanted!r}")

    for events, tries, confidence, lower, upper in rows():
        chance = (1 - confidence) / (1 if events in (0, tries) else 2)
        below, above = beta(events, tries - events + 1), beta(events + 1, tries - events)
        if events > 0 and tries < 10**7:
            expect("lower bound", below.ppf(chance), lower)
        elif events > 0:
            expect("chance at the lower bound", below.cdf(lower), chance)
        if events < tries < 10**7:
            expect("upper bound", above.isf(chance), upper)
        elif events < tries:
            expect("chance at the upper bound", above.sf(upper), chance)


if sys.argv[1:] == ["--scipy"]:
    compare()
else:
    print("/* Written by tests/stats/reference.py. */")
    for events, tries, confidence, lower, upper in rows():
        name = f"{events} of {tries}, {confidence}"
        print(f'{{"{name}", {events}, {tries}, {confidence}, {lower!r}, {upper!r}}},')
