# shellcheck shell=bash
#
# tenant_servers.sh - the servers of the benchmark "tenants"
#
# Four of them run side by side, so that competitors can take turns. One that
# nobody draws from does nothing. Each has the same id_sequences:
#
#   t0, t1 ...   the tenants' id sequences, of the default block_size, 20
#   w0, w1 ...   others of block_size 1, that the worker refills
#
#   small        1024 slots, which id sequences take from each other
#   medium       16384 slots
#   large        a slot for each tenant
#   few          as many slots, but next to nothing cached; native sequences
#                n0, n1 ..., and a table with a counter for each tenant
#
# $drawn tells of each how many ids of tenants it has issued.

if [ -n "${QUICK:-}" ]
then
	rounds=1 rounds_of_targets=1 tenants=20000 sizes='1000 20000' natives=20000 worker_names=2000 slots_of_medium=4096
else
	rounds=3 rounds_of_targets=5 tenants=1000000 sizes='1000 10000 100000 1000000' natives=100000 worker_names=20000 slots_of_medium=16384
fi
slots_of_large=$tenants
block=20

declare -A ports=([small]=5441 [medium]=5442 [large]=5443 [few]=5444)
declare -A slots=([small]=1024 [medium]=$slots_of_medium [large]=$slots_of_large [few]=$slots_of_large)
declare -A drawn=([small]=0 [medium]=0 [large]=0 [few]=0)
declare -A warmed=([small]=0 [medium]=0 [large]=0 [few]=0)

# at SERVER COMMAND...: runs it there
at()
{
	PGPORT=${ports[$1]} "${@:2}"
}

make_servers()
{
	local server

	note_progress 'making servers'
	PGPORT=5440 bench_server "$work/base" 'port = 5440' "shared_preload_libraries = 'idgen'" \
		'shared_buffers = 1GB' 'max_connections = 100' \
		'autovacuum = off' 'idgen.worker_idle_timeout = 1h'
	PGPORT=5440 sql <<-SQL
		CREATE EXTENSION idgen;
		INSERT INTO id_sequences (name, next_block_start, block_size, refill)
			SELECT 't' || n, 1, $block, 'transaction' FROM generate_series(0, $tenants - 1) AS n
			UNION ALL
			SELECT 'w' || n, 1, 1, 'worker' FROM generate_series(0, $worker_names - 1) AS n;
		CREATE TABLE truncated0 ();
		CREATE TABLE truncated1 ();
		CREATE TABLE truncated2 ();
		CREATE TABLE truncated3 ();
		VACUUM ANALYZE id_sequences;
	SQL
	stop_server "$work/base" fast
	for server in "${!ports[@]}"
	do
		cp -r --reflink=auto "$work/base" "$work/$server"
		{
			say "port = ${ports[$server]}"
			say "idgen.max_sequences = ${slots[$server]}"
		} >>"$work/$server/postgresql.conf"
		[ "$server" != few ] || say "max_locks_per_transaction = $((natives / 100 + 100))" >>"$work/few/postgresql.conf"
		restart_server "$work/$server"
	done
	rm -r "$work/base"
	at few make_rivals
}

# The native sequences get numbers in a row as OIDs, and are drawn from by these
# as a default does: looking up a name would cost nextval as much again. Each
# has given some values: of 32, one writes WAL. nextval takes a lock for each
# that a transaction draws from.
make_rivals()
{
	sql <<-SQL
		CREATE TABLE tenant_counter (name text PRIMARY KEY, v bigint NOT NULL) WITH (fillfactor = 50);
		INSERT INTO tenant_counter SELECT 't' || n, 0 FROM generate_series(0, $tenants - 1) AS n;
		SET synchronous_commit = off;
		DO \$\$
		BEGIN
			FOR n IN 0 .. $natives - 1 LOOP
				EXECUTE 'CREATE SEQUENCE n' || n;
				IF n % 1000 = 999 THEN
					COMMIT;
				END IF;
			END LOOP;
		END \$\$;
		VACUUM ANALYZE;
	SQL
	first_native=$(value "SELECT 'n0'::regclass::oid")
	[ "$(value "SELECT count(*) FROM generate_series(0, $natives - 1) AS n
		WHERE to_regclass('n' || n) = ($first_native + n)::oid")" = "$natives" ] ||
		die 'the OIDs of the native sequences are not numbers in a row'
	sql -c "SELECT count(nextval(($first_native + n)::oid)) FROM generate_series(0, $natives - 1) AS n,
		generate_series(0, n % 32)" >/dev/null
}

note_progress()
{
	printf '%5d s  %s\n' "$SECONDS" "$*" >&2
}

# warm UPTO SERVER...: has the first UPTO tenants draw some ids, of each server
# as many, so that a block is cached of which each number of ids may be left
# with equal chance
warm()
{
	local upto=$1 server pids=() pid

	shift
	for server
	do
		((warmed[$server] < upto)) || continue
		note_progress "warming $server: ${warmed[$server]} to $upto"
		at "$server" draw_of_each "${warmed[$server]}" "$upto" &
		pids+=($!)
		drawn[$server]=$((drawn[$server] + $(ids_of_each "$upto") - $(ids_of_each "${warmed[$server]}")))
		warmed[$server]=$upto
	done
	for pid in "${pids[@]}"
	do
		wait "$pid" || die 'warming failed'
	done
}

# draw_of_each FROM UPTO: in transactions of some thousand names
draw_of_each()
{
	local i step=10000

	for ((i = $1; i < $2; i += step))
	do
		say "SELECT count(idgen_next_range('t' || n, n % $block + 1))
			FROM generate_series($i, $((i + step < $2 ? i + step : $2)) - 1) AS n;"
	done | sql >/dev/null
}

# ids_of_each UPTO: what draw_of_each draws from the first UPTO tenants
ids_of_each()
{
	local whole=$(($1 / block)) rest=$(($1 % block))

	say $((whole * block * (block + 1) / 2 + rest * (rest + 1) / 2))
}

# count_lost SERVER: the tenants' ids that were taken from the rows, and are
# neither issued nor cached
count_lost()
{
	at "$1" value "SELECT (SELECT sum(next_block_start - start_value) FROM id_sequences WHERE name < 'w')
		- (SELECT coalesce(sum(last_id - first_id + 1), 0) FROM idgen_cache WHERE name < 'w') - ${drawn[$1]}"
}

# stop_and_wait SERVER, start_and_wait SERVER: they look each hundredth of a
# second whether it is done. pg_ctl looks each tenth.
stop_and_wait()
{
	pg_ctl -D "$work/$1" -W -s -m fast stop
	while [ -e "$work/$1/postmaster.pid" ]
	do
		sleep 0.01
	done
}

start_and_wait()
{
	pg_ctl -D "$work/$1" -l "$work/$1.log" -W -s start
	until at "$1" pg_isready -q
	do
		sleep 0.01
	done
}

# Without a checkpoint, which may be of 100,000 files
end_servers()
{
	local server

	for server in "${!ports[@]}"
	do
		stop_server "$work/$server" immediate
	done
}
