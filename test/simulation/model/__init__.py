"""
Nodes that draw from a centre, as a model of discrete events.

Calls come to each node at random times, and take ids from its cache. When that
has few, or none, the node refills: the statement travels to the centre, waits
there for the row until the refills before it have committed, and travels back.
How long the row is kept, and how long the rest of a refill takes, was measured;
the network adds what the scenario says. How much is refilled, how early, and
what is done while the centre is away, follows the rules of the C code.

Left out is that nodes and centre share processors, that sessions open
connections, that a worker is started, and that other programs lock the row.
"""
