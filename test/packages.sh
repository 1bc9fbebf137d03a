# shellcheck shell=bash
#
# packages.sh - a part of lib.sh: which PostgreSQL is there, which programs are
# missing, and how their Debian packages are installed

oldest_major=15

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

# Of these, packages that are not installed but unpacked, and what is in their
# usr/bin: each would bring a service, an account and more packages
unpacked_used=()

# A package.json in the tree, whose packages from npm are installed for some
# tests: npm_folder says where
npm_used=

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
	command -v make >/dev/null || missing+=(make)
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
	unpack_optional
	install_npm
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

# Puts what unpacked_used names into the PATH, behind all else. Packages are
# unpacked once, and kept; remove the folder to have newer ones.
#
#   IDGEN_CACHE   where they are kept; default: /var/tmp/idgen
unpack_optional()
{
	local package missing folder=${IDGEN_CACHE:-/var/tmp/idgen}/packages

	mapfile -t missing < <(missing_of "${unpacked_used[@]}" | uniq)
	for package in "${missing[@]}"
	do
		[ -e "$folder/$package" ] || unpack_package "$package" "$folder" || continue
		PATH=$PATH:$folder/$package/usr/bin
	done
}

# unpack_package PACKAGE FOLDER: into a folder of its name there, as far as the
# system has such a package
unpack_package()
(
	local package=$1 folder=$2 new= status=0

	command -v apt-get >/dev/null || return
	compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null ||
		{ [ "$(id -u)" = 0 ] && read_package_lists; } || return
	grep -q 'Candidate: [0-9]' <<<"$(apt-cache policy "$package")" || return
	say "to be unpacked for some tests: $package"
	mkdir -p "$folder" && new=$(mktemp -d -p "$folder") && cd "$new" &&
		logged apt-get -q download "$package" && dpkg-deb -x ./*.deb unpacked &&
		mv -T unpacked "$folder/$package" || {
		say "could not do that; those tests are skipped"
		status=1
	}
	rm -rf "$new"
	return $status
)

# npm_folder PACKAGE.JSON: where its packages are kept, for all runs that have
# the same ones
npm_folder()
{
	say "${IDGEN_CACHE:-/var/tmp/idgen}/npm/$(md5sum <"$1" | cut -d ' ' -f 1)"
}

# Installs what npm_used names. Nothing that a package brings is run for that,
# since it would download more.
install_npm()
(
	local folder new

	[ -n "$npm_used" ] && command -v npm >/dev/null || return 0
	folder=$(npm_folder "$npm_used")
	[ ! -e "$folder" ] || return 0
	say "to be installed from npm for some tests: what $npm_used names ..."
	mkdir -p "${folder%/*}" && new=$(mktemp -d -p "${folder%/*}") && cp "$npm_used" "$new/package.json" &&
		cd "$new" && logged npm install --ignore-scripts --no-audit --no-fund --no-package-lock &&
		chmod 755 "$new" && mv -T "$new" "$folder" || {
		say "could not do that; those tests are skipped"
		rm -rf "$new"
	}
)

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
	DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends -o DPkg::Lock::Timeout=300 \
		-o DPkg::Path="$nothing:/usr/sbin:/usr/bin:/sbin:/bin" install "$@" </dev/null || rc=$?
	rm -rf "$nothing"
	return $rc
}
