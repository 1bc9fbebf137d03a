# shellcheck shell=bash
#
# tenants.sh - what many id sequences cost
#
# Each client is a new session: most of what it draws is its first id from that
# id sequence, which a session has to look up. The same goes for nextval.

#
# Scripts of pgbench: each transaction draws an id of a random tenant
#

# uniform NAMES: sets n to the number of one of the tenants, each with the same
# chance
uniform()
{
	say "\\set n random(0, $1 - 1)"
}

# zipf NAMES: sets n to the number of one of the tenants, the one of rank k with
# chance ln(1 + 1 / k) / ln(NAMES + 1): nearly 1 / k, Zipf's law with exponent
# 1. random_zipfian() takes no exponent below 1.001, and tries a hundred times
# for each number near that. Ranks are dealt out at random, but the same ones
# each time: the busy tenants are not those with neighbouring rows.
zipf()
{
	say "\\set n permute(int(pow($1 + 1, random(0, 999999999) / 1000000000.0)) - 1, $1, 1)"
}

# from_idgen KIND NAMES, from_native KIND NAMES, from_counter KIND NAMES
from_idgen()
{
	"$1" "$2"
	say "SELECT idgen_next('t' || :n)"
}

from_native()
{
	"$1" "$2"
	say "\\set oid $first_native + :n"
	say 'SELECT nextval(:oid::oid)'
}

from_counter()
{
	"$1" "$2"
	say "UPDATE tenant_counter SET v = v + 1 WHERE name = 't' || :n RETURNING v"
}

#
# Measures
#

# What pgbench has just drawn is counted for that server.
count_drawn()
{
	drawn[$1]=$((drawn[$1] + $(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$work/pgbench.out")))
}

# draws CLIENTS "SERVER ~ SCRIPT": transactions per second, and in sections of
# their own the microseconds of one: half, and all but a hundredth, take at most
# that long
draws()
{
	local server=${2%% ~ *} script=${2#* ~ }

	at "$server" bench -c "$1" -T "$seconds" -l --log-prefix="$work/log" "$script"
	[[ $script != *idgen_next* ]] || count_drawn "$server"
	sample "$(tps)"
	take_latencies 0
	section=${section}_p50 sample "$(percentile 50)"
	section=${section}_p99 sample "$(percentile 99)"
}

# refills CLIENTS "SERVER ~ SCRIPT": of the worker, per second
refills()
{
	local server=${2%% ~ *} count="SELECT sum(next_block_start) FROM id_sequences WHERE name >= 'w'" before from

	before=$(at "$server" value "$count")
	from=${EPOCHREALTIME/.}
	at "$server" bench -c "$1" -T "$longer" "${2#* ~ }"
	sample "$(awk "BEGIN { print 1e6 * ($(at "$server" value "$count") - $before) / (${EPOCHREALTIME/.} - $from) }")"
	wait_for_worker "$server" "$count"
}

# wait_for_worker SERVER QUERY: until the worker has done what it was asked for:
# the query gives the same twice
wait_for_worker()
{
	local before='' now

	until now=$(at "$1" value "$2") && [ "$now" = "$before" ]
	do
		before=$now
		sleep 0.2
	done
}

# beside SERVER LOAD COMMAND...: runs it while clients of that server do
# something else: LOAD is a function that becomes pgbench
beside()
{
	local pid

	PGAPPNAME=beside at "$1" "$2" >"$work/beside.out" 2>&1 &
	pid=$!
	sleep 0.5
	"${@:3}"
	kill "$pid" || die "$2: $(cat "$work/beside.out")"
	wait "$pid" || true
	PGOPTIONS='-c client_min_messages=error' at "$1" value "SELECT count(pg_terminate_backend(pid, 60000))
		FROM pg_stat_activity WHERE application_name = 'beside'" >/dev/null
}

# draws_beside CLIENTS SCRIPT "SERVER OTHERSERVER LOAD": transactions per second
draws_beside()
{
	local server other load

	read -r server other load <<<"$3"
	beside "$other" "$load" at "$server" bench -c "$1" -T "$longer" "$2"
	[[ $2 != *idgen_next* ]] || count_drawn "$server"
	sample "$(tps)"
}

# session_memory NAMES "SERVER ~ CALL": kilobytes that a session keeps when it
# has drawn an id of each of the first names; n is their number
session_memory()
{
	local server=${2%% ~ *} call=${2#* ~ } kept="SELECT sum(total_bytes) AS bytes FROM pg_backend_memory_contexts"

	# the same statements before, so that only what grows with names counts
	sample "$(at "$server" sql -At <<-SQL
		SELECT count($call) FROM generate_series(0, 9) AS n \g /dev/null
		$kept \g /dev/null
		$kept \gset before_
		SELECT count($call) FROM generate_series(0, $1 - 1) AS n \g /dev/null
		SELECT (sum(total_bytes) - :before_bytes) / 1024 FROM pg_backend_memory_contexts;
	SQL
	)"
	[[ $call != *idgen_next* ]] || drawn[$server]=$((drawn[$server] + $1 + 10))
}

# note_lost WHEN SERVER...: samples of ids lost since the last time, of each id
# drawn
note_lost()
{
	local section=tenants_lost when=$1 competitor='idgen_next' server row lost

	note_progress "$section: $when"
	shift
	for server
	do
		count_lost "$server" >"$work/lost.$server" &
	done
	wait
	for server
	do
		row="$when, max_sequences ${slots[$server]}"
		lost=$(<"$work/lost.$server")
		((lost >= lost_before[$server])) || die "$server: $((lost_before[$server] - lost)) ids too many are issued or cached"
		sample "$(awk "BEGIN { print ($lost - ${lost_before[$server]}) / (${drawn[$server]} - ${drawn_before[$server]} + 1e-9) }")"
		((slots[$server] < tenants)) || must "$row" "$competitor" exactly 0
		lost_before[$server]=$lost drawn_before[$server]=${drawn[$server]}
	done
}
declare -A lost_before=([small]=0 [medium]=0 [large]=0 [few]=0)
declare -A drawn_before=([small]=0 [medium]=0 [large]=0 [few]=0)

#
# Chapters
#

# How fast the worker refills does not depend on what else is cached. There is
# one id in a block, so each is a refill. These id sequences are deleted then,
# and leave their slots to the tenants.
tenants_worker()
{
	local server script used=$((tenants * 9 / 10)) longer=3 rounds=$rounds_of_targets

	warm $((used - worker_names)) large
	for server in large few
	do
		at "$server" sql -c 'ALTER SYSTEM SET idgen.max_prefetch_blocks = 1' -c 'SELECT pg_reload_conf()' >/dev/null
		# each of them once
		at "$server" bench -c 32 -D i=-1 -t $((worker_names / 32)) \
			'\set i :i + 1'$'\n''\set n :client_id + 32 * :i'$'\n'"SELECT idgen_next('w' || :n)"
	done
	script=$(
		uniform "$worker_names"
		say "SELECT idgen_next('w' || :n)"
	)
	section tenants_worker '/s' 0 'Refills of the worker per second'
	contest "32 clients want ids of $worker_names id sequences, block_size 1" refills 32 -- \
		"idgen_next, worker, $used slots in use" "large ~ $script" \
		"$worker_names slots in use" "few ~ $script"
	must "32 clients want ids of $worker_names id sequences, block_size 1" "$worker_names slots in use" least 0.9
	for server in large few
	do
		at "$server" sql -c "DELETE FROM id_sequences WHERE name >= 'w'" -c 'VACUUM id_sequences'
	done
}

# With the library's cache of each size, next to what has a lock and a relation
# for each tenant, and to what has a row.
tenants_draws()
{
	local kind clients names rivals

	warm "$tenants" small medium large
	note_lost 'first ids of each' small medium large
	for kind in uniform zipf
	do
		for clients in 1 32
		do
			sections_of_draws "$kind" "$clients"
			for names in $sizes
			do
				rivals=('counter table' "few ~ $(from_counter "$kind" "$names")")
				((names > natives)) || rivals+=('nextval, CACHE 1' "few ~ $(from_native "$kind" "$names")")
				contest "$names" draws "$clients" -- \
					"max_sequences ${slots[large]}" "large ~ $(from_idgen "$kind" "$names")" \
					"max_sequences ${slots[medium]}" "medium ~ $(from_idgen "$kind" "$names")" \
					"max_sequences ${slots[small]}" "small ~ $(from_idgen "$kind" "$names")" \
					"${rivals[@]}"
			done
			[ "$clients" = 1 ] || must "$natives" 'nextval, CACHE 1' least 1.0
		done
		note_lost "$kind" small medium large
	done
}

# sections_of_draws KIND CLIENTS: declares them, that of throughput last
sections_of_draws()
{
	local of="$(clients "$2"), $1: " in="tenants_${1}_$2"

	section "${in}_p50" µs 0 "${of}microseconds that half of the draws take at most" 'id sequences'
	section "${in}_p99" µs 0 "${of}microseconds that 99 of 100 draws take at most" 'id sequences'
	section "$in" '/s' 0 "${of}draws per second, each a transaction" 'id sequences'
}

# Draws that have to find their place in the cache, while others create files
# and remove them, of which the cache has to learn. They do so at half the speed
# that they could, in this server or in another one: what that takes of the
# processors and the disk is the same.
tenants_truncate()
{
	local rate script rounds=$rounds_of_targets

	warm "$tenants" small large
	at few bench -c 4 -T 1 -M simple 'TRUNCATE truncated:client_id'
	rate=$(tps)
	rate=$((${rate%.*} / 2))
	section tenants_truncate '/s' 0 "8 clients, beside 4 that run $rate TRUNCATE a second: first draws per second"
	script=$(from_idgen uniform "$tenants")
	contest 'from a slot' draws_beside 8 "$script" -- \
		'idgen_next' 'large large truncates' \
		'the 4 clients in another server' 'large few truncates'
	must 'from a slot' 'the 4 clients in another server' least 0.9
	contest 'from a slot of another one' draws_beside 8 "$script" -- \
		'idgen_next' 'small small truncates' \
		'the 4 clients in another server' 'small few truncates'
	must 'from a slot of another one' 'the 4 clients in another server' least 0.9
	contest 'nextval' draws_beside 8 "$(from_native uniform "$natives")" -- \
		'nextval, CACHE 1' 'few few truncates' \
		'the 4 clients in another server' 'few small truncates'
}

truncates()
{
	say 'TRUNCATE truncated:client_id' >"$work/beside.sql"
	exec pgbench -n -c 4 -R "$rate" -T 600 -f "$work/beside.sql"
}

# Views that are read in a loop, next to a loop that keeps a processor as busy.
tenants_views()
{
	local view script rounds=$rounds_of_targets

	warm "$tenants" large
	section tenants_views '/s' 0 "8 clients, beside one that reads a view of $tenants id sequences in a loop: draws per second"
	script=$(from_idgen uniform "$tenants")
	for view in idgen_stats idgen_cache idgen_server idgen_health
	do
		contest "$view" draws_beside 8 "$script" -- \
			'idgen_next' "large large reads_$view" \
			'one that computes, in another server' 'large few computes'
		must "$view" 'one that computes, in another server' least 0.9
	done
	section tenants_views_alone ms 0 "The views of $tenants id sequences: milliseconds of SELECT count(*)"
	rounds=1
	for view in idgen_stats idgen_cache idgen_server idgen_health
	do
		contest "$view" statement -- "$view" "large ~ SELECT count(*) FROM $view"
	done
}

# statement "SERVER ~ SQL": milliseconds
statement()
{
	sample "$(say "${1#* ~ };" | at "${1%% ~ *}" timed)"
}

reads_idgen_stats()
{
	loops 'SELECT count(*) FROM idgen_stats'
}

reads_idgen_cache()
{
	loops 'SELECT count(*) FROM idgen_cache'
}

reads_idgen_server()
{
	loops 'SELECT count(*) FROM idgen_server'
}

reads_idgen_health()
{
	loops 'SELECT count(*) FROM idgen_health'
}

computes()
{
	loops 'SELECT sum(i) FROM generate_series(1, 100000) AS i'
}

# loops STATEMENT: becomes a client that runs it in a loop
loops()
{
	say "$1" >"$work/beside.sql"
	exec pgbench -n -c 1 -T 600 -f "$work/beside.sql"
}

tenants_sessions()
{
	local rounds=1 names rivals

	warm "$tenants" large
	section tenants_sessions kB 0 'Memory that a session keeps which has drawn from each: kilobytes' 'id sequences'
	for names in $sizes
	do
		rivals=()
		((names > natives)) || rivals=('nextval, CACHE 1' "few ~ nextval(($first_native + n)::oid)")
		contest "$names" session_memory "$names" -- \
			'idgen_next' "large ~ idgen_next('t' || n)" "${rivals[@]}"
	done
}

# After a checkpoint, so that what the server itself writes does not count
tenants_restart()
{
	local round server section row competitor from

	warm "$tenants" small medium large
	note_lost 'before the restarts' small medium large
	section tenants_restart_file kB 0 'The file that keeps the cache over a restart: kilobytes'
	section tenants_restart ms 0 "A clean stop and start: milliseconds, with ids of $tenants id sequences cached"
	for ((round = 1; round <= rounds; round++))
	do
		note_progress "$section: $round"
		for server in small medium large few
		do
			competitor="max_sequences ${slots[$server]}"
			[ "$server" != few ] || competitor='next to nothing cached'
			at "$server" sql -c CHECKPOINT
			from=${EPOCHREALTIME/.}
			stop_and_wait "$server"
			row=stop sample $(((${EPOCHREALTIME/.} - from) / 1000))
			section=tenants_restart_file row=size sample "$(size_of_file "$work/$server/pg_stat/idgen.cache")"
			from=${EPOCHREALTIME/.}
			start_and_wait "$server"
			row=start sample $(((${EPOCHREALTIME/.} - from) / 1000))
		done
	done
	note_lost 'the restarts' small medium large
}

# size_of_file FILE: kilobytes; there is none if there is nothing to keep
size_of_file()
{
	[ ! -e "$1" ] && say 0 || du -k --apparent-size "$1" | cut -f 1
}

# What all chapters have found of that, and what is lost in the end
tenants_lost()
{
	local server

	for server in small medium large few
	do
		((drawn[$server] == drawn_before[$server])) || note_lost 'afterwards' "$server"
	done
	section tenants_lost '' 6 'Ids lost for each id drawn'
}

# The server says how much it would take, in MB; it must not be running.
tenants_memory()
{
	local row=slot competitor='idgen.max_sequences' section

	section tenants_memory bytes 0 'Shared memory: bytes for one more'
	sample "$(((\
		$(shared_memory 1000000) - $(shared_memory 1000)) * 1048576 / 999000))"
	must slot idgen.max_sequences most 336
	recommend_settings >"$results/tenants_settings.md"
}

# What docs/performance.md tells users to set, and what that takes
recommend_settings()
{
	# shellcheck disable=SC2016
	say '| tenants | `idgen.max_sequences` | shared memory for the cache |'
	say '|---|---|---|'
	recommend '65,536' 65536
	recommend '100,000' 100000
	recommend '1,000,000' 1000000
}

# recommend TENANTS MAX_SEQUENCES
recommend()
{
	say "| $1 | $2 | $(more_memory "$2") MB |"
}

# more_memory MAX_SEQUENCES: MB of shared memory, over next to none; at least 1
more_memory()
{
	local more=$(($(shared_memory "$1") - $(shared_memory 1)))

	say $((more > 0 ? more : 1))
}

shared_memory()
{
	postgres -D "$work/few" -C shared_memory_size -c "idgen.max_sequences=$1" 2>/dev/null
}
