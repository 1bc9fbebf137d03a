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
#   IDGEN_TEST_USER  the ordinary user; default: postgres for root, else
#                    the caller
#   COPT             further compiler options
#   KEEP=1           keep the directory

set -euo pipefail

oldest_major=15

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

	# always /tmp: root's own TMPDIR may be closed to others, and the name of a
	# socket must not become too long
	work=$(mktemp -d -p /tmp --suffix=.idgen)
	inner=
	trap leave_workplace EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM

	mkdir "$work/tree" "$work/tmp"
	tar -C "$tree" -cf - --exclude=./.git --exclude='*.o' --exclude='*.bc' \
		--exclude='*.so' --exclude=./results --exclude=./tmp_check --exclude=./log . |
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
# Packages
#

# Sets PG_CONFIG, pgbin and, for an installation of Debian's, pgmajor.
find_postgres()
{
	local newest=

	if [ -z "${PG_CONFIG:-}" ]
	then
		newest=$(printf '%s\n' /usr/lib/postgresql/*/bin/postgres |
			awk -F/ -v oldest="$oldest_major" '$5 >= oldest { print $5 }' | sort -n | tail -n 1)
		if [ -n "$newest" ]
		then
			PG_CONFIG=/usr/lib/postgresql/$newest/bin/pg_config
		elif command -v apt-get >/dev/null
		then
			set_packaged_major
			PG_CONFIG=/usr/lib/postgresql/$packaged_major/bin/pg_config
		else
			PG_CONFIG=pg_config
		fi
	fi

	pgmajor=$(sed -n 's|^/usr/lib/postgresql/\([0-9]*\)/bin/pg_config$|\1|p' <<<"$PG_CONFIG")
	if [ -n "$pgmajor" ]
	then
		pgbin=/usr/lib/postgresql/$pgmajor/bin
	else
		pgbin=$("$PG_CONFIG" --bindir) ||
			die "cannot run \"$PG_CONFIG\": set PG_CONFIG to that of PostgreSQL $oldest_major or newer"
	fi
}

# set_packaged_major: sets packaged_major to the version that the package
# "postgresql" stands for.
set_packaged_major()
{
	packaged_major=$(depends_on_major)
	if [ -z "$packaged_major" ] && [ "$(id -u)" = 0 ]
	then
		read_package_lists || true
		packaged_major=$(depends_on_major)
	fi
	: "${packaged_major:=$oldest_major}"
}

depends_on_major()
{
	apt-cache depends postgresql 2>/dev/null | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' || true
}

# What else a script uses, each with its package: "command package", "/file
# package"
also_used=()

# What only some tests of a script use, likewise, with MAJOR for the server's
# version: they are skipped without it
optional_used=()

# What is missing is found out by looking for the files that are used, so that
# this works for an installation from source too, and costs nothing when all is
# there.
install_missing()
{
	local missing pgxs

	mapfile -t missing < <(missing_of "${also_used[@]}")
	if ! command -v gcc >/dev/null || ! [ -e /usr/include/stdio.h ]
	then
		missing+=(gcc libc6-dev)
	fi
	[ -x "$pgbin/postgres" ] || missing+=("postgresql-$pgmajor")
	pgxs=$("$PG_CONFIG" --pgxs 2>/dev/null) || pgxs=
	if ! [ -e "$pgxs" ] || ! [ -e "$("$PG_CONFIG" --includedir-server)/postgres.h" ] ||
		! [ -x "${pgxs%/makefiles/*}/test/isolation/pg_isolation_regress" ]
	then
		missing+=("postgresql-server-dev-$pgmajor")
	fi
	command -v prove >/dev/null || missing+=(perl)
	perl -MIPC::Run -e 1 2>/dev/null || missing+=(libipc-run-perl)
	# for a clock that a test can set; without it, some tests are skipped
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! compgen -G '/usr/lib/*/faketime/libfaketime.so.1' >/dev/null
	then
		missing+=(libfaketime)
	fi
	if [ -z "$pgmajor" ] && [[ "${missing[*]}" == *postgresql-* ]]
	then
		die "the installation of \"$PG_CONFIG\" is incomplete: ${missing[*]}"
	fi
	install_packages "${missing[@]}"
	install_optional
}

# Installs what is missing of optional_used, as far as the system has packages
# of it. Nobody asked for a service that comes with one: it is neither started
# nor enabled.
install_optional()
{
	local missing package packages=()

	[ -n "$pgmajor" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 0
	mapfile -t missing < <(missing_of "${optional_used[@]//MAJOR/$pgmajor}")
	[ ${#missing[@]} -gt 0 ] || return 0
	compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || read_package_lists || return 0
	for package in "${missing[@]}"
	do
		! grep -q 'Candidate: [0-9]' <<<"$(apt-cache policy "$package")" || packages+=("$package")
	done
	[ ${#packages[@]} -gt 0 ] || return 0
	say "to be installed for some tests: ${packages[*]}"
	without+=(invoke-rc.d update-rc.d deb-systemd-helper deb-systemd-invoke)
	read_package_lists && logged apt_install "${packages[@]}" ||
		say "could not install that; those tests are skipped"
}

# missing_of "FILE PACKAGE"...: the packages of those that are not there
missing_of()
{
	local used file package

	for used
	do
		read -r file package <<<"$used"
		[ -e "$file" ] || command -v "$file" >/dev/null || say "$package"
	done
}

install_packages()
{
	[ $# -gt 0 ] || return 0
	if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]
	then
		die "please install, or run this as root on Debian: $*"
	fi
	say "to be installed: $*"
	read_package_lists &&
		say "downloading these packages and what they need ..." && logged apt_install --download-only "$@" &&
		say "installing them, which takes about a minute ..." && logged apt_install "$@" ||
		die "could not install $*"
}

lists_read=

# Reads them once in a run.
read_package_lists()
{
	[ -z "$lists_read" ] || return 0
	say "reading the lists of packages (apt-get update) ..."
	logged apt-get -q update || return
	lists_read=1
}

# logged COMMAND...: shows what the command writes only if it fails
logged()
{
	local log rc=0

	log=$(mktemp -p /tmp --suffix=.idgen)
	"$@" >"$log" 2>&1 || {
		rc=$?
		cat "$log" >&2
	}
	rm -f "$log"
	return $rc
}

# The server's package creates and starts a server when it is installed first.
# The tests do not use that one, and nobody asked for it: while this
# installation runs, a command that does nothing stands in front of
# pg_createcluster.
without=(pg_createcluster)

apt_install()
{
	local nothing program rc=0

	nothing=$(mktemp -d -p /tmp --suffix=.idgen)
	for program in "${without[@]}"
	do
		ln -s /bin/true "$nothing/$program"
	done
	chmod 755 "$nothing"
	DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends \
		-o DPkg::Path="$nothing:/usr/sbin:/usr/bin:/sbin:/bin" install "$@" </dev/null || rc=$?
	rm -rf "$nothing"
	return $rc
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
	make_args=(-s "PG_CONFIG=$PG_CONFIG" with_llvm=no "COPT=-Werror ${COPT:-}")
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
	server_paths+=$'\n'"dynamic_library_path = '$lib:\$libdir'"
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

	mkdir "$work/bin"
	for program in "$pgbin"/*
	do
		ln -s "$program" "$work/bin"
	done
	# pg_ctl looks for the server next to itself, where links lead, or as it was
	# started before
	rm "$work/bin/pg_ctl" "$work/bin/postgres"
	printf '#!/bin/sh\nexec %s "$@" -p %s\n' "$pgbin/pg_ctl" "$work/bin/postgres" >"$work/bin/pg_ctl"
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$1" "$pgbin/postgres" >"$work/bin/postgres"
	chmod 755 "$work/bin/pg_ctl" "$work/bin/postgres"
	pgbin=$work/bin
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
