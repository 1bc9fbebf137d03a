# shellcheck shell=bash
#
# lib.sh - what the programs that measure have in common
#
# A program sources ../lib.sh and calls enter_workplace, then sources this file, calls
# start_bench, and for each line of its table one of cost, throughput and latencies, and
# report.
#
#   QUICK=1      shorter
#   ROWS="1 3"   these rows of the table only
#
# The competitors take turns, and a ratio is that of the medians of one run, so that a
# slow or noisy machine slows both.

if [ -n "${QUICK:-}" ]
then
	rounds=3 seconds=2 thousands=1000
else
	rounds=15 seconds=2 thousands=5000
fi

# what one call costs in one session: the statement, run as often as calls are to be seen
calls="FROM generate_series(1, $thousands) AS a, generate_series(1, 1000) AS b"
million="FROM generate_series(1, 1000) AS a, generate_series(1, 1000) AS b"

data=$work/server
samples=$work/samples
missed=0

wanted()
{
	[[ -z "${ROWS:-}" || " $ROWS " == *" $1 "* ]]
}

sql()
{
	psql -Xq -v ON_ERROR_STOP=1 "$@"
}

# Of the numbers on standard input: median, least, greatest.
summary()
{
	sort -g | awk '{ v[NR] = $1 }
		END { print (NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2), v[1], v[NR] }'
}

# report ROW WHAT UNIT FORMAT OTHER BETTER TARGET: adds a line to the table. The samples
# are in $samples/idgen and $samples/other, one number per round. BETTER is "most" or
# "least", whichever the TARGET for the ratio idgen / other is.
report()
{
	local row=$1 what=$2 unit=$3 format=$4 other=$5 better=$6 target=$7

	paste "$samples/idgen" "$samples/other" | awk '{ print $1 / $2 }' >"$samples/ratio"
	awk -v row="$row" -v what="$what" -v unit="$unit" -v format="$format" -v other="$other" \
		-v better="$better" -v target="$target" -v idgen="$(summary <"$samples/idgen")" \
		-v others="$(summary <"$samples/other")" -v ratios="$(summary <"$samples/ratio")" '
		function three(a) { return sprintf(format " (" format " - " format ")", a[1], a[2], a[3]) }
		BEGIN {
			split(idgen, i, " "); split(others, o, " "); split(ratios, r, " ")
			ratio = i[1] / o[1]
			pass = better == "none" || (better == "most" ? ratio <= target : ratio >= target)
			printf "%-4s%-36s%-5s%-26s%-26s%-22s%-25s%-9s%s\n", row, what, unit, three(i), three(o),
				other, sprintf("%.3f (%.3f - %.3f)", ratio, r[2], r[3]),
				better == "none" ? "" : (better == "most" ? "<= " : ">= ") target,
				better == "none" ? "" : pass ? "pass" : "MISS"
			exit !pass
		}' >>"$work/table" || missed=$((missed + 1))
	tail -n 1 "$work/table"
	rm -f "$samples"/*
}

# cost CALLS FROM OTHER [IDGEN]: nanoseconds per call of IDGEN, which is idgen_next('x') if
# not given, and of OTHER, both over the empty function, all in one session
cost()
{
	local n=$1 from=$2 other=$3 idgen=${4:-"idgen_next('x')"} who i

	{
		say '\o /dev/null'
		say '\timing on'
		# the round 0 warms up, and is not counted
		for ((i = 0; i <= rounds; i++))
		do
			for call in "idgen_bench_empty('x')" "$idgen" "$other"
			do
				[ "$call" = "$idgen" ] && who=idgen || who=other
				[[ "$call" == idgen_bench_empty* ]] && who=empty
				say "\\echo call $i $who"
				say "SELECT count($call) $from;"
			done
		done
	} >"$work/cost.sql"
	sql -f "$work/cost.sql" >"$work/cost.out"
	awk -v n="$n" -v dir="$samples" '
		$1 == "call" { i = $2; who = $3 }
		$1 == "Time:" && i > 0 {
			ns = $2 * 1e6 / n
			if (who == "empty")
				empty = ns
			else
				print ns - empty >(dir "/" who)
		}' "$work/cost.out"
}

# throughput CLIENTS IDGEN OTHER [BEFORE]: transactions per second of two statements; the
# SQL BEFORE is run before each time
throughput()
{
	local clients=$1 before=${4:-} i who

	say "$2" >"$work/idgen.sql"
	say "$3" >"$work/other.sql"
	for ((i = 0; i <= rounds; i++))
	do
		for who in idgen other
		do
			[ -z "$before" ] || sql -c "$before"
			pgbench -n -M prepared -c "$clients" -j "$(nproc)" -f "$work/$who.sql" \
				-T "$((i == 0 ? 1 : seconds))" >"$work/pgbench.out" 2>&1 || {
				grep -m 5 -i error "$work/pgbench.out" >&2 || true
				die "pgbench failed"
			}
			((i == 0)) ||
				sed -n 's/^tps = \([0-9.]*\).*/\1/p' "$work/pgbench.out" >>"$samples/$who"
		done
	done
}

# latencies CLIENTS RATE: microseconds that a transaction of either statement takes from
# when it was due, at so many a second: one number per round for each percentile, in
# $work/latency/WHO.PERCENT. A client's first transactions, in which the session looks
# up what it needs, are not counted.
latencies()
{
	local clients=$1 rate=$2 i who percent

	mkdir -p "$work/latency"
	for ((i = 0; i <= rounds; i++))
	do
		for who in idgen other
		do
			rm -f "$work"/log.*
			pgbench -n -M prepared -c "$clients" -j "$(nproc)" -f "$work/$who.sql" -R "$rate" \
				-T "$((i == 0 ? 1 : 2 * seconds))" -l --log-prefix="$work/log" >/dev/null 2>&1 ||
				die "pgbench failed"
			((i > 0)) || continue
			cat "$work"/log.* | awk '$2 > 100 { print $3 }' | sort -n >"$work/latency/sorted"
			for percent in 50 99 99.9
			do
				awk -v percent="$percent" -v n="$(wc -l <"$work/latency/sorted")" \
					'NR >= n * percent / 100 { print; exit }' \
					"$work/latency/sorted" >>"$work/latency/$who.$percent"
			done
		done
	done
}

# start_bench SETTING...: builds, starts the server, prints the head of the table
start_bench()
{
	local cflags

	build || exit 1
	read -ra cflags <<<"$("$PG_CONFIG" --cflags)"
	gcc "${cflags[@]}" -fPIC -shared -isystem "$("$PG_CONFIG" --includedir-server)" \
		-o "$work/idgen_bench.so" test/bench/idgen_bench.c

	start_server "$data" "shared_preload_libraries = 'idgen'" 'fsync = on' 'autovacuum = on' \
		'max_connections = 60' 'shared_buffers = 256MB' 'max_wal_size = 8GB' \
		'checkpoint_timeout = 1h' 'jit = off' 'max_parallel_workers_per_gather = 0' "$@"
	mkdir "$samples"
	sql <<SQL
CREATE EXTENSION idgen;
CREATE FUNCTION idgen_bench_empty(text) RETURNS bigint LANGUAGE c STRICT VOLATILE
	AS '$work/idgen_bench', 'idgen_bench_empty';
SQL
	say "PostgreSQL $("$PG_CONFIG" --version | awk '{ print $2 }'), $(nproc) processors;" \
		"$rounds rounds; median (least - greatest); ns: per call, less that of an empty function"
	printf '%-4s%-36s%-5s%-26s%-26s%-22s%-25s%-9s\n' row what unit idgen other 'the other' \
		ratio target | tee "$work/table"
}

# The last line; the exit status says whether all targets were met.
end_bench()
{
	stop_server "$data" fast
	say "$missed of the targets missed"
	[ "$missed" = 0 ]
}
