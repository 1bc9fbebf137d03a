--
-- Node numbers at the centre: what idgen_lease_node() leases to whom. A server
-- is called by a letter here, each of its starts by another digit, and each
-- token by a number.
--
CREATE EXTENSION idgen;
SET TimeZone = UTC;

CREATE FUNCTION id(text) RETURNS uuid LANGUAGE sql AS $$ SELECT md5($1)::uuid $$;

-- ask(start, token): without anything to show; ask(start, token, number,
-- holder, token, renewals): with one lease. Leases last 300 s, of which servers
-- use 270.
CREATE FUNCTION ask(start text, token text, shown integer DEFAULT NULL, holder text DEFAULT NULL, shown_token text DEFAULT NULL, shown_renewals bigint DEFAULT NULL,
	lowest integer DEFAULT 1, clock timestamptz DEFAULT clock_timestamp(),
	OUT number integer, OUT renewals bigint, OUT own boolean, OUT used boolean, OUT copy_has integer)
LANGUAGE sql AS $$
	SELECT number, renewals, own, used_until_ms IS NOT NULL, copy_has FROM idgen_lease_node(
		id(start), ascii(start), '/data/' || left(start, 1), (extract(epoch FROM clock) * 1000)::bigint, lowest, 300,
		(extract(epoch FROM clock) * 1000 + 270000)::bigint, id(token),
		CASE WHEN shown IS NULL THEN '{}' ELSE ARRAY[shown] END, CASE WHEN shown IS NULL THEN '{}' ELSE ARRAY[id(holder)] END,
		CASE WHEN shown IS NULL THEN '{}' ELSE ARRAY[id(shown_token)] END, CASE WHEN shown IS NULL THEN '{}' ELSE ARRAY[shown_renewals] END)
$$;
-- the lowest one that is free
SELECT * FROM ask('a1', 't1');
SELECT * FROM ask('b1', 't2');
SELECT * FROM ask('c1', 't3');
SELECT number, state, chr(system_identifier::integer) AS server, data_directory, leased_until - renewed_at AS lease FROM idgen_nodes WHERE number > 0 ORDER BY number;
SELECT min(used_until - leased_until) < '-29 s' AND max(used_until - leased_until) > '-31 s' AS used_until FROM idgen_nodes WHERE number > 0;

-- renewals; the answer to one is lost, so it is sent once more
SELECT * FROM ask('a1', 't4', 1, 'a1', 't1', 1);
SELECT * FROM ask('a1', 't4', 1, 'a1', 't1', 1);
SELECT * FROM ask('a1', 't5', 1, 'a1', 't4', 3);

-- the same process as it was before (a virtual machine was copied while it
-- ran): what it has to show is out of date
SELECT * FROM ask('a1', 't6', 1, 'a1', 't1', 1);
-- or just out of date: the number is the one of whoever renewed first
SELECT * FROM ask('b1', 't7', 2, 'b1', 't2', 1);
SELECT * FROM ask('b1', 't8', 2, 'b1', 't2', 1);

-- a start of the server, which knows that the start before is over; the answer
-- to its last renewal was lost or not
SELECT * FROM ask('c2', 't9', 3, 'c1', 't3', 1);
SELECT * FROM ask('c2', 't10', 3, 'c2', 't9', 2);
SELECT * FROM ask('c3', 't11', 3, 'c2', 't9', 2);

-- one that does not know that: a copy, or the same one elsewhere. As long as
-- the lease lasts, it gets another number, and is told that there is a copy
SELECT * FROM ask('c4', 't12', 3, NULL, 't11', 4);
-- a lease that has ended: with the last token, or the one before
UPDATE idgen_node_numbers SET leased_until = now(), used_until = now() WHERE number = 3;
SELECT * FROM ask('c5', 't13', 3, NULL, 't9', 2);
SELECT * FROM ask('c6', 't14', 3, NULL, 't11', 4);
-- the one before has its turn no more
SELECT * FROM ask('c3', 't15', 3, 'c3', 't11', 4);

-- an old token: another number, lease or not
UPDATE idgen_node_numbers SET leased_until = now(), used_until = now() WHERE number = 1;
SELECT * FROM ask('a2', 't16', 1, NULL, 't1', 1);
SELECT * FROM ask('a2', 't17', 1, 'a1', 't1', 1);

-- the centre has gone back: it knows of fewer renewals than the server, or has
-- forgotten the number
SELECT * FROM ask('b1', 't18', 2, 'b1', 't99', 20);
SELECT * FROM ask('b1', 't19', 100, 'b1', 't99', 20);

-- time-ordered ids with times to come: the number waits, but for the start that
-- follows in the same place
DELETE FROM idgen_node_numbers WHERE number > 0;
SELECT number FROM ask('a1', 't1');
UPDATE idgen_node_numbers SET leased_until = now(), used_until = now() + '1 min' WHERE number = 1;
SELECT * FROM ask('a2', 't2', 1, NULL, 't1', 1);
SELECT * FROM ask('a3', 't3', 1, 'a1', 't1', 1);
UPDATE idgen_node_numbers SET leased_until = now(), used_until = now() + '3 s' WHERE number = 1;
SELECT * FROM ask('a4', 't4', 1, NULL, 't3', 2);

-- no such times, but the lease lasts
DELETE FROM idgen_node_numbers WHERE number > 0;
SELECT number FROM ask('a1', 't1');
UPDATE idgen_node_numbers SET used_until = now() WHERE number = 1;
SELECT * FROM ask('a2', 't2', 1, NULL, 't1', 1);

-- reserved numbers, and those below the least one that a server wants
DELETE FROM idgen_node_numbers WHERE number > 0;
SELECT idgen_reserve_node(1, 'a server that sets it'), idgen_reserve_node(3, 'another one');
SELECT number FROM ask('a1', 't1');
SELECT number FROM ask('b1', 't2');
SELECT number FROM ask('c1', 't3', lowest => 9);
SELECT number FROM ask('b1', 't4', 4, 'b1', 't2', 1, 9);
UPDATE idgen_node_numbers SET leased_until = now() WHERE number = 9;
SELECT idgen_reserve_node(9, 'a third one');
SELECT number FROM ask('c1', 't5', 9, 'c1', 't3', 1);
SELECT number, state, reserved_for FROM idgen_nodes ORDER BY number;

-- those that are not reserved any more are as free as others
SELECT idgen_reserve_node(3, NULL), idgen_reserve_node(9, NULL);
SELECT number FROM ask('d1', 't6');
SELECT number, state, reserved_for FROM idgen_nodes WHERE state = 'free' ORDER BY number;

-- when all are taken: of those that no composed id begins with, the one whose
-- lease ended first
DELETE FROM idgen_node_numbers WHERE number > 0;
INSERT INTO idgen_node_numbers (number, holder, token, leased_until, used_until)
	SELECT n, sha256(uuid_send(id('x' || n))), sha256(uuid_send(id('y' || n))), now() + '1 min', now() FROM generate_series(1, 1023) AS n;
SELECT number FROM ask('a1', 't1');
UPDATE idgen_node_numbers SET leased_until = now() - number * '1 min'::interval WHERE number IN (1, 8, 9, 12, 40, 500);
UPDATE idgen_node_numbers SET used_until = now() + '1 min' WHERE number = 500;
SELECT number FROM ask('a1', 't1');
SELECT number FROM ask('b1', 't2');
SELECT number FROM ask('c1', 't3', lowest => 500, clock => now() + '1 min');
SELECT number FROM ask('d1', 't4');
SELECT number FROM ask('e1', 't5');

-- nonsense
\set VERBOSITY terse
SELECT idgen_reserve_node(0, NULL);
\echo :SQLSTATE
SELECT idgen_reserve_node(1024, NULL);
\echo :SQLSTATE
SELECT idgen_reserve_node(0, 'x');
\echo :SQLSTATE
SELECT idgen_reserve_node(NULL, 'x');
\echo :SQLSTATE
SELECT idgen_reserve_node(2, NULL);
\echo :SQLSTATE
SELECT idgen_reserve_node(2, 'x');
\echo :SQLSTATE
-- one that no server has had is free already
DELETE FROM idgen_node_numbers WHERE number = 2;
SELECT idgen_reserve_node(2, NULL);
SELECT number FROM idgen_nodes WHERE number = 2;
INSERT INTO idgen_node_numbers (number) VALUES (1024);
\echo :SQLSTATE

\set VERBOSITY default
-- without a lease, the view shows the setting
SELECT node_setting, node_id, node_leased_until, node_renewed_at, node_failing_since, node_problem FROM idgen_server;
-- what a server remembers of its own leases is not dumped, the numbers are
SELECT relname, condition FROM pg_extension, unnest(extconfig, extcondition) AS dumped (relation, condition), pg_class AS c
	WHERE extname = 'idgen' AND c.oid = relation ORDER BY relname;

-- the privilege TRIGGER does not suffice to have code run as the owner of the
-- extension, when a server leases a number or does anything else
CREATE ROLE regress_idgen_maker;
GRANT ALL ON ALL TABLES IN SCHEMA public TO regress_idgen_maker;
CREATE FUNCTION made() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''it runs''; END';
SET ROLE regress_idgen_maker;
CREATE PROCEDURE pg_temp.make_all() LANGUAGE plpgsql AS $$
DECLARE
	relation regclass;
BEGIN
	FOR relation IN SELECT c.oid FROM pg_depend AS d JOIN pg_class AS c ON c.oid = d.objid AND c.relkind = 'r'
		WHERE d.deptype = 'e' AND d.classid = 'pg_class'::regclass ORDER BY c.relname LOOP
		BEGIN
			EXECUTE format('CREATE TRIGGER made BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION made()', relation);
			RAISE WARNING 'it is made on %', relation;
		EXCEPTION WHEN insufficient_privilege THEN
			RAISE NOTICE '%', SQLERRM;
		END;
	END LOOP;
END $$;
CALL pg_temp.make_all();
RESET ROLE;
DROP OWNED BY regress_idgen_maker;
DROP ROLE regress_idgen_maker;
DROP FUNCTION made;

DROP FUNCTION ask, id;
DROP EXTENSION idgen;
