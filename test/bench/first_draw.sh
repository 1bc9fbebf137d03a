# shellcheck shell=bash
#
# first_draw.sh - what a session pays that draws for the first time
#
# lib.sh says how it is measured.

# in_new_sessions COUNT STATEMENT...: median of the microseconds of the last
# statement, in that number of sessions that begin with these statements. What
# the first two sessions find out is known to the others.
in_new_sessions()
{
	local count=$1 i

	shift
	sample "$(for ((i = 0; i < count + 2; i++))
	do
		printf '%s;\n' "$@"
		say '\c'
	done | timed | awk -v each=$# 'NR > 2 * each && NR % each == 0 { print $1 * 1000 }' | sort -n |
		awk '{ times[NR] = $1 } END { print times[int((NR + 1) / 2)] }')"
}

# after_another COUNT "STATEMENT ~ STATEMENT": the same of the second one
after_another()
{
	in_new_sessions "$1" "${2% ~ *}" "${2#* ~ }"
}

compare_first_draw()
{
	sql -c 'CREATE SEQUENCE first_native' -c 'CREATE SEQUENCE second_native' \
		-c "SELECT idgen_create('first', block_size => 10000), idgen_create('second', block_size => 10000)" >/dev/null
	section first_draw µs 0 'The first draw of a session, whole statement: microseconds'
	contest 'first draw' in_new_sessions "$new_sessions" -- \
		'idgen_next' "SELECT idgen_next('first')" \
		'nextval, CACHE 1' "SELECT nextval('first_native')"
	must 'first draw' 'nextval, CACHE 1' most 1.2
	contest 'of another name' after_another "$new_sessions" -- \
		'idgen_next' "SELECT idgen_next('first') ~ SELECT idgen_next('second')" \
		'nextval, CACHE 1' "SELECT nextval('first_native') ~ SELECT nextval('second_native')"
	must 'of another name' 'nextval, CACHE 1' most 1.2
}
