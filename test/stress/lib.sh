# shellcheck shell=bash
#
# lib.sh - what runs idgen_stress
#
#   STRESS_SECONDS=60   how long ids are drawn (make stress SECONDS=60; bash has
#                       a SECONDS of its own)
#   SEED=number         which actions, and in which order; default: the time
#   CLIENTS=16          sessions that draw
#   KEEP=1              keep the record, too
#
# and what ../lib.sh understands.

data=$work/stress_server

# Builds $work/idgen_stress.
build_stress()
{
	local cflags libdir

	read -ra cflags <<<"$("$PG_CONFIG" --cflags)"
	libdir=$("$PG_CONFIG" --libdir)
	gcc "${cflags[@]}" -D_GNU_SOURCE -Wall -Wextra -Werror -isystem "$("$PG_CONFIG" --includedir)" \
		-o "$work/idgen_stress" test/stress/*.c -L"$libdir" -Wl,-rpath,"$libdir" -lpq -pthread
}

# The server is never without its files in memory, so they need not get to the
# disk.
start_stress_server()
{
	start_server "$data" "shared_preload_libraries = 'idgen'" 'max_connections = 120' \
		'max_prepared_transactions = 100' 'max_worker_processes = 20' 'idgen.node_id = 1' \
		'idgen.server_timeout = 20s' 'idgen.warn_remaining = 0' 'fsync = off' \
		'deadlock_timeout = 100ms' \
		'log_line_prefix = '\''%m [%p] %d %a '\''' "$@"
}

# Fails if a rule was broken.
stress()
{
	"$work/idgen_stress" -s "${STRESS_SECONDS:-60}" -r "${SEED:-$(date +%s)}" -c "${CLIENTS:-16}" \
		${KEEP:+-o "$work/record"} "$data"
}
