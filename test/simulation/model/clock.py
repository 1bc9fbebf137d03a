"""The time of the model, and what happens when."""

import heapq


class Clock:
    """Calls functions in the order of their times, which are in seconds."""

    def __init__(self):
        self.now = 0.0
        self._events = []
        self._count = 0

    def at(self, time, function):
        """Have a function called at that time; of two at one time, the first
        to be noted."""
        self._count += 1
        heapq.heappush(self._events, (max(time, self.now), self._count, function))

    def after(self, seconds, function):
        self.at(self.now + seconds, function)

    def run(self, until):
        """Call what is due before that time."""
        while self._events and self._events[0][0] < until:
            self.now, _, function = heapq.heappop(self._events)
            function()
        self.now = until
