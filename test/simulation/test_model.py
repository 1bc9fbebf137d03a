"""Is the model right where the answer is known?"""

import os
import random
import tempfile
import unittest

from model import chance, pace
from model.backlog import Backlog
from model.centre import Centre
from model.clock import Clock
from model.node import Node, Settings
from model.run import Scenario, run
from model.tally import Waits


class Chance(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(1)

    def test_measured_times_are_drawn_as_they_were_measured(self):
        measured = chance.Measured([(0, 1), (0.5, 2), (1, 10)])
        drawn = sorted(measured.draw(self.random) for _ in range(20000))
        self.assertAlmostEqual(measured.mean(), 0.5 * 1.5 + 0.5 * 6)
        self.assertAlmostEqual(sum(drawn) / len(drawn), measured.mean(), delta=0.05)
        self.assertAlmostEqual(drawn[10000], measured.quantile(0.5), delta=0.1)
        self.assertEqual(measured.quantile(1), 10)

    def test_quantiles_must_ascend(self):
        with self.assertRaises(ValueError):
            chance.Measured([(0, 1), (0.7, 2), (0.5, 2), (1, 3)])

    def test_file_of_quantiles(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as file:
            file.write("# measured so and so\npercent,row,way\n0,100,1\n100,300,2\n")
        self.addCleanup(os.unlink, file.name)
        columns = chance.read_measured(file.name)
        self.assertEqual(list(columns), ["row", "way"])
        self.assertAlmostEqual(columns["row"].mean(), 200e-6)

    def test_numbers_of_calls(self):
        for mean in 0.3, 7, 49, 51, 2000:
            drawn = [chance.poisson(self.random, mean) for _ in range(4000)]
            average = sum(drawn) / len(drawn)
            variance = sum((n - average) ** 2 for n in drawn) / len(drawn)
            self.assertAlmostEqual(average / mean, 1, delta=0.1)
            self.assertAlmostEqual(variance / mean, 1, delta=0.2)
        for count, part in (10, 0.3), (1000, 0.3), (1000, 0), (60, 1):
            drawn = [chance.binomial(self.random, count, part) for _ in range(2000)]
            self.assertAlmostEqual(sum(drawn) / 2000, count * part, delta=0.02 * count)

    def test_times_of_calls(self):
        drawn = [chance.time_of_calls(self.random, 5, 10) for _ in range(4000)]
        self.assertAlmostEqual(sum(drawn) / 4000, 0.5, delta=0.02)
        self.assertEqual(chance.time_of_calls(self.random, 0, 10), 0)
        drawn = [chance.part_before(self.random, 3, 4) for _ in range(4000)]
        self.assertAlmostEqual(sum(drawn) / 4000, 3 / 5, delta=0.02)


class Time(unittest.TestCase):
    def test_what_is_due_happens_in_order(self):
        clock, seen = Clock(), []
        clock.at(2, lambda: seen.append("b"))
        clock.at(2, lambda: seen.append("c"))
        clock.at(1, lambda: clock.after(0.5, lambda: seen.append("a")))
        clock.at(3, lambda: seen.append("late"))
        clock.run(3)
        self.assertEqual(seen, ["a", "b", "c"])
        self.assertEqual(clock.now, 3)


class Histogram(unittest.TestCase):
    def test_waits_between_two_times(self):
        waits = Waits()
        waits.add(0, 0.1, 1000)
        self.assertAlmostEqual(waits.seconds / waits.count, 0.05)
        self.assertAlmostEqual(waits.quantile(0.5), 0.05, delta=0.003)
        self.assertAlmostEqual(waits.quantile(0.99), 0.099, delta=0.003)
        self.assertEqual(waits.longest, 0.1)

    def test_calls_that_do_not_wait_count(self):
        waits = Waits()
        waits.add(1, 1, 10)
        self.assertEqual(waits.quantile(0.98, of_calls=1000), 0)
        self.assertAlmostEqual(waits.quantile(0.995, of_calls=1000), 1, delta=0.06)


class Waiting(unittest.TestCase):
    def test_first_come_first_served(self):
        backlog, waits = Backlog(), Waits()
        backlog.add(0, 1, 100)
        self.assertEqual(backlog.serve(50, 1, waits), 50)
        self.assertAlmostEqual(waits.seconds / 50, 0.75)
        self.assertEqual(backlog.serve(80, 2, waits), 50)
        self.assertAlmostEqual(waits.seconds, 50 * 0.75 + 50 * 1.25)
        self.assertEqual(backlog.count, 0)

    def test_calls_give_up_at_the_limit(self):
        backlog, waits = Backlog(), Waits()
        backlog.add(0, 10, 100)
        self.assertEqual(backlog.give_up(8, 5, waits), 30)
        self.assertEqual(backlog.count, 70)
        self.assertEqual(backlog.give_up(20, 5, waits), 70)
        self.assertEqual(waits.longest, 5)


class Pace(unittest.TestCase):
    def test_as_the_worker_adapts(self):
        # blocks, lasted, ran_dry: what src/shmem/slot_pace.c answers
        for asked, answer in (
            ((1, 0.05, False), 2),
            ((8, 0.5, False), 8),
            ((8, 0.5, True), 16),
            ((8, 2, True), 4),
            ((8, 5, False), 1),
            ((1, 100, False), 1),
            ((40, 0.05, False), 64),
        ):
            self.assertEqual(pace.adapt(*asked, 64), answer, asked)

    def test_reserve(self):
        bridge = pace.Bridge(30)
        self.assertEqual(bridge.ids(0), 0)
        self.assertEqual(bridge.ahead_below(1000), 0)
        bridge.measure(500, 5)  # 100 a second; half of that counts
        self.assertEqual(bridge.ids(500), 50 * 30 * 4 // 3 - 500)
        self.assertEqual(bridge.ahead_below(2000), 50 * 30)
        self.assertEqual(bridge.ahead_below(600), 450)


class Row(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        self.random = random.Random(1)

    def test_one_refill_after_the_other(self):
        centre = Centre(self.clock, self.random, chance.always(1))
        self.assertEqual([centre.refill() for _ in range(3)], [(1, None), (2, None), (3, None)])
        self.clock.run(10)
        self.assertEqual(centre.refill(), (11, None))

    def test_outage(self):
        centre = Centre(self.clock, self.random, chance.always(1), [(5, 8)])
        self.clock.run(3.5)
        self.assertEqual(centre.refill(), (4.5, None))
        self.assertEqual(centre.refill(), (None, 5))
        self.clock.run(6)
        self.assertEqual(centre.refill(), (None, 6))
        self.assertEqual(centre.back_at(6), 8)
        self.clock.run(8)
        self.assertEqual(centre.refill(), (9, None))

    def test_queue_of_random_refills(self):
        """The mean time in a queue with random arrivals and an even service is
        known (Pollaczek and Khinchine)."""
        centre = Centre(self.clock, self.random, chance.always(1))
        used, waited, refills = 0.6, 0.0, 20000
        time = 0.0
        for _ in range(refills):
            time += self.random.expovariate(used)
            self.clock.run(time)
            waited += centre.refill()[0] - time - 1
        self.assertAlmostEqual(waited / refills, used / (2 * (1 - used)), delta=0.06)


def scenario(nodes=1, seconds=200, row=0.001, outages=(), **settings):
    settings = {"rate": 100, "block_size": 100, "refill": "transaction", **settings}
    return Scenario(nodes, Settings(**settings), chance.always(row), chance.always(0),
                    seconds=seconds, outages=outages)


class Nodes(unittest.TestCase):
    def test_calls_come_as_often_as_they_should(self):
        for refill in "transaction", "worker":
            result = run(scenario(nodes=5, refill=refill))
            self.assertAlmostEqual(result.calls_per_second / 500, 1, delta=0.02)
            self.assertEqual(result.tally.failed, 0)
            self.assertAlmostEqual(result.tally.seconds, 5 * 200, delta=0.001)

    def test_ids_that_are_allocated_are_issued_or_cached(self):
        chance_ = random.Random(3)
        clock = Clock()
        node = Node(clock, chance_, Centre(clock, chance_, chance.always(0.02)), chance.always(0.01),
                    Settings(rate=3000, block_size=7, refill="worker"))
        had = node.left
        clock.run(30)
        node.stop_counting()
        self.assertGreater(node.tally.waits.count, 0)
        self.assertEqual(had + node.tally.ids, node.tally.calls + node.left)

    def test_without_a_worker_a_block_lasts_as_long_as_its_ids(self):
        result = run(scenario(nodes=10))
        self.assertAlmostEqual(result.refills_per_second, 10, delta=0.3)
        self.assertAlmostEqual(result.tally.cached(), 50, delta=2)

    def test_without_a_worker_calls_wait_for_the_way_to_the_centre(self):
        """Of 100 calls, one refills, and those that come meanwhile wait."""
        result = run(scenario(nodes=10, round_trip=0.049))
        waits = result.tally.waits
        self.assertAlmostEqual(waits.count / result.tally.calls, 6 / 100, delta=0.003)
        self.assertAlmostEqual(waits.longest, 0.05, delta=0.002)
        self.assertAlmostEqual(waits.seconds / waits.count, 0.05 * (1 + 5 / 2) / 6, delta=0.001)

    def test_the_worker_refills_ahead(self):
        result = run(scenario(refill="worker", round_trip=0.1))
        self.assertEqual(result.tally.waits.count, 0)

    def test_the_worker_takes_more_when_that_is_used_up_fast(self):
        result = run(scenario(refill="worker", rate=1000, block_size=10, seconds=20))
        self.assertEqual(result.tally.blocks / result.tally.refills, 16)

    def test_waiting_sessions_have_blocks_of_their_own(self):
        """One id in a block: while a refill takes 10 ms, 20 calls come."""
        result = run(scenario(rate=2000, block_size=1, row=0.01, seconds=20))
        self.assertAlmostEqual(result.calls_per_second / 2000, 1, delta=0.02)
        self.assertAlmostEqual(result.tally.blocks / result.tally.refills, 20, delta=1)

    def test_the_row_cannot_be_used_more_than_always(self):
        result = run(scenario(nodes=100, rate=100, block_size=1, row=0.01, seconds=20))
        self.assertAlmostEqual(result.refills_per_second, 100, delta=2)
        self.assertAlmostEqual(result.row_used, 1, delta=0.001)


class Outages(unittest.TestCase):
    def test_ids_bridge_one(self):
        result = run(scenario(nodes=20, refill="worker", block_size=10000, outages=[(50, 80)]))
        self.assertEqual(result.tally.without_ids, 0)

    def test_seconds_without_ids(self):
        """At 100 calls a second, 50 to 150 ids of a block of 100 last for 0.5 to
        1.5 s; and that the centre is back is noticed within half a second."""
        result = run(scenario(nodes=50, refill="worker", outages=[(50, 54)]))
        for seconds in result.node_seconds_without_ids:
            self.assertGreater(seconds, 2.3)
            self.assertLess(seconds, 4.2)
        self.assertEqual(result.tally.failed, 0)
        self.assertAlmostEqual(result.tally.waits.longest, 3.6, delta=0.6)

    def test_calls_fail_at_the_time_limit(self):
        """Of 10 s, and half a second on average until that is noticed, calls of
        the last 5 s get their ids."""
        result = run(scenario(nodes=50, block_size=10, row=1e-6, outages=[(50, 60)]))
        seconds = sum(result.node_seconds_without_ids) / 50
        self.assertAlmostEqual(seconds, 10.5, delta=0.3)
        self.assertAlmostEqual(result.tally.failed / 50 / 100, 5.5, delta=0.3)

    def test_ids_kept_for_one(self):
        """They last for 30 s at least, and for 40 s at most."""
        result = run(scenario(nodes=20, refill="worker", bridge_seconds=30, outages=[(100, 128)]))
        self.assertEqual(result.tally.without_ids, 0)
        result = run(scenario(nodes=20, refill="worker", bridge_seconds=30, seconds=100))
        self.assertAlmostEqual(result.tally.cached(), 100 * 35, delta=200)


if __name__ == "__main__":
    unittest.main()
