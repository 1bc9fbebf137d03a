"""What is left to chance: measured times, and calls at random times."""

import bisect
import math


class Measured:
    """Times that were measured, as quantiles: pairs of a share of them, 0 to
    1, and the seconds that this share takes at most."""

    def __init__(self, quantiles):
        self._shares = [share for share, _ in quantiles]
        self._seconds = [seconds for _, seconds in quantiles]
        if self._shares[0] != 0 or self._shares[-1] != 1 or self._shares != sorted(self._shares):
            raise ValueError("quantiles must ascend from 0 to 1")

    def draw(self, random):
        """One of them: a quantile at random, with straight lines in between."""
        share = random.random()
        i = bisect.bisect_right(self._shares, share)
        below, above = self._shares[i - 1], self._shares[i]
        part = (share - below) / (above - below)
        return self._seconds[i - 1] + part * (self._seconds[i] - self._seconds[i - 1])

    def quantile(self, share):
        i = max(1, bisect.bisect_left(self._shares, share))
        below, above = self._shares[i - 1], self._shares[i]
        part = (share - below) / (above - below)
        return self._seconds[i - 1] + part * (self._seconds[i] - self._seconds[i - 1])

    def less(self, seconds):
        """These times without a part that always takes that long"""
        shorter = [max(0.0, time - seconds) for time in self._seconds]
        return Measured(list(zip(self._shares, shorter)))

    def mean(self):
        steps = zip(self._shares, self._shares[1:], self._seconds, self._seconds[1:])
        return sum((b - a) * (low + high) / 2 for a, b, low, high in steps)


def always(seconds):
    return Measured([(0, seconds), (1, seconds)])


def read_measured(file):
    """The columns of a file of quantiles by their names: microseconds, of
    which the file's first column has the percentage. Lines that begin with #
    say how they were measured."""
    with open(file, encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split(",") for line in lines if not line.startswith("#")]
    titles, rows = rows[0], [[float(field) for field in row] for row in rows[1:]]
    return {
        title: Measured([(row[0] / 100, row[column] / 1e6) for row in rows])
        for column, title in enumerate(titles)
        if column > 0
    }


def poisson(random, mean):
    """How many calls there are in a time in which there are that many on
    average. From 50 on, by the normal distribution, which is then close."""
    if mean >= 50:
        return max(0, round(random.gauss(mean, math.sqrt(mean))))
    bound, product, count = math.exp(-mean), random.random(), 0
    while product > bound:
        product *= random.random()
        count += 1
    return count


def time_of_calls(random, count, rate):
    """How long it takes until that many calls have come."""
    return random.gammavariate(count, 1 / rate) if count > 0 else 0.0


def part_before(random, nth, count):
    """Of that many calls at random times: the part of the time that has passed
    when the nth of them comes."""
    return random.betavariate(nth, count + 1 - nth) if nth > 0 else 0.0


def binomial(random, count, probability):
    """How many of that many calls are among those of which there is such a
    part. From 50 on, by the normal distribution."""
    if count >= 50:
        mean = count * probability
        drawn = round(random.gauss(mean, math.sqrt(mean * (1 - probability))))
        return min(count, max(0, drawn))
    return sum(random.random() < probability for _ in range(count))
