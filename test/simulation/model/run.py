"""A run of the model: nodes, their centre, and what is counted."""

import random
from dataclasses import dataclass

from .centre import Centre
from .chance import Measured
from .clock import Clock
from .node import Node, Settings
from .tally import Tally


@dataclass(frozen=True)
class Scenario:
    nodes: int
    settings: Settings
    row_time: Measured  # for which a refill keeps the row
    overhead: Measured  # what a refill takes besides, without the network
    seconds: float = 30.0  # that are counted
    warm_up: float = 10.0
    outages: tuple = ()  # pairs of times, counted from the end of the warm-up
    seed: int = 1


@dataclass(frozen=True)
class Result:
    scenario: Scenario
    tally: Tally  # of all nodes
    node_seconds_without_ids: tuple  # of each node, in all
    row_used: float  # the part of the time in which the row was locked

    @property
    def refills_per_second(self):
        return self.tally.refills / self.scenario.seconds

    @property
    def calls_per_second(self):
        return self.tally.calls / self.scenario.seconds


def run(scenario):
    chance = random.Random(scenario.seed)
    clock = Clock()
    outages = [(scenario.warm_up + away, scenario.warm_up + back) for away, back in scenario.outages]
    centre = Centre(clock, chance, scenario.row_time, outages)
    nodes = [Node(clock, chance, centre, scenario.overhead, scenario.settings) for _ in range(scenario.nodes)]

    clock.run(scenario.warm_up)
    centre.start_counting()
    for node in nodes:
        node.start_counting()
    clock.run(scenario.warm_up + scenario.seconds)

    total = Tally()
    for node in nodes:
        node.stop_counting()
        total.merge(node.tally)
    return Result(scenario, total, tuple(node.tally.without_ids for node in nodes),
                  min(1.0, centre.busy / scenario.seconds))
