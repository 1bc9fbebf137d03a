"""A node: sessions that draw from its cache, and what refills that.

Calls come at random times (a Poisson process), whether or not others wait. So
between two events it only matters how many there were, and the model has an
event for each refill, not for each id.
"""

from dataclasses import dataclass

from . import chance, pace
from .backlog import Backlog
from .tally import Tally

# Between two rounds of looking for a centre that is away, there is a pause of
# this part of the outage so far, within limits: as src/remote/opening.c says
_PAUSE = 1 / 8
_SHORTEST_PAUSE = 0.02
_LONGEST_PAUSE = 1.0


@dataclass(frozen=True)
class Settings:
    """What is the same for all nodes."""

    rate: float  # calls per second
    block_size: int
    refill: str  # "worker" or "transaction"
    sessions: int = 32
    prefetch_threshold: int = 50  # percent
    max_prefetch_blocks: int = 64
    bridge_seconds: float = 0.0
    server_timeout: float = 5.0
    round_trip: float = 0.0  # of the network between node and centre


class Node:
    def __init__(self, clock, random, centre, refill_overhead, settings):
        """refill_overhead: what a refill takes besides network and row"""
        self._clock = clock
        self._random = random
        self._centre = centre
        self._overhead = refill_overhead
        self._settings = settings
        self._by_worker = settings.refill == "worker"
        self._backlog = Backlog()
        self._bridge = pace.Bridge(settings.bridge_seconds)
        self._pace = 1  # blocks that the last refill asked for
        self._blocks = 1  # and what it takes
        self._ran_dry = False
        self._filled_at = None
        self._asked_at = 0.0
        self._away_since = None  # the centre, as this node has found it
        self._counted_until = clock.now  # the calls up to then are accounted for
        self._dry_since = None
        self._calls_to_come = None  # until the next request, if that is awaited
        self._request_at = 0.0
        self.tally = Tally()

        # as if it had been drawing for long
        size = settings.block_size
        self._ahead_below = self._threshold(size) if self._by_worker else 0
        self.left = int(self._ahead_below + random.random() * size)
        self._await_request()

    def start_counting(self):
        self._account_time()
        self.tally = Tally()

    def stop_counting(self):
        """The end of the run: count what has been going on until then."""
        self._account_time()
        if self._dry_since is not None:
            self._note_ids()

    def _threshold(self, ids):
        return int(ids / 100 * self._settings.prefetch_threshold)

    #
    # Calls
    #

    def _account_time(self):
        """Take the ids of the calls that have come since it was last asked; a
        call that finds none waits."""
        now, begin = self._clock.now, self._counted_until
        if self._calls_to_come is not None:
            part = (now - begin) / (self._request_at - begin) if now > begin else 0
            calls = chance.binomial(self._random, self._calls_to_come, part)
            self._calls_to_come -= calls
            self._take(calls, now)
            return
        calls = chance.poisson(self._random, self._settings.rate * (now - begin))
        served = min(calls, self.left)
        empty_at = now
        if calls > served:
            empty_at = begin + (now - begin) * chance.part_before(self._random, served, calls)
            self._wait(empty_at, now, calls - served)
        self._take(served, empty_at)
        self.tally.seconds += now - empty_at
        self._counted_until = now

    def _take(self, ids, now):
        """Calls take ids from the cache, in the time up to then."""
        passed = now - self._counted_until
        self.tally.calls += ids
        self.tally.seconds += passed
        self.tally.cached_seconds += passed * (self.left - ids / 2)
        self.left -= ids
        self._counted_until = now

    def _wait(self, first, last, calls):
        self._backlog.add(first, last, calls)
        self._ran_dry = True
        if self._dry_since is None:
            self._dry_since = first

    def _note_ids(self):
        dry = self._clock.now - self._dry_since
        self.tally.without_ids += dry
        self.tally.longest_without_ids = max(self.tally.longest_without_ids, dry)
        self._dry_since = None

    #
    # Refills
    #

    def _await_request(self):
        """Go on until a call finds too few ids, and asks for a refill: it looks
        before it takes its own."""
        self._calls_to_come = max(0, self.left - self._ahead_below)
        seconds = chance.time_of_calls(self._random, self._calls_to_come + 1, self._settings.rate)
        self._request_at = self._clock.now + seconds
        self._clock.at(self._request_at, self._request_is_due)

    def _request_is_due(self):
        now = self._clock.now
        self._take(self._calls_to_come, now)
        self._calls_to_come = None
        if self.left > 0:
            self._take(1, now)
        else:
            self._wait(now, now, 1)
            self.tally.fresh_refills += 0 if self._by_worker else 1
        self._ask()

    def _ask(self):
        now = self._clock.now
        self._asked_at = now
        self._blocks = self._blocks_to_take(now)
        self._ran_dry = False
        self._deadline = now + self._settings.server_timeout
        self._send()

    def _blocks_to_take(self, now):
        if not self._by_worker:
            return max(1, min(self._backlog.count, self._settings.sessions))
        if self._filled_at is None:
            return 1
        lasted = now - self._filled_at
        self._pace = pace.adapt(self._pace, lasted, self._ran_dry, self._settings.max_prefetch_blocks)
        self._bridge.measure(self.left, lasted)
        return max(self._pace, self._bridge.ids(self.left) // self._settings.block_size)

    def _send(self):
        self._way = (self._overhead.draw(self._random) + self._settings.round_trip) / 2
        self._clock.after(self._way, self._arrive)

    def _arrive(self):
        """The statement is at the centre."""
        committed_at, away_at = self._centre.refill()
        if away_at is None:
            self._clock.at(committed_at + self._way, self._publish)
        else:
            self._clock.at(away_at, self._try_again)

    def _try_again(self):
        """The centre is away. It is looked for now and then."""
        now = self._clock.now
        if self._away_since is None:
            self._away_since = now
        back_at = self._centre.back_at(now)
        pause = _PAUSE * (back_at - self._away_since)
        pause = min(max(pause, _SHORTEST_PAUSE), _LONGEST_PAUSE)
        self._await_centre(back_at + self._random.random() * pause)

    def _await_centre(self, found_at):
        if found_at < self._deadline:
            self._clock.at(found_at, self._send)
        else:
            self._clock.at(self._deadline, lambda: self._next_attempt(found_at))

    def _next_attempt(self, found_at):
        """The time limit has passed. The next attempt goes on as the one
        before, but takes what is worth taking by now."""
        self._account_time()
        self._blocks = self._blocks_to_take(self._clock.now)
        self._deadline += self._settings.server_timeout
        self._await_centre(found_at)

    def _publish(self):
        """The ids are there."""
        now, tally = self._clock.now, self.tally
        ids = self._blocks * self._settings.block_size

        self._away_since = None
        self._account_time()
        tally.refills += 1
        tally.blocks += self._blocks
        tally.ids += ids
        tally.refill_seconds += now - self._asked_at
        tally.failed += self._backlog.give_up(now, self._settings.server_timeout, tally.waits)
        served = self._backlog.serve(ids, now, tally.waits)
        tally.calls += served
        self.left += ids - served
        self._filled_at = now
        if self._by_worker:
            self._ahead_below = max(self._threshold(ids), self._bridge.ahead_below(self.left))
        if self._dry_since is not None and self._backlog.count == 0:
            self._note_ids()
        if self._backlog.count == 0:
            self._await_request()
        else:
            self._ask()
