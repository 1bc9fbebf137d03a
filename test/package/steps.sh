# shellcheck shell=bash
#
# steps.sh - what the files of steps have in common. They run as root in a bare
# system, in which this tree is /tree.

set -euo pipefail

# what README.md speaks of, and the version that is here
documented=15
version=$1
# shellcheck disable=SC2034
package=postgresql-$version-idgen

# check NAME COMMAND...: says whether the command does it, and why if not. The
# command may be a function, which ends at the first command that fails.
check()
{
	local name=$1

	shift
	# where the shell tests a status itself, it would go on after failures
	(
		set -ex
		"$@"
	) >/tmp/said 2>&1 &
	if wait $!
	then
		printf 'ok - %s\n' "$name"
	else
		printf 'not ok - %s\n' "$name"
		tail -n 100 /tmp/said | cut -c 1-200 | sed 's/^/    /'
		touch /tmp/failed
	fi
	{
		printf '== %s\n' "$name"
		cat /tmp/said
	} >>/var/log/steps
}

# need NAME COMMAND...: the same, for what the next steps cannot do without
need()
{
	rm -f /tmp/failed
	check "$@"
	[ ! -e /tmp/failed ] || exit 0
}

# fails COMMAND...: as "!", for commands that a shell with -e is to end at
fails()
{
	if "$@"
	then
		return 1
	fi
}

# copy_tree FOLDER: of this tree, without what was built in it
copy_tree()
{
	mkdir -p "$1"
	tar -C /tree -cf - --exclude=./.git --exclude='*.o' --exclude='*.bc' --exclude='*.so' \
		--exclude=./results --exclude=./site --exclude=./dist --exclude=./tmp_check --exclude=./log \
		--exclude='./debian/postgresql-*' . | tar -C "$1" -xf - --no-same-owner
}

# block LANGUAGE WORDS: the first block of that language in README.md behind
# these words, for the version that is here
block()
{
	awk -v language="$1" -v words="$2" '
		index($0, words) { found = 1 }
		/^```$/ { if (inside) exit }
		inside { print }
		found && $0 == "```" language { inside = 1 }' /tree/README.md |
		sed "s/\\b$documented\\b/$version/g" | grep .
}

# sql CLUSTER STATEMENTS: the one value that they give
sql()
{
	setpriv --reuid postgres --regid postgres --init-groups \
		psql --cluster "$version/$1" -XAtq -v ON_ERROR_STOP=1 -d postgres -c "$2"
}
