"""What is counted while the model runs."""

import math

# Waits from a microsecond to a thousand seconds, with 40 bins in each tenfold
_SHORTEST = 1e-6
_PER_DECADE = 40
_BINS = 9 * _PER_DECADE


class Waits:
    """How long calls have waited: a histogram with bins of equal ratio."""

    def __init__(self):
        self.count = 0.0
        self.seconds = 0.0
        self.longest = 0.0
        self._bins = [0.0] * _BINS

    def add(self, shortest, longest, count):
        """That many calls have waited, for times between these two, each as
        likely."""
        if count <= 0:
            return
        self.count += count
        self.seconds += count * (shortest + longest) / 2
        self.longest = max(self.longest, longest)
        first, last = self._bin(shortest), self._bin(longest)
        if first == last:
            self._bins[first] += count
            return
        density = count / (longest - shortest)
        for i in range(first, last + 1):
            low = shortest if i == first else self._lower(i)
            high = longest if i == last else self._lower(i + 1)
            self._bins[i] += density * (high - low)

    def merge(self, other):
        self.count += other.count
        self.seconds += other.seconds
        self.longest = max(self.longest, other.longest)
        self._bins = [own + others for own, others in zip(self._bins, other._bins)]

    def quantile(self, share, of_calls=None):
        """The time that this share of the calls has waited at most: of those
        that waited, or of a number of calls, of which the others had not to."""
        below = share * (of_calls or self.count) - ((of_calls or self.count) - self.count)
        if below <= 0 or self.count == 0:
            return 0.0
        for i, count in enumerate(self._bins):
            if count > 0 and below <= count:
                low, high = self._lower(i), self._lower(i + 1)
                return min(self.longest, low + (high - low) * below / count)
            below -= count
        return self.longest

    @staticmethod
    def _bin(seconds):
        if seconds <= _SHORTEST:
            return 0
        return min(_BINS - 1, int(math.log10(seconds / _SHORTEST) * _PER_DECADE))

    @staticmethod
    def _lower(i):
        return _SHORTEST * 10 ** (i / _PER_DECADE) if i > 0 else 0.0


class Tally:
    """What is counted of a node, or of all."""

    def __init__(self):
        self.calls = 0  # that got an id
        self.failed = 0  # that waited until the time limit
        self.refills = 0
        self.fresh_refills = 0  # of these, by a call that has waited for no other
        self.blocks = 0
        self.ids = 0  # that the centre has allocated
        self.refill_seconds = 0.0  # in all, from the request to the ids
        self.cached_seconds = 0.0  # ids in the cache, times how long
        self.seconds = 0.0
        self.without_ids = 0.0  # seconds in which calls waited
        self.longest_without_ids = 0.0
        self.waits = Waits()

    def merge(self, other):
        for name, value in vars(other).items():
            if name == "waits":
                self.waits.merge(value)
            elif name == "longest_without_ids":
                self.longest_without_ids = max(self.longest_without_ids, value)
            else:
                setattr(self, name, getattr(self, name) + value)

    def cached(self):
        """How many ids a node has cached, on average: what is lost if it
        crashes or is restarted."""
        return self.cached_seconds / self.seconds
