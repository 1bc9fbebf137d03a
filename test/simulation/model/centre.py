"""The centre: a row that one refill after the other locks and changes."""


class Centre:
    """
    Refills of one id sequence queue for its row, as the server's lock manager
    has them do: first come, first served. Each keeps it from the lock to the
    commit.

    Outages are pairs of times. A refill that is not committed when one begins
    is lost.
    """

    def __init__(self, clock, random, row_time, outages=()):
        self._clock = clock
        self._random = random
        self._row_time = row_time
        self._outages = sorted(outages)
        self._free_at = 0.0
        self.commits = 0
        self.busy = 0.0  # seconds in which the row was locked

    def refill(self):
        """A refill has come. Returns when it is committed, and None; or None,
        and when the centre is away so that it is lost."""
        now = self._clock.now
        begin = max(now, self._free_at)
        end = begin + self._row_time.draw(self._random)
        for away, back in self._outages:
            if away < end and now < back:
                return None, max(now, away)
        self._free_at = end
        self.commits += 1
        self.busy += end - begin
        return end, None

    def back_at(self, time):
        """When it can be asked, from that time on."""
        for away, back in self._outages:
            if away <= time < back:
                return back
        return time

    def start_counting(self):
        self.commits = 0
        self.busy = 0.0
