# shellcheck shell=bash
#
# compare.sh - idgen and what it replaces, doing the same work
#
# The first competitor of a row is idgen; the others are compared with it.

nextvals=(
	'nextval, CACHE 1' "SELECT nextval('one')"
	'nextval, CACHE 20' "SELECT nextval('twenty')"
	'nextval, CACHE 1000' "SELECT nextval('thousand')"
)

# Nothing is cached of what has to refill: a transaction of millions of ids
# leaves hundreds of thousands there, with which others need no refill.
reset="SELECT idgen_restart(name, next_block_start) FROM id_sequences WHERE name ~ '^(x|x1000|xworker|b[0-9]+)\$'"

counter="UPDATE counter SET v = v + 1 WHERE name = 'x' RETURNING v"

# Ids of all kinds, and tables that get theirs from a default
prepare()
{
	sql <<-'SQL'
		CREATE SEQUENCE one;
		CREATE SEQUENCE twenty CACHE 20;
		CREATE SEQUENCE thousand CACHE 1000;
		CREATE TABLE counter (name text PRIMARY KEY, v bigint);
		INSERT INTO counter VALUES ('x', 0);

		INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES
			('x', 1, 20, 'transaction'),
			('x1000', 1, 1000, 'transaction'),
			('gapless', 1, 1, 'transaction'),
			('worker', 1, 100, 'worker'),
			('xworker', 1, 20, 'worker'),
			('large', 1, 100000000, 'transaction');
		SELECT idgen_create(name, block_size => 1, refill => 'transaction', early_release => true)
			FROM unnest(ARRAY['early', 'at_commit']) AS name;

		CREATE TABLE t_idgen (id bigint PRIMARY KEY DEFAULT idgen_next('x'), v text);
		CREATE TABLE t_idgen1000 (id bigint PRIMARY KEY DEFAULT idgen_next('x1000'), v text);
		CREATE TABLE t_worker (id bigint PRIMARY KEY DEFAULT idgen_next('worker'), v text);
		CREATE TABLE t_xworker (id bigint PRIMARY KEY DEFAULT idgen_next('xworker'), v text);
		CREATE TABLE t_one (id bigint PRIMARY KEY DEFAULT nextval('one'), v text);
		CREATE TABLE t_twenty (id bigint PRIMARY KEY DEFAULT nextval('twenty'), v text);
		CREATE TABLE t_thousand (id bigint PRIMARY KEY DEFAULT nextval('thousand'), v text);
		CREATE TABLE t_counter (id bigint PRIMARY KEY, v text);
		CREATE TABLE t_gapless (id bigint PRIMARY KEY DEFAULT idgen_next('gapless'), v text);
		CREATE TABLE t_early (id bigint PRIMARY KEY DEFAULT idgen_next('early'), v text);
		CREATE TABLE t_at_commit (id bigint UNIQUE, v text);
		CREATE CONSTRAINT TRIGGER number AFTER INSERT ON t_at_commit DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW EXECUTE FUNCTION idgen_number_at_commit('id', 'at_commit');
		CREATE TABLE t_uuid (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), v text);
	SQL
	# Committed, the rest of the block is in the shared cache; a block that the
	# measured statement itself took would be its own, and cheaper.
	sql -c "SELECT idgen_next('large')" >/dev/null
}

compare_calls()
{
	section calls ns 1 'One session, one call: nanoseconds over an empty function'
	contest 'from the cache' call "$thousands" -- \
		'idgen_next, from the cache' "idgen_next('large')" \
		'nextval, CACHE 1' "nextval('one')" \
		'nextval, CACHE 20' "nextval('twenty')" \
		'nextval, CACHE 1000' "nextval('thousand')" \
		'gen_random_uuid()' 'gen_random_uuid()'
	must 'from the cache' 'nextval, CACHE 1000' most 0.30
	contest 'a million in one statement' call 1000 -- \
		'idgen_next, block_size 20' "idgen_next('x')" \
		'nextval, CACHE 1' "nextval('one')" \
		'nextval, CACHE 20' "nextval('twenty')" \
		'nextval, CACHE 1000' "nextval('thousand')"
	must 'a million in one statement' 'nextval, CACHE 1' most 0.20
}

# In a row with source "sequence" and in no row, from the cache: as fast as the
# table. What a refill costs besides waiting for the disk: an unlogged sequence
# does not.
compare_sources()
{
	sql -c "CREATE SEQUENCE s_seq INCREMENT 100000000" \
		-c "INSERT INTO id_sequences (name, next_block_start, source, source_name)
			VALUES ('s', 1, 'sequence', 'public.s_seq')" \
		-c "CREATE UNLOGGED SEQUENCE u_seq" -c "CREATE UNLOGGED SEQUENCE u" \
		-c "SELECT idgen_next('s'), idgen_next('public.s', 'sequence')" >/dev/null

	section sources ns 1 'Native sequences as a source: nanoseconds over an empty function'
	contest 'from the cache' call 1000 -- \
		'source sequence' "idgen_next('s')" \
		'source table' "idgen_next('large')"
	must 'from the cache' 'source table' most 1.1
	contest 'the same without a row' call 1000 -- \
		'source sequence' "idgen_next('public.s', 'sequence')" \
		'source table' "idgen_next('large')"
	must 'the same without a row' 'source table' most 1.1
	contest 'every call a refill, unlogged' call 1000 -- \
		'source sequence' "idgen_next('public.u', 'sequence')" \
		'nextval' "nextval('u')"
	must 'every call a refill, unlogged' nextval most 2.0
}

compare_clients()
{
	section clients '/s' 0 'Clients that run SELECT and nothing else: transactions per second'
	for clients in $many_clients
	do
		contest "$(clients "$clients")" throughput "$clients" -- \
			'idgen_next, block_size 20' "SELECT idgen_next('x')" \
			'idgen_next, block_size 1000' "SELECT idgen_next('x1000')" \
			'idgen_next, worker, block_size 100' "SELECT idgen_next('worker')" \
			"${nextvals[@]}" \
			'counter table' "$counter" \
			'gen_random_uuid()' 'SELECT gen_random_uuid()' \
			'an empty function' "SELECT idgen_bench_empty('x')"
	done
	must '32 clients' 'nextval, CACHE 1' least 1.2
}

compare_inserts()
{
	local seconds=$longer

	section inserts '/s' 0 'Clients that insert a row, the id from a default: transactions per second'
	for clients in $few_clients
	do
		contest "$(clients "$clients")" throughput "$clients" -- \
			'idgen_next, block_size 20' "INSERT INTO t_idgen (v) VALUES ('v')" \
			'idgen_next, worker, block_size 100' "INSERT INTO t_worker (v) VALUES ('v')" \
			'nextval, CACHE 1' "INSERT INTO t_one (v) VALUES ('v')" \
			'nextval, CACHE 20' "INSERT INTO t_twenty (v) VALUES ('v')" \
			'nextval, CACHE 1000' "INSERT INTO t_thousand (v) VALUES ('v')" \
			'counter table' "WITH c AS ($counter) INSERT INTO t_counter SELECT v, 'v' FROM c" \
			'gen_random_uuid()' "INSERT INTO t_uuid (v) VALUES ('v')"
	done
	must '32 clients' 'nextval, CACHE 1' least 1.0

	section inserts_both µs 0 'Clients that insert now into this table, now into that: microseconds a transaction'
	both 64 \
		'idgen_next, block_size 20' "INSERT INTO t_idgen (v) VALUES ('v')" \
		'nextval, CACHE 1' "INSERT INTO t_one (v) VALUES ('v')"
	must '64 clients' 'nextval, CACHE 1' most 1.0
}

compare_bulk()
{
	local n=$((bulk_thousands * 1000)) before='TRUNCATE t_idgen, t_idgen1000, t_one, t_thousand, t_uuid'

	section bulk µs 2 "One statement that stores $bulk_thousands thousand rows: microseconds a row"
	contest 'INSERT ... SELECT' whole "$n" -- \
		'idgen_next, block_size 20' "INSERT INTO t_idgen (v) SELECT 'v' $(calls "$bulk_thousands")" \
		'idgen_next, block_size 1000' "INSERT INTO t_idgen1000 (v) SELECT 'v' $(calls "$bulk_thousands")" \
		'nextval, CACHE 1' "INSERT INTO t_one (v) SELECT 'v' $(calls "$bulk_thousands")" \
		'nextval, CACHE 1000' "INSERT INTO t_thousand (v) SELECT 'v' $(calls "$bulk_thousands")" \
		'gen_random_uuid()' "INSERT INTO t_uuid (v) SELECT 'v' $(calls "$bulk_thousands")"
	sql -c "COPY (SELECT 'v' $(calls "$bulk_thousands")) TO '$work/rows'"
	contest COPY whole "$n" -- \
		'idgen_next, block_size 20' "COPY t_idgen (v) FROM '$work/rows'" \
		'idgen_next, block_size 1000' "COPY t_idgen1000 (v) FROM '$work/rows'" \
		'nextval, CACHE 1' "COPY t_one (v) FROM '$work/rows'" \
		'nextval, CACHE 1000' "COPY t_thousand (v) FROM '$work/rows'" \
		'gen_random_uuid()' "COPY t_uuid (v) FROM '$work/rows'"
	must COPY 'nextval, CACHE 1000' most 1.0
	compare_bulk_by_worker "$n"
}

# A session that waits for the worker needs a processor twice: for the worker,
# and then for itself. So it matters whether one is free.
compare_bulk_by_worker()
{
	local before='TRUNCATE t_idgen, t_xworker, t_one' row

	for row in 'INSERT ... SELECT, worker' 'the same beside two busy loops'
	do
		[[ $row != *busy* ]] || start_busy_loops 2
		contest "$row" whole "$1" -- \
			'idgen_next, worker, block_size 20' "INSERT INTO t_xworker (v) SELECT 'v' $(calls "$bulk_thousands")" \
			'idgen_next, block_size 20' "INSERT INTO t_idgen (v) SELECT 'v' $(calls "$bulk_thousands")" \
			'nextval, CACHE 1' "INSERT INTO t_one (v) SELECT 'v' $(calls "$bulk_thousands")"
	done
	end_busy_loops
	must 'INSERT ... SELECT, worker' 'nextval, CACHE 1' most 0.85
	must 'the same beside two busy loops' 'nextval, CACHE 1' most 1.0
}

compare_gapless()
{
	section gapless '/s' 0 'Gapless numbers: transactions per second'
	for clients in $few_clients
	do
		contest "$(clients "$clients")" throughput "$clients" -- \
			'idgen_next, block_size 1' "SELECT idgen_next('gapless')" \
			'counter table' "$counter"
		must "$(clients "$clients")" 'counter table' least 1.0
	done
}

# A row with a gapless number each. In a longer transaction, a number that is
# drawn first holds up all others until the end.
compare_early()
{
	local seconds=$longer work_of_four='SELECT 1; SELECT 2; SELECT 3; SELECT 4;'

	section early '/s' 0 'Clients that insert a row with a gapless number: transactions per second'
	for clients in $few_clients
	do
		contest "$(clients "$clients")" throughput "$clients" -- \
			'idgen_next, early_release' "INSERT INTO t_early (v) VALUES ('v')" \
			'idgen_next, block_size 1' "INSERT INTO t_gapless (v) VALUES ('v')" \
			'counter table' "WITH c AS ($counter) INSERT INTO t_counter SELECT v, 'v' FROM c" \
			'nextval, CACHE 1' "INSERT INTO t_one (v) VALUES ('v')"
	done
	must '1 client' 'counter table' least 0.95
	must '32 clients' 'counter table' least 5.0
	must '32 clients' 'nextval, CACHE 1' least 0.75

	section early_long '/s' 0 'Transactions of five statements, one of which inserts a row with a gapless number: transactions per second'
	contest '32 clients' throughput 32 -- \
		'number at the commit, early_release' "BEGIN; INSERT INTO t_at_commit (v) VALUES ('v'); $work_of_four COMMIT" \
		'number first, early_release' "BEGIN; INSERT INTO t_early (v) VALUES ('v'); $work_of_four COMMIT" \
		'number first' "BEGIN; INSERT INTO t_gapless (v) VALUES ('v'); $work_of_four COMMIT"
	must '32 clients' 'number first' least 3.0
}

# Without vacuum: what a session leaves behind has to be removed by itself.
compare_heap()
{
	local rounds=1

	section heap pages 0 "One session, $heap_transactions transactions without vacuum: pages of the table afterwards"
	stop_autovacuum
	contest '1 client' heap_pages "$heap_transactions" -- \
		'idgen_next, block_size 1' "id_sequences ~ SELECT idgen_next('gapless')" \
		'counter table' "counter ~ $counter"
	must '1 client' 'idgen_next, block_size 1' most 2
	start_autovacuum
}

compare_ranges()
{
	section ranges '/s' 0 'A thousand ids for the client, in one statement: transactions per second'
	for clients in $few_clients
	do
		contest "$(clients "$clients")" throughput "$clients" -- \
			'idgen_next_range(n => 1000)' "SELECT idgen_next_range('x1000', 1000)" \
			'a thousand idgen_next' "SELECT idgen_next('x1000') FROM generate_series(1, 1000)" \
			'a thousand nextval, CACHE 1' "SELECT nextval('one') FROM generate_series(1, 1000)" \
			'a thousand nextval, CACHE 1000' "SELECT nextval('thousand') FROM generate_series(1, 1000)" \
			'counter table + 1000' "UPDATE counter SET v = v + 1000 WHERE name = 'x' RETURNING v"
	done
}

# At a quarter of the rate that nextval can do: flat out, on few processors, the
# scheduler decides how long the slowest transactions take.
compare_latency()
{
	local clients rate waits ids

	section latency µs 0 'SELECT at a rate that leaves the machine idle now and then: microseconds to the end of a transaction'
	for clients in $latency_clients
	do
		bench -c "$clients" -T "$seconds" "SELECT nextval('one')"
		rate=$(tps)
		contest "$(clients "$clients")" latency_at "$clients" "$((${rate%.*} / 4))" -- \
			'idgen_next, worker, block_size 100' "SELECT idgen_next('worker')" \
			'idgen_next, block_size 20' "SELECT idgen_next('x')" \
			'nextval, CACHE 1' "SELECT nextval('one')" \
			'nextval, CACHE 1000' "SELECT nextval('thousand')" \
			'gen_random_uuid()' 'SELECT gen_random_uuid()'
	done
	must '16 clients, p99.9' 'nextval, CACHE 1' most 1.2

	sql -c "SELECT idgen_stats_reset()" >/dev/null
	bench -c 16 -T "$longer" "SELECT idgen_next('worker')"
	read -r waits ids <<<"$(value "SELECT waits || ' ' || ids_issued FROM idgen_stats WHERE name = 'worker'")"
	section waits 'waits' 3 'The worker, 16 clients flat out: waits in 10,000 ids'
	row='16 clients' competitor='idgen_next, worker, block_size 100' sample "$(awk "BEGIN { print 10000 * $waits / $ids }")"
	must '16 clients' 'idgen_next, worker, block_size 100' most 1
}

# By OID, as a default has it: looking up the name would cost nextval as much
# again.
compare_names()
{
	make_names 20000
	section names ns 0 'One session that draws at random from many id sequences: nanoseconds'
	contest '20,000 names' random_call 20000 -- "${random_names[@]}"
	must '20,000 names' 'nextval, CACHE 1' most 0.25
}

# The other server has no idgen; the competitor is a function as one would write
# it.
compare_server()
{
	local data=$work/central

	PGPORT=5433 bench_server "$data" 'port = 5433'
	PGPORT=5433 sql <<-'SQL'
		CREATE TABLE id_sequences (name varchar(255) PRIMARY KEY, next_block_start bigint NOT NULL,
			block_size integer NOT NULL, exhausted smallint NOT NULL DEFAULT 0);
		INSERT INTO id_sequences VALUES ('remote', 1, 1000);
		CREATE SEQUENCE one;
	SQL
	sql <<-SQL
		CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw
			OPTIONS (host '$PGHOST', port '5433', dbname 'postgres');
		CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user 'postgres');
		INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('remote', 1, 'server', 'central');
		CREATE EXTENSION dblink;
		CREATE FUNCTION nextval_remote() RETURNS bigint LANGUAGE plpgsql AS \$\$
		BEGIN
			IF dblink_get_connections() IS NULL THEN
				PERFORM dblink_connect('central', 'host=$PGHOST port=5433 dbname=postgres');
			END IF;
			RETURN (SELECT id FROM dblink('central', 'SELECT nextval(''one'')') AS r(id bigint));
		END \$\$;
	SQL
	section server '/s' 0 'Ids of another server, a thousand a block: transactions per second'
	for clients in $few_clients
	do
		contest "$(clients "$clients")" throughput "$clients" -- \
			'idgen_next, source server' "SELECT idgen_next('remote')" \
			'nextval there, by dblink' "SELECT nextval_remote()"
	done
	stop_server "$data" fast
}

compare_layouts()
{
	local before='TRUNCATE t_plain, t_prefixed, t_reversed, t_time, t_ordered, t_random' insert="(v) SELECT 'v' FROM generate_series(1, 100)"

	sql <<-'SQL'
		INSERT INTO id_sequences (name, next_block_start, block_size, refill, layout) VALUES
			('plain', 1, 10000, 'worker', 'plain'),
			('prefixed', 1, 10000, 'worker', 'prefixed'),
			('reversed', 1, 10000, 'worker', 'prefixed_reversed');
		CREATE TABLE t_plain (id bigint PRIMARY KEY DEFAULT idgen_next('plain'), v text);
		CREATE TABLE t_prefixed (id bigint PRIMARY KEY DEFAULT idgen_next('prefixed'), v text);
		CREATE TABLE t_reversed (id bigint PRIMARY KEY DEFAULT idgen_next('reversed'), v text);
		CREATE TABLE t_time (id bigint PRIMARY KEY DEFAULT idgen_unique_id(), v text);
		CREATE TABLE t_ordered (id uuid PRIMARY KEY DEFAULT idgen_unique_uuid(), v text);
		CREATE TABLE t_random (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), v text);
	SQL
	section layouts ns 1 'Ids that are composed: nanoseconds over an empty function'
	contest 'one call' call 1000 -- \
		'layout plain' "idgen_next('plain')" \
		'layout prefixed' "idgen_next('prefixed')" \
		'idgen_unique_id()' 'idgen_unique_id()' \
		'gen_random_uuid()' 'gen_random_uuid()'

	# so that the index is what sessions wait for, and not the disk
	section layout_inserts '/s' 0 'Clients that insert 100 rows, synchronous_commit off: transactions per second'
	for clients in $few_clients
	do
		PGOPTIONS='-c synchronous_commit=off' contest "$(clients "$clients")" throughput "$clients" -- \
			'layout plain' "INSERT INTO t_plain $insert" \
			'layout prefixed' "INSERT INTO t_prefixed $insert" \
			'layout prefixed_reversed' "INSERT INTO t_reversed $insert" \
			'idgen_unique_id()' "INSERT INTO t_time $insert" \
			'idgen_unique_uuid()' "INSERT INTO t_ordered $insert" \
			'gen_random_uuid()' "INSERT INTO t_random $insert"
	done
}

# Without autovacuum, whose WAL would be somebody's
compare_wal()
{
	section wal bytes 1 'WAL: bytes for each id that a transaction of its own draws, in one session'
	stop_autovacuum
	sql -c CHECKPOINT
	contest 'SELECT' wal "$wal_transactions" -- \
		'idgen_next, block_size 20' "SELECT idgen_next('x')" \
		'idgen_next, block_size 1000' "SELECT idgen_next('x1000')" \
		'idgen_next, worker, block_size 100' "SELECT idgen_next('worker')" \
		'idgen_next, block_size 1' "SELECT idgen_next('gapless')" \
		"${nextvals[@]}" \
		'counter table' "$counter" \
		'gen_random_uuid()' 'SELECT gen_random_uuid()'
	start_autovacuum
}

# The server says how much it would take, in MB; it must not be running.
compare_memory()
{
	local least most

	least=$(postgres -D "$work/server" -C shared_memory_size -c idgen.max_sequences=1000)
	most=$(postgres -D "$work/server" -C shared_memory_size -c idgen.max_sequences=1000000)
	section memory bytes 0 'Shared memory: bytes for each of idgen.max_sequences'
	row='one more' competitor='idgen.max_sequences' sample "$(((most - least) * 1048576 / 999000))"
}
