# shellcheck shell=bash
#
# lib.sh - what the programs of the stress test have in common

data=$work/server

# Builds $work/idgen_stress.
build_stress()
{
	local cflags libdir

	read -ra cflags <<<"$("$PG_CONFIG" --cflags)"
	libdir=$("$PG_CONFIG" --libdir)
	gcc "${cflags[@]}" -D_GNU_SOURCE -Wall -Wextra -Werror -isystem "$("$PG_CONFIG" --includedir)" \
		-o "$work/idgen_stress" test/stress/*.c -L"$libdir" -Wl,-rpath,"$libdir" -lpq -pthread
}

start_stress_server()
{
	start_server "$data" "shared_preload_libraries = 'idgen'" 'max_connections = 120' \
		'max_prepared_transactions = 100' 'max_worker_processes = 20' 'idgen.node_id = 1' \
		'idgen.worker_timeout = 60s' 'idgen.server_timeout = 30s' 'idgen.warn_remaining = 0' 'fsync = off' \
		'deadlock_timeout = 100ms' \
		'log_line_prefix = '\''%m [%p] %d %a '\''' "$@"
}
