"""Calls that wait for ids."""

from collections import deque


class Backlog:
    """
    Calls that wait, in the order in which they have come. They are kept by
    windows: so many calls have come at random times between a first time and a
    last one.
    """

    def __init__(self):
        self._windows = deque()
        self.count = 0

    def add(self, first, last, count):
        if count > 0:
            self._windows.append((first, last, count))
            self.count += count

    def serve(self, ids, now, waits):
        """Those that have come first get that many ids. Returns how many have
        got one."""
        served = 0
        while self._windows and served < ids:
            first, last, count = self._windows.popleft()
            taken = min(count, ids - served)
            border = first + (last - first) * taken / count
            waits.add(now - border, now - first, taken)
            if taken < count:
                self._windows.appendleft((border, last, count - taken))
            served += taken
        self.count -= served
        return served

    def give_up(self, now, limit, waits):
        """Those that have waited for longer than the limit have failed.
        Returns how many have."""
        failed = 0
        while self._windows and self._windows[0][0] < now - limit:
            first, last, count = self._windows.popleft()
            late = count
            if last > now - limit:
                late = round(count * (now - limit - first) / (last - first))
                if late < count:
                    self._windows.appendleft((now - limit, last, count - late))
            waits.add(limit, limit, late)
            failed += late
            if late < count:
                break
        self.count -= failed
        return failed
