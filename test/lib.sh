# shellcheck shell=bash
#
# lib.sh - what test/run, the demos and the programs in test/bench have in
# common
#
# A script that sources this file and calls enter_workplace runs twice. The
# outer run, perhaps as root, installs missing packages, copies the tree into a
# new directory that belongs to an ordinary user (a server refuses to run as
# root), and starts the script again in there. The inner run builds, installs
# below that directory and starts servers, all with their data in it. When the
# inner run is over or the outer one is interrupted, the outer run ends every
# process that is left in there and removes the directory. So the inner run
# never cleans up, several runs do not disturb each other, and the caller's
# tree, settings and servers stay as they are.
#
#   PG_CONFIG        the PostgreSQL to use; default: the newest one installed
#   IDGEN_TEST_USER  the ordinary user; default: postgres for root,
#                    else the caller
#   CC               the compiler; default: the one the server was built with
#   COPT             further compiler options
#   KEEP=1           keep the directory

set -euo pipefail

# The variables of a make above, of the caller's own connections and of the
# caller's language stay outside. PostgreSQL's Perl library takes LC_ALL away,
# and leaves LANG.
export LC_ALL=C LANG=C
unset MAKEFLAGS MFLAGS MAKELEVEL LANGUAGE
for var in "${!PG@}" "${!LC_@}"
do
	[[ $var == PG_* || $var == LC_ALL ]] || unset "$var"
done

say()
{
	printf '%s\n' "$*"
}

die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# shellcheck source=test/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

#
# The outer run
#

# enter_workplace ARGUMENT...: returns in the inner run; the outer run ends in
# here. In the inner run, the current directory is the copied tree and $work is
# the directory around it.
enter_workplace()
{
	local script tree user=

	if [ -n "${IDGEN_WORK:-}" ]
	then
		work=$IDGEN_WORK
		pgbin=$("$PG_CONFIG" --bindir)
		cd "$work/tree"
		return
	fi

	tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
	script=$(cd "$(dirname "$0")" && pwd)/${0##*/}
	script=${script#"$tree"/}

	find_postgres
	install_missing
	if [ "$(id -u)" = 0 ]
	then
		user=${IDGEN_TEST_USER:-postgres}
		id "$user" >/dev/null 2>&1 ||
			die "there is no user \"$user\": set IDGEN_TEST_USER to an ordinary user"
	fi

	# /tmp, unless the script says another place: root's own TMPDIR may be
	# closed to others, and the name of a socket must not become too long
	work=$(mktemp -d -p "${work_below:-/tmp}" --suffix=.idgen)
	inner=
	trap leave_workplace EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM

	mkdir "$work/tree" "$work/tmp"
	tar -C "$tree" -cf - --exclude=./.git --exclude='*.o' --exclude='*.bc' \
		--exclude='*.so' --exclude=./results --exclude=./site --exclude=./tmp_check --exclude=./log . |
		tar -C "$work/tree" -xf - --no-same-owner
	chmod 755 "$work"
	[ -z "$user" ] || chown -R "$user" "$work"

	# A session of its own: the inner run and its children can be ended
	# together. It begins in a folder that its user may enter, which this one
	# need not be.
	setsid ${user:+setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups} \
		env --chdir="$work/tree" \
		IDGEN_WORK="$work" PG_CONFIG="$PG_CONFIG" PATH="$pgbin:$PATH" \
		HOME="$work" TMPDIR="$work/tmp" ${user:+USER="$user" LOGNAME="$user"} \
		bash "$work/tree/$script" "$@" </dev/null &
	inner=$!
	wait "$inner" && exit 0 || exit $?
}

# Where what the inner run puts into $work/results is copied to, in the caller's
# tree
results_to=

leave_workplace()
{
	local status=$? tries pids

	trap '' HUP INT TERM
	trap - EXIT
	[ -z "$inner" ] || kill -TERM -- "-$inner" 2>/dev/null || true

	# pg_ctl puts servers into sessions of their own: look for all that is left
	for tries in {1..100}
	do
		pids=$(inhabitants)
		[ -n "$pids" ] || break
		# shellcheck disable=SC2086
		case $tries in
			10 | 30) kill -QUIT $pids 2>/dev/null || true ;;
			60) kill -KILL $pids 2>/dev/null || true ;;
		esac
		sleep 0.1
	done

	if [ -n "$results_to" ] && [ -e "$work/results" ]
	then
		mkdir -p "$tree/$results_to" && cp -r "$work/results/." "$tree/$results_to" || status=1
	fi
	if [ -n "${KEEP:-}" ]
	then
		say "kept: $work" >&2
	else
		rm -rf "$work"
	fi
	exit "$status"
}

# The processes that work below $work, which is only ours.
inhabitants()
{
	local proc

	for proc in /proc/[0-9]*
	do
		case $(readlink "$proc/cwd" 2>/dev/null) in
			"$work"/*) say "${proc#/proc/}" ;;
		esac
	done
}

#
# The inner run
#

# Builds the copied tree and installs it below $work/dest. Sets server_paths:
# the lines of a configuration that let a server find the extension there. Says
# why and returns 1 when it cannot.
build()
{
	local share lib settings make_args

	share=$work/dest$("$PG_CONFIG" --sharedir)
	lib=$work/dest$("$PG_CONFIG" --pkglibdir)

	# bitcode serves only to inline into JIT-compiled queries
	make_args=(-s "PG_CONFIG=$PG_CONFIG" ${CC:+"CC=$CC"} with_llvm=no "COPT=-Werror ${COPT:-}")
	if ! make "${make_args[@]}" -j "$(nproc)" all ||
		! make "${make_args[@]}" install DESTDIR="$work/dest" >/dev/null
	then
		say "the build failed"
		return 1
	fi

	settings=$("$pgbin/postgres" --describe-config)
	if grep -q '^extension_destdir' <<<"$settings"
	then
		server_paths="extension_destdir = '$work/dest'"
	elif grep -q '^extension_control_path' <<<"$settings"
	then
		server_paths="extension_control_path = '$share:\$system'"
	elif [ -e "$("$PG_CONFIG" --pkglibdir)/idgen.so" ]
	then
		say "note: this server finds an extension only in its own directories, so what is" \
			"tested is the idgen that was installed there last, not this tree"
		server_paths=
		return
	else
		say "this server finds an extension only in its own directories:" \
			"run \"make install PG_CONFIG=$PG_CONFIG\" first"
		return 1
	fi
	# and the server takes bitcode from its own directories only: none that an
	# idgen has left there
	server_paths+=$'\n'"dynamic_library_path = '$lib:\$libdir'"$'\n'"jit_inline_above_cost = -1"
}

# build_library FILE: of functions that only a benchmark loads; it is put into
# $work
build_library()
{
	local cflags

	read -ra cflags <<<"$("$PG_CONFIG" --cflags)"
	gcc "${cflags[@]}" -fPIC -shared -isystem "$("$PG_CONFIG" --includedir-server)" \
		-o "$work/$(basename "$1" .c).so" "$1"
}

# wrap_servers COMMAND: from here on, every server that is started runs under
# this command.
wrap_servers()
{
	local program

	# With a folder named bin, programs would look for share next to it.
	local wrapped=$work/wrapped

	mkdir "$wrapped"
	for program in "$pgbin"/*
	do
		ln -s "$program" "$wrapped"
	done
	# Two programs start the server that is next to them, where links lead. One
	# of them takes whatever server it was started with before.
	rm "$wrapped/pg_rewind" "$wrapped/pg_ctl" "$wrapped/postgres"
	cp "$pgbin/pg_rewind" "$wrapped"
	printf '#!/bin/sh\nexec %s "$@" -p %s\n' "$pgbin/pg_ctl" "$wrapped/postgres" >"$wrapped/pg_ctl"
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$1" "$pgbin/postgres" >"$wrapped/postgres"
	chmod 755 "$wrapped/pg_ctl" "$wrapped/postgres"
	pgbin=$wrapped
	PATH=$pgbin:$PATH
}

# start_server DIRECTORY [LINE...]: makes a new server with its data in
# DIRECTORY, with these further lines in its configuration, and starts it. It
# listens on a socket in $work/tmp only, which the environment then points to;
# of several servers, each needs a line with a port of its own, and a client
# that must not talk to 5432 a PGPORT.
start_server()
{
	local data=$1

	shift
	initdb -D "$data" --encoding=UTF8 --no-locale --auth=trust --username=postgres \
		--no-sync >/dev/null || die "initdb failed"
	{
		say "$server_paths"
		say "listen_addresses = ''"
		say "unix_socket_directories = '$work/tmp'"
		printf '%s\n' "$@"
	} >>"$data/postgresql.conf"
	export PGHOST=$work/tmp PGUSER=postgres PGDATABASE=postgres
	restart_server "$data"
}

restart_server()
{
	pg_ctl -D "$1" -l "$1.log" -w -s start || {
		tail -n 20 "$1.log" >&2
		die "the server did not start"
	}
}

# stop_server DIRECTORY MODE
stop_server()
{
	pg_ctl -D "$1" -w -s -m "$2" stop
}

#
# The demos
#

wrong=0

title()
{
	printf '\n--- %s\n\n' "$*"
}

# Runs the SQL on its standard input; shows every statement and its result.
show()
{
	psql -Xqe -v ON_ERROR_STOP=1 -P footer=off
}

# The one value that a query gives.
value()
{
	psql -XAtq -v ON_ERROR_STOP=1 -c "$1"
}

# check WHAT TRUE-OR-FALSE
check()
{
	if [ "$2" = t ]
	then
		say "  ok: $1"
	else
		say "  WRONG: $1"
		wrong=1
	fi
}

# end_demo LAST-WORDS: says how it went, and ends the script so.
end_demo()
{
	say
	if [ "$wrong" != 0 ]
	then
		say 'The demo went wrong.'
		exit 1
	fi
	say "$1"
	exit 0
}
