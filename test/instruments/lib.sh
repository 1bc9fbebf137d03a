# shellcheck shell=bash
#
# lib.sh - what the instruments have in common
#
# A script sources ../lib.sh and this file, then calls enter_workplace, after
# use_assert_server if it wants that server.

# use_assert_server: sets PG_CONFIG to that of a server with assertions that
# tells valgrind and AddressSanitizer about its memory, made from the source of
# Debian's package. It is built once, which takes some minutes, and kept; remove
# the folder to build it anew.
#
#   IDGEN_CACHE   where it is kept; default: /var/tmp/idgen
use_assert_server()
{
	local prefix

	[ -z "${IDGEN_WORK:-}" ] || return 0
	find_postgres
	[ -n "$pgmajor" ] || die "this builds a server of its own from Debian's source: unset PG_CONFIG"
	prefix=${IDGEN_CACHE:-/var/tmp/idgen}/postgresql-$pgmajor
	export PG_CONFIG=$prefix/bin/pg_config
	if ! [ -e "$prefix/complete" ]
	then
		mapfile -t missing < <(missing_of "${needed_to_build[@]}")
		install_packages "${missing[@]}"
		say "building a server in $prefix, which takes some minutes"
		rm -rf "$prefix"
		mkdir -p "$prefix/src"
		cp -r "$(dirname "${BASH_SOURCE[0]}")/include" "$prefix/src"
		fetch_source "postgresql-$pgmajor" "$prefix/src"
		logged build_server "$prefix"/src/postgresql-*/ "$prefix" || die "could not build the server"
		cp "$prefix"/src/postgresql-*/src/tools/valgrind.supp "$prefix"
		rm -rf "$prefix/src"
		touch "$prefix/complete"
	fi
}

needed_to_build=(
	'gcc gcc'
	'/usr/include/stdio.h libc6-dev'
	'bison bison'
	'flex flex'
	'perl perl'
	'prove perl'
	'/usr/share/perl5/IPC/Run.pm libipc-run-perl'
	'dpkg-source dpkg-dev'
	'/usr/include/openssl/ssl.h libssl-dev'
	'/usr/include/zlib.h zlib1g-dev'
	'/usr/include/valgrind/valgrind.h valgrind'
)

# fetch_source PACKAGE FOLDER: unpacks the source of Debian's package there,
# patched as Debian does. The machine's own list of archives stays as it is.
fetch_source()
(
	local package=$1 file apt version

	cd "$2" || exit
	mkdir -p apt/sources apt/lists/partial
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*
	do
		[ ! -e "$file" ] ||
			sed 's/^deb /deb-src /; s/^Types:.*/Types: deb-src/' "$file" >"apt/sources/${file##*/}"
	done
	apt=(-q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$PWD/apt/sources"
		-o Dir::State::Lists="$PWD/apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
		-o APT::Sandbox::User=root)

	# of several archives, one may have no sources, and a mirror not all
	# versions
	apt-get "${apt[@]}" update >apt/log 2>&1 || true
	for version in $(apt-cache "${apt[@]}" showsrc "$package" | sed -n 's/^Version: //p' | sort -rV)
	do
		apt-get "${apt[@]}" source "$package=$version" >>apt/log 2>&1 && break
	done
	if ! [ -e "$(echo "$package"-*/configure)" ]
	then
		cat apt/log >&2
		die "could not get the source of $package"
	fi
)

# build_server SOURCE PREFIX: without what no test uses
build_server()
(
	cd "$1" &&
		./configure --prefix="$2" --enable-cassert --enable-debug --enable-tap-tests --with-openssl \
			--without-readline CPPFLAGS=-DUSE_VALGRIND CFLAGS='-O2 -fno-omit-frame-pointer' &&
		nice make -s -j "$(nproc)" -C src all COPT="-I$2/src/include" &&
		make -s -C src install &&
		make -s -C config install
)

# end_with_reports STATUS FILE...: shows what an instrument has written, and
# ends the script; STATUS is that of the tests.
end_with_reports()
{
	local status=$1 file found=0

	shift
	for file
	do
		[ -s "$file" ] || continue
		found=$((found + 1))
		say "-- ${file##*/}"
		head -n 100 "$file"
	done
	say "$found reports"
	[ "$found" = 0 ] || status=1
	exit "$status"
}
