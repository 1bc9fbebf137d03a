# shellcheck shell=bash
#
# lib.sh - how the benchmark measures
#
# A chapter declares a section, and lets competitors contest, which take turns:
# a slow moment of the machine hits them all, and what counts is the ratio of
# medians of one run. Everything goes into $record; see the program report for
# what it says.

# How often and how long is measured, and of what grows, at which sizes
seconds=1
if [ -n "${QUICK:-}" ]
then
	rounds=1 rounds_of_growth=1 longer=1 thousands=500 bulk_thousands=100 wal_transactions=1000 heap_transactions=5000
	many_clients=32 few_clients=32 latency_clients=16
	sizes='1 1000' sessions='1 100' most_ids=6
	names='1 1000 20000' more_names=100000 names_of_full=2000 new_sessions=30 children=2000 tables=1000
else
	rounds=5 rounds_of_growth=3 longer=2 thousands=2000 bulk_thousands=1000 wal_transactions=4000 heap_transactions=100000
	many_clients='1 2 8 32' few_clients='1 32' latency_clients='1 16'
	sizes='1 10 100 1000 10000 100000' sessions='1 8 32 100 250 500' most_ids=7
	names='1 10 100 1000 10000 20000' more_names='30000 50000 100000'
	names_of_full='250 500 750 1000 1250 1500 2000 5000' new_sessions=100 children=100000 tables=10000
fi

busy_loops=()
reset=
before=

record=$work/record
results=$work/results
: >"$record"

sql()
{
	psql -Xq -v ON_ERROR_STOP=1 "$@"
}

# note KIND FIELD...: adds a line to the record
note()
{
	local IFS=$'\t'

	printf '%s\n' "$*" >>"$record"
}

# section NAME UNIT DIGITS TITLE [X]
section()
{
	section=$1
	note section "$@"
}

# must ROW COMPETITOR most|least|exactly LIMIT
must()
{
	note must "$section" "$@"
}

# contest ROW MEASURE [ARGUMENT...] -- COMPETITOR STATEMENT [COMPETITOR
# STATEMENT]...
#
# In each round, measures each statement once, and begins with another one each
# time: what one leaves behind is not always met by the same one. The SQL in
# $reset and $before, if there is some, is run before each time.
contest()
{
	local row=$1 measure=() contestants=() round turn i competitor statement

	shift
	while [ "$1" != -- ]
	do
		measure+=("$1")
		shift
	done
	shift
	contestants=("$@")
	printf '%5d s  %s: %s\n' "$SECONDS" "$section" "$row" >&2
	for ((round = 1; round <= rounds; round++))
	do
		for ((turn = 0; turn < $#; turn += 2))
		do
			i=$(((turn + 2 * (round - 1)) % $#))
			competitor=${contestants[i]} statement=${contestants[i + 1]}
			[ -z "$reset$before" ] || sql ${reset:+-c "$reset"} ${before:+-c "$before"} >/dev/null
			"${measure[@]}" "$statement"
		done
	done
}

# sample VALUE: of this row of this section and this competitor
sample()
{
	[ -n "$1" ] || die "$section, $row: nothing was measured of $competitor"
	note sample "$section" "$row" "$competitor" "$1"
}

# start_busy_loops COUNT: keeps that many processors busy, until end_busy_loops.
start_busy_loops()
{
	local i

	for ((i = 0; i < $1; i++))
	do
		(while :; do :; done) &
		busy_loops+=("$!")
	done
}

end_busy_loops()
{
	kill "${busy_loops[@]}"
	wait "${busy_loops[@]}" || true
	busy_loops=()
}

# The milliseconds of each statement on standard input, one a line; nothing if
# one failed, since psql times that, too
timed()
{
	local output

	output=$({
		say '\o /dev/null'
		say '\timing on'
		cat
	} | sql) || return
	awk '$1 == "Time:" { print $2 }' <<<"$output"
}

#
# Measures
#

# clients NUMBER: the name of a row
clients()
{
	(($1 == 1)) && say '1 client' || say "$1 clients"
}

# calls ROWS: the FROM of a query with that number of rows, in thousands
calls()
{
	say "FROM generate_series(1, $1) AS a, generate_series(1, 1000) AS b"
}

# call THOUSANDS EXPRESSION: nanoseconds of one call, less those of an empty
# function; after a short first time of both, which is not counted
call()
{
	call_over "$1" "idgen_bench_empty('x') ~ $2"
}

# call_over THOUSANDS "FLOOR ~ CALL": the same, less those of FLOOR
call_over()
{
	local floor="SELECT count(${2%% ~ *})" call="SELECT count(${2#* ~ })"

	sample "$(printf '%s;\n' "$floor $(calls 10)" "$call $(calls 10)" "$floor $(calls "$1")" "$call $(calls "$1")" |
		timed | awk -v n="$1" 'NR == 3 { floor = $1 } NR == 4 { print ($1 - floor) * 1000 / n }')"
}

# random_call NAMES "FLOOR ~ CALL": nanoseconds of CALL, less those of FLOOR, in
# which n is a random number below NAMES. Not counted is a first time, in which
# the session looks up what it needs; of more names than it remembers, it
# forgets that when the statement ends.
random_call()
{
	local from

	from="FROM (SELECT floor(random() * $1)::integer AS n $(calls 200)) AS random,
		(SELECT array_agg(oid ORDER BY oid) AS oids FROM pg_class WHERE relname ~ '^n[0-9]+$') AS native"
	from=${from//$'\n'/ }
	sample "$(printf 'SELECT count(%s) %s;\n' "${2#* ~ }" "$from" "${2% ~ *}" "$from" "${2#* ~ }" "$from" | timed |
		awk 'NR == 2 { floor = $1 } NR == 3 { print ($1 - floor) * 1e6 / 200000 }')"
}

# whole ROWS STATEMENT: microseconds for each of the rows
whole()
{
	sample "$(say "$2;" | timed | awk -v n="$1" '{ print $1 * 1000 / n }')"
}

# bench ARGUMENT... STATEMENT: runs pgbench, which writes to $work/pgbench.out
bench()
{
	local statement=${*: -1}

	say "$statement" >"$work/script.sql"
	pgbench -n -M prepared -j "$(nproc)" -f "$work/script.sql" "${@:1:$#-1}" >"$work/pgbench.out" 2>&1 || {
		grep -m 5 -i error "$work/pgbench.out" >&2 || true
		die "pgbench failed"
	}
}

# What pgbench said about transactions per second
tps()
{
	sed -n 's/^tps = \([0-9.]*\).*/\1/p' "$work/pgbench.out"
}

# ... and about the milliseconds that one takes
latency()
{
	sed -n 's/^latency average = \([0-9.]*\) ms/\1/p' "$work/pgbench.out"
}

# throughput CLIENTS STATEMENT: transactions per second
throughput()
{
	bench -c "$1" -T "$seconds" "$2"
	sample "$(tps)"
}

# latency_at CLIENTS RATE STATEMENT: microseconds from when a transaction was
# due, at that number a second, to its end: a row for each percentile. A
# client's first ones, in which the session looks up what it needs, are not
# counted.
latency_at()
{
	local clients=$row percent

	bench -c "$1" -R "$2" -T "$longer" -l --log-prefix="$work/log" "$3"
	take_latencies 20
	for percent in 50 99 99.9
	do
		row="$clients, p$percent" sample "$(percentile "$percent")"
	done
}

# take_latencies FIRST: sorts what pgbench has logged of each transaction, but
# not of each client's first ones
take_latencies()
{
	cat "$work"/log.* | awk -v first="$1" '$2 >= first { print $3 }' | sort -n >"$work/latencies"
	rm "$work"/log.*
}

# percentile PERCENT: the microseconds that this part of them takes at most
percentile()
{
	awk -v percent="$1" -v n="$(wc -l <"$work/latencies")" 'NR >= n * percent / 100 { print; exit }' "$work/latencies"
}

# both CLIENTS COMPETITOR STATEMENT COMPETITOR STATEMENT: microseconds of a
# transaction of each, while every client does now this and now that. No moment
# of the machine favours one.
both()
{
	local clients=$1 round i competitor

	row=$(clients "$clients")
	say "$5" >"$work/second.sql"
	for ((round = 1; round <= rounds; round++))
	do
		bench -c "$clients" -T "$((2 * longer))" -f "$work/second.sql" "$3"
		for i in 1 2
		do
			competitor=${*:2*i:1}
			sample "$(sed -n 's/^ - latency average = \([0-9.]*\) ms/\1/p' "$work/pgbench.out" |
				awk -v i="$i" 'NR == i { print $1 * 1000 }')"
		done
	done
}

# wal TRANSACTIONS STATEMENT: bytes of WAL for each, in one session
wal()
{
	local from

	bench -c 1 -t 200 "$2"
	from=$(value 'SELECT pg_current_wal_insert_lsn()')
	bench -c 1 -t "$1" "$2"
	sample "$(value "SELECT (pg_current_wal_insert_lsn() - '$from') / $1")"
}

# heap_pages TRANSACTIONS "TABLE ~ STATEMENT": the size of the table after that
# many in one session
heap_pages()
{
	local table=${2%% ~ *}

	sql -c "VACUUM FULL $table"
	bench -c 1 -t "$1" "${2#* ~ }"
	sample "$(value "SELECT pg_relation_size('$table') / current_setting('block_size')::int")"
}

# microseconds TRANSACTIONS STATEMENT: of each of that many, in one session
microseconds()
{
	bench -c 1 -t "$1" "$2"
	sample "$(latency | awk '{ print $1 * 1000 }')"
}

# transactions COUNT IDS STATEMENT: nanoseconds for each id of transactions of
# that many
transactions()
{
	bench -c 1 -t "$1" "$3"
	sample "$(latency | awk -v n="$2" '{ print $1 * 1e6 / n }')"
}

#
# Servers
#

# what random_call contests with, after make_names
random_names=(
	'idgen_next' "idgen_bench_empty('s' || n) ~ idgen_next('s' || n)"
	'nextval, CACHE 1' "idgen_bench_empty(oids[n + 1]) ~ nextval(oids[n + 1])"
)

# make_names COUNT: that number of id sequences s0, s1 ..., and native sequences
# n0, n1 ...
make_names()
{
	sql <<-SQL
		SET client_min_messages = warning;
		INSERT INTO id_sequences (name, next_block_start, block_size)
			SELECT 's' || n, 1, 1000 FROM generate_series(0, $1 - 1) AS n ON CONFLICT DO NOTHING;
		DO \$\$
		BEGIN
			FOR n IN 0 .. $1 - 1 LOOP
				EXECUTE 'CREATE SEQUENCE IF NOT EXISTS n' || n;
			END LOOP;
		END \$\$;
	SQL
}

# bench_server DIRECTORY SETTING...: starts a server that is as safe as one in
# use
bench_server()
{
	start_server "$1" 'fsync = on' 'shared_buffers = 256MB' 'max_wal_size = 8GB' \
		'checkpoint_timeout = 1h' 'jit = off' 'max_parallel_workers_per_gather = 0' "${@:2}"
}

# The same with idgen, and the function that does nothing, with the arguments of
# both sides
idgen_server()
{
	bench_server "$1" "shared_preload_libraries = 'idgen'" "${@:2}"
	sql <<-SQL
		CREATE EXTENSION idgen;
		CREATE FUNCTION idgen_bench_empty(text) RETURNS bigint LANGUAGE c STRICT VOLATILE
			AS '$work/idgen_bench', 'idgen_bench_empty';
		CREATE FUNCTION idgen_bench_empty(regclass) RETURNS bigint LANGUAGE c STRICT VOLATILE
			AS '$work/idgen_bench', 'idgen_bench_empty';
	SQL
}

# Returns when no process of autovacuum is left.
stop_autovacuum()
{
	sql -c 'ALTER SYSTEM SET autovacuum = off' -c 'SELECT pg_reload_conf()' >/dev/null
	while [ "$(value "SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'autovacuum%'")" != 0 ]
	do
		sleep 0.1
	done
}

start_autovacuum()
{
	sql -c 'ALTER SYSTEM RESET autovacuum' -c 'SELECT pg_reload_conf()' >/dev/null
}

# change_server LINE: starts it again with this in its configuration
change_server()
{
	say "$1" >>"$work/server/postgresql.conf"
	stop_server "$work/server" fast
	restart_server "$work/server"
}
