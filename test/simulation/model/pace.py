"""How much the worker takes, and how early: as src/shmem/slot_pace.c says."""

_SHORT = 0.1  # what is used up faster asks for more
_LONG = 1.0  # what lasts longer asks for less


def adapt(blocks, lasted, ran_dry, most):
    """How many blocks to take, if that many were asked for the last time,
    which has lasted for so many seconds. "ran_dry": has a call found none?"""
    if lasted < _SHORT or (lasted <= _LONG and ran_dry):
        blocks *= 2
    while lasted > _LONG and blocks > 1:
        blocks //= 2
        lasted /= 2
    return min(blocks, most)


# What was measured this many seconds ago counts half of what is new
_RATE_MEMORY = 5.0

# Refills go up to this many times the reserve
_SPAN = 4 / 3


class Bridge:
    """How many ids to keep for an outage: as src/shmem/slot_bridge.c says."""

    def __init__(self, seconds):
        self._seconds = seconds
        self._rate = 0.0
        self._left_at_fill = 0

    def measure(self, left, lasted):
        """A refill begins: see how fast the ids of the last one were used."""
        if self._left_at_fill > 0 and lasted > 0:
            used = max(0, self._left_at_fill - left)
            self._rate += (used / lasted - self._rate) * lasted / (lasted + _RATE_MEMORY)

    def ids(self, left):
        """How many ids a refill should take for the reserve."""
        return int(max(0.0, self._reserve() * _SPAN - left))

    def ahead_below(self, left):
        """A refill has come: the next one is due when that many are left."""
        self._left_at_fill = left
        return int(min(self._reserve(), left / _SPAN))

    def _reserve(self):
        return self._rate * self._seconds
