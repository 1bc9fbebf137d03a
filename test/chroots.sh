# shellcheck shell=bash
#
# chroots.sh - bare Debian systems of other releases, for scripts that have
# sourced lib.sh
#
# debootstrap makes one for each release, from the archive which this system's
# apt uses, with apt set up as it is here. That takes a minute or two, so it is
# kept. What works in there works in copies: in one that is kept, too, with all
# that was installed, or in one that is thrown away.
#
#   IDGEN_CHROOTS   where they are kept; default: /var/cache/idgen. Remove a
#                   folder there to have it made anew.
#   IDGEN_MIRROR    the archive; default: that of this system's apt

# use_chroot SUITE NAME: sets chroot to the folder of a system of that release
# which is kept under that name
use_chroot()
{
	local suite=$1 folder=${IDGEN_CHROOTS:-/var/cache/idgen} lock

	chroot=$folder/$2
	prepare_to_make "$folder"
	exec {lock}>"$folder/lock"
	flock "$lock"
	[ -e "$folder/bare-$suite" ] || make_bare "$suite" "$folder/bare-$suite"
	[ -e "$chroot" ] || copy_whole "$folder/bare-$suite" "$chroot"
	exec {lock}>&-
	[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$chroot/etc"
}

# use_bare_chroot SUITE: sets chroot to the folder of a bare system of that
# release, which the caller removes with remove_chroot
use_bare_chroot()
{
	use_chroot "$1" "$1.$$"
}

remove_chroot()
{
	rm -rf --one-file-system "$chroot"
}

prepare_to_make()
{
	local missing

	[ "$(id -u)" = 0 ] || die "only root can make a system to work in, and enter it"
	mapfile -t missing < <(missing_of 'debootstrap debootstrap')
	install_packages "${missing[@]}"
	mkdir -p "$1"
}

# copy_whole FROM TO: nothing is there before all of it is
copy_whole()
{
	rm -rf --one-file-system "$2.new"
	cp -a --reflink=auto "$1" "$2.new"
	mv -T "$2.new" "$2"
}

# make_bare SUITE FOLDER
make_bare()
{
	local suite=$1 folder=$2 new=$2.new mirror script=$1

	mirror=$(archive)
	# debootstrap may be older than that release
	[ -e "/usr/share/debootstrap/scripts/$script" ] || script=sid
	say "making a Debian $suite in $folder ..."
	rm -rf --one-file-system "$new"
	logged debootstrap --variant=minbase "$suite" "$new" "$mirror" "$script" || die "could not make it"
	apt-config dump | grep -E '^Acquire::(http|https|Check-|Max-|Retries)' >"$new/etc/apt/apt.conf.d/00here" || true

	# No service is started, and no data is lost with the system that a file of
	# is not on disk yet.
	printf '#!/bin/sh\nexit 101\n' >"$new/usr/sbin/policy-rc.d"
	chmod 755 "$new/usr/sbin/policy-rc.d"
	echo force-unsafe-io >"$new/etc/dpkg/dpkg.cfg.d/unsafe-io"
	mkdir "$new/tree"
	mv -T "$new" "$folder"
}

# archive: where this system's packages come from. Says nothing if that is not
# Debian's archive: then debootstrap knows one.
archive()
{
	# shellcheck disable=SC2016
	if [ -n "${IDGEN_MIRROR:-}" ]
	then
		say "$IDGEN_MIRROR"
	else
		compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || read_package_lists >&2
		apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' |
			awk '$1 == "Debian" && $2 == "Debian" && !found++ { print $3 }'
	fi
}

# add_suite SUITE PACKAGE...: has apt in $chroot also take these packages from
# another release; src:NAME stands for all that are made from that source.
add_suite()
{
	local suite=$1 list=$chroot/etc/apt/sources.list.d/$1.list

	shift
	printf 'Package: %s\nPin: release a=%s\nPin-Priority: 900\n' "$*" "$suite" >"$chroot/etc/apt/preferences.d/$suite"
	[ ! -e "$list" ] || return 0
	sed "s/^\(deb [^ ]*\) [^ ]*/\1 $suite/" "$chroot/etc/apt/sources.list" >"$list"
	# who needs a package reads them anew
	rm -f "$chroot"/var/lib/apt/lists/*_*
}

# in_chroot COMMAND...: runs a command in $chroot, as root, with an environment
# of its own. This tree is /tree there, read-only. All that the command starts
# and mounts is gone when it ends.
in_chroot()
{
	local tree

	tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
	# The shell within is the first process there: it does not end before its
	# children, and sees to those that have lost their parents.
	# shellcheck disable=SC2016
	setpriv --pdeathsig KILL unshare --mount --pid --ipc --fork --kill-child bash -c '
		cd / || exit
		chroot=$1
		mount -t proc proc "$chroot/proc" && mount --rbind /dev "$chroot/dev" &&
			mount -t tmpfs tmpfs "$chroot/dev/shm" &&
			mount --bind "$2" "$chroot/tree" && mount -o remount,bind,ro "$chroot/tree" || exit
		shift 2
		chroot "$chroot" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive "$@"
		exit $?' in_chroot "$chroot" "$tree" "$@"
}
