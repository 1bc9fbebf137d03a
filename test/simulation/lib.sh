# shellcheck shell=bash
#
# lib.sh - what the programs here that start servers have in common: a centre,
# and nodes that draw from it
#
# The centre has port 5432 and its data in $centre, node n has port 5432 + n. To
# be sourced when the workplace has been entered.

centre=$work/centre

# at_centre COMMAND..., at_node N COMMAND...: runs it with the environment
# pointing there
at_centre()
{
	PGPORT=5432 "$@"
}

at_node()
{
	PGPORT=$((5432 + $1)) "${@:2}"
}

# A commit waits for the disk, as it does in earnest. Nothing else shall happen
# there while something is measured.
start_centre()
{
	start_server "$centre" 'autovacuum = off' 'max_wal_size = 4GB' 'checkpoint_timeout = 1h'
	at_centre psql -Xq -v ON_ERROR_STOP=1 <<'SQL'
CREATE TABLE id_sequences (
	name varchar(255) PRIMARY KEY,
	next_block_start bigint NOT NULL,
	block_size integer NOT NULL,
	exhausted smallint NOT NULL DEFAULT 0)
	WITH (fillfactor = 25);
SQL
}

# start_node N
start_node()
{
	start_server "$work/node$1" "port = $((5432 + $1))" "shared_preload_libraries = 'idgen'" \
		'shared_buffers = 16MB' 'autovacuum = off' 'log_min_messages = fatal'
	at_node "$1" psql -Xq -v ON_ERROR_STOP=1 <<SQL
CREATE EXTENSION idgen;
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw
	OPTIONS (host '$PGHOST', port '5432', dbname 'postgres');
CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user 'postgres');
SQL
}

# sequence_at_centre NAME BLOCK_SIZE
sequence_at_centre()
{
	at_centre psql -Xq -v ON_ERROR_STOP=1 -c "INSERT INTO id_sequences VALUES ('$1', 1, $2)"
}

# sequence_at_node N NAME REFILL
sequence_at_node()
{
	at_node "$1" psql -XqAt -v ON_ERROR_STOP=1 \
		-c "SELECT idgen_create('$2', source => 'server', source_name => 'central', refill => '$3')"
}

# what_ran: which server, on what machine, when, in a line
what_ran()
{
	say "PostgreSQL $("$pgbin/postgres" --version | sed 's/.* \([0-9][0-9.]*\).*/\1/')," \
		"$(sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' /etc/os-release)," \
		"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors; $(date -u +%F)"
}
