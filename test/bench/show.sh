# shellcheck shell=bash
#
# show.sh - which chapters of a benchmark run, and how their results are shown:
# tables in $table, plots in $results

table=$work/table
mkdir -p "$results"

# chapter FUNCTION: runs it, if wanted, and shows the tables of its sections
chapter()
{
	local before_it name

	[[ -z "${ONLY:-}" || " $ONLY " == *" ${1#*_} "* ]] || return 0
	before_it=$(wc -l <"$record")
	"$1"
	tail -n "+$((before_it + 1))" "$record" | awk -F '\t' '$1 == "section" { print $2 }' |
		while read -r name
		do
			test/bench/report "$record" table "$name" | tee -a "$table"
		done
}

# plot curves|bars SECTION [ROW]: draws it, if it was measured
plot()
{
	local kind=$1 name=$2 row=${3:-} title xname

	title=$(awk -F '\t' -v name="$name" '$1 == "section" && $2 == name { print $5 "\t" $6 }' "$record")
	[ -n "$title" ] || return 0
	test/bench/report "$record" "$kind" "$name" ${row:+"$row"} >"$work/plot"
	xname=${title#*$'\t'}
	gnuplot -e "data = '$work/plot'; heading = '${title%$'\t'*}'; xname = '${xname:-$name}'; row = '$row'" \
		"test/bench/$kind.gp" >"$results/$name.svg"
}

# What README.md shows, of a run of all chapters
overview()
{
	[ -z "${ONLY:-}" ] || return 0
	test/bench/overview "$table" rows >"$results/overview.md"
	test/bench/overview "$table" bars >"$work/plot"
	gnuplot -e "data = '$work/plot'" test/bench/overview.gp >"$results/overview.svg"
}

# machine ROUNDS: where all this was measured
machine()
{
	local commit

	bench -c 1 -T "$seconds" "SELECT pg_logical_emit_message(true, '', '')"
	commit=$(latency)
	say "PostgreSQL $("$PG_CONFIG" --version | awk '{ print $2 }')," \
		"$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)," \
		"$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors," \
		"$(awk '$1 == "MemTotal:" { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo);" \
		"a commit that waits for the disk takes $commit ms." \
		"$(date +%F); $1; medians."
}

# Whether no target is missed; says how many are.
all_met()
{
	local missed

	missed=$(test/bench/report "$record" missed)
	say "$missed of the targets missed"
	[ "$missed" = 0 ]
}
