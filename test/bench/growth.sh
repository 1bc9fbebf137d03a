# shellcheck shell=bash
#
# growth.sh - how cost grows with the size of what is asked for

grow_block_size()
{
	local size

	sql -c "INSERT INTO id_sequences (name, next_block_start, block_size, refill)
		SELECT r.prefix || 10 ^ e, 1, 10 ^ e, r.refill FROM generate_series(0, 5) AS e,
			(VALUES ('b', 'transaction'), ('w', 'worker')) AS r (prefix, refill)"
	section block_size_call ns 0 'A hundred thousand ids in one statement: nanoseconds an id over an empty function' 'block_size'
	for size in $sizes
	do
		contest "$size" call 100 -- \
			'idgen_next' "idgen_next('b$size')" \
			'nextval, CACHE 1' "nextval('one')"
	done
	section block_size_clients '/s' 0 '32 clients that run SELECT and nothing else: transactions per second' 'block_size'
	for size in $sizes
	do
		contest "$size" throughput 32 -- \
			'idgen_next' "SELECT idgen_next('b$size')" \
			'idgen_next, worker' "SELECT idgen_next('w$size')" \
			'nextval, CACHE 1' "SELECT nextval('one')"
	done
}

grow_names()
{
	local number

	make_names 20000
	sql -c "INSERT INTO id_sequences (name, next_block_start, block_size)
		SELECT 's' || n, 1, 1000 FROM generate_series(20000, 99999) AS n"
	section grow_names ns 0 'One session that draws at random from many id sequences: nanoseconds an id' 'id sequences'
	for number in $names
	do
		contest "$number" random_call "$number" -- "${random_names[@]}"
	done
	for number in $more_names
	do
		contest "$number" random_call "$number" -- "${random_names[@]:0:2}"
	done
}

grow_sessions()
{
	local number seconds

	section grow_sessions '/s' 0 'Clients that run SELECT and nothing else: transactions per second' 'clients'
	for number in $sessions
	do
		# connecting counts, and takes some milliseconds each
		seconds=$((1 + number / 100))
		contest "$number" throughput "$number" -- \
			'idgen_next, block_size 20' "SELECT idgen_next('x')" \
			'idgen_next, worker, block_size 100' "SELECT idgen_next('worker')" \
			'nextval, CACHE 1' "SELECT nextval('one')"
	done
}

grow_transactions()
{
	local e ids from times

	section grow_transactions ns 0 'Transactions of many ids, with their commit: nanoseconds an id' 'ids'
	for ((e = 0; e <= most_ids; e++))
	do
		ids=$((10 ** e))
		times=$((100000 / ids))
		((times < 200)) || times=200
		((times > 0)) || times=1
		from="FROM generate_series(1, $ids)"
		((e < 4)) || from=$(calls "$((ids / 1000))")
		contest "$ids" transactions "$times" "$ids" -- \
			'idgen_next, block_size 20' "SELECT count(idgen_next('x')) $from" \
			'idgen_next, block_size 1000' "SELECT count(idgen_next('x1000')) $from" \
			'nextval, CACHE 1' "SELECT count(nextval('one')) $from"
		((e > 6)) || contest "$ids" transactions "$times" "$ids" -- \
			'idgen_next, block_size 1' "SELECT count(idgen_next('gapless')) $from"
	done
}

# draw_at_random NAMES: a pgbench script
draw_at_random()
{
	printf '%s\n' "\\set n random(0, $1 - 1)" "SELECT idgen_next('f' || :n)"
}

# One server with places for all, then one with a thousand.
grow_full()
{
	local places number

	sql -c "INSERT INTO id_sequences (name, next_block_start, block_size)
		SELECT 'f' || n, 1, 20 FROM generate_series(0, 4999) AS n"
	section grow_full '/s' 0 '8 clients that draw at random from many id sequences: transactions per second' 'id sequences'
	for places in 110000 1000
	do
		change_server "idgen.max_sequences = $places"
		sql -c "SELECT count(idgen_next('f' || n)) FROM generate_series(0, 4999) AS n" >/dev/null
		for number in $names_of_full
		do
			contest "$number" throughput 8 -- \
				"max_sequences $places" "$(draw_at_random "$number")"
		done
	done
}
