# shellcheck shell=bash
#
# numbers.sh - what numbers for people cost: a sequence for each tenant and
# period, text ids, ids that cannot be guessed, UUIDs in order
#
# Where nanoseconds are those "over" something, both are measured one after the
# other, and what counts is the difference.

# What one would write in PL/pgSQL otherwise. A Feistel network of three rounds
# over the halves of 64 bits, with a linear congruential generator as its
# function, which is what the recipe "pseudo encrypt" does. And hashids of one
# number, without a least length: the alphabet, less what separates numbers and
# guards, is shuffled by the salt, and again by the first character, which the
# number decides about; the rest are the number's digits in it.
prepare_recipes()
{
	sql <<-'SQL'
		CREATE FUNCTION pseudo_encrypt(value bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT AS $$
		DECLARE
			left_half bigint := value >> 32 & 4294967295;
			right_half bigint := value & 4294967295;
			swapped bigint;
		BEGIN
			FOR i IN 1 .. 3 LOOP
				swapped := right_half;
				right_half := left_half # ((1366.0 * right_half + 150889) % 714025 / 714025.0 * 32767 * 32767)::bigint;
				left_half := swapped;
			END LOOP;
			RETURN (right_half << 32) + left_half;
		END $$;

		CREATE FUNCTION hashids_shuffle(alphabet text[], salt text[]) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
		DECLARE
			at integer := 0;
			sum integer := 0;
			code integer;
			other integer;
			kept text;
		BEGIN
			FOR i IN REVERSE cardinality(alphabet) - 1 .. 1 LOOP
				code := ascii(salt[at + 1]);
				sum := sum + code;
				other := (code + at + sum) % i;
				kept := alphabet[i + 1];
				alphabet[i + 1] := alphabet[other + 1];
				alphabet[other + 1] := kept;
				at := (at + 1) % cardinality(salt);
			END LOOP;
			RETURN alphabet;
		END $$;

		CREATE FUNCTION hashids(value bigint, salt text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
		DECLARE
			salted text[] := string_to_array(salt, NULL);
			alphabet text[] := (hashids_shuffle(
				string_to_array('abdegjklmnopqrvwxyzABDEGJKLMNOPQRVWXYZ1234567890', NULL), salted))[5:];
			size integer := cardinality(alphabet);
			first text := alphabet[(value % 100) % size + 1];
			digits text := '';
		BEGIN
			alphabet := hashids_shuffle(alphabet, (first || salted || alphabet)[1:size]);
			LOOP
				digits := alphabet[value % size + 1] || digits;
				value := value / size;
				EXIT WHEN value = 0;
			END LOOP;
			RETURN first || digits;
		END $$;
	SQL
}

# Each tenant's numbers are gapless, so two transactions of one tenant wait for
# each other; those of different tenants do not.
compare_numbers()
{
	local tenants pick seconds=$longer

	sql >/dev/null <<-'SQL'
		SELECT idgen_create('number/*', block_size => 1, refill => 'transaction');
		SELECT idgen_create('invoice/*', block_size => 1, refill => 'transaction', format => 'INV-{id:6}');
		SELECT count(idgen_next('number/' || n)), count(idgen_next_text('invoice/' || n)) FROM generate_series(1, 1000) AS n;
		CREATE TABLE tenant_counter (name text PRIMARY KEY, v bigint NOT NULL) WITH (fillfactor = 50);
		INSERT INTO tenant_counter SELECT 'number/' || n, 1 FROM generate_series(1, 1000) AS n;
		VACUUM ANALYZE id_sequences, tenant_counter;
	SQL
	section numbers_p99 µs 0 "32 clients, gapless numbers of each tenant: microseconds that 99 of 100 draws take at most" tenants
	section numbers '/s' 0 "32 clients, gapless numbers of each tenant: draws per second, each a transaction" tenants
	for tenants in 1 10 1000
	do
		pick="\\set n random(1, $tenants)"
		contest "$tenants" rate_and_p99 32 -- \
			'idgen_next, children of a template' "$pick"$'\n'"SELECT idgen_next('number/' || :n)" \
			'idgen_next_text, children of a template' "$pick"$'\n'"SELECT idgen_next_text('invoice/' || :n)" \
			'counter table, a row for each' "$pick"$'\n'"UPDATE tenant_counter SET v = v + 1 WHERE name = 'number/' || :n RETURNING v"
		must "$tenants" 'counter table, a row for each' least 1.0
	done
}

# rate_and_p99 CLIENTS SCRIPT: transactions per second; and in another section,
# the microseconds that 99 of 100 take at most
rate_and_p99()
{
	bench -c "$1" -T "$seconds" -l --log-prefix="$work/log" "$2"
	take_latencies 20
	sample "$(tps)"
	section=${section}_p99 sample "$(percentile 99)"
}

compare_text()
{
	sql <<-'SQL'
		INSERT INTO id_sequences (name, next_block_start, block_size, format) VALUES
			('padded', 1, 100000000, 'INV-{id:6}'),
			('dated', 1, 100000000, 'INV-{YYYY}-{id:6}'),
			('base58', 1, 100000000, 'cus_{id:base58:11}'),
			('luhn', 1, 100000000, '{id:9}{luhn}'),
			('mod97', 1, 100000000, 'RF{mod97}{id:9}');
	SQL
	sql -c "SELECT idgen_next(name) FROM id_sequences WHERE format IS NOT NULL AND block_size = 100000000" >/dev/null
	section text ns 1 'Text ids: nanoseconds of one call over idgen_next'
	contest 'over idgen_next' call_over 1000 -- \
		'idgen_next_text, INV-{id:6}' "idgen_next('large') ~ idgen_next_text('padded')" \
		'idgen_next_text, INV-{YYYY}-{id:6}' "idgen_next('large') ~ idgen_next_text('dated')" \
		'idgen_next_text, cus_{id:base58:11}' "idgen_next('large') ~ idgen_next_text('base58')" \
		'idgen_next_text, {id:9}{luhn}' "idgen_next('large') ~ idgen_next_text('luhn')" \
		'idgen_next_text, RF{mod97}{id:9}' "idgen_next('large') ~ idgen_next_text('mod97')" \
		"'INV-' || lpad(idgen_next, 6)" "idgen_next('large') ~ 'INV-' || lpad(idgen_next('large')::text, 6, '0')"
	must 'over idgen_next' 'idgen_next_text, INV-{id:6}' most 150
}

# Drawing through a row with a period means to find out first which one it is.
compare_periods()
{
	sql <<-'SQL'
		INSERT INTO id_sequences (name, next_block_start, block_size, period, format) VALUES
			('undated', 1, 100000000, NULL, 'INV-{id:6}'),
			('yearly', 1, 100000000, 'year', 'INV-{YYYY}-{id:6}'),
			('daily', 1, 100000000, 'day', '{YYYY}{MM}{DD}-{id:6}');
	SQL
	sql -c "SELECT idgen_next('undated'), idgen_next('yearly'), idgen_next('daily'), idgen_next_text('yearly', date '2020-06-01')" >/dev/null
	section periods ns 1 'Periods: nanoseconds of one call over that of an id sequence without'
	contest 'idgen_next' call_over 1000 -- \
		'idgen_next, period year' "idgen_next('large') ~ idgen_next('yearly')" \
		'idgen_next, period day' "idgen_next('large') ~ idgen_next('daily')"
	contest 'idgen_next_text' call_over 1000 -- \
		'idgen_next_text, period year' "idgen_next_text('undated') ~ idgen_next_text('yearly')" \
		'idgen_next_text, at a date' "idgen_next_text('undated') ~ idgen_next_text('yearly', date '2020-06-01')"
}

# What scrambling adds to drawing, next to what the recipes add to nextval. The
# recipes take so long that fewer calls show it.
compare_scrambled()
{
	prepare_recipes
	sql <<-'SQL'
		INSERT INTO id_sequences (name, next_block_start, block_size, layout, max_value, format) VALUES
			('scrambled', 1, 100000000, 'scrambled', 9223372036854775807, NULL),
			('scrambled_10', 1, 100000000, 'scrambled', 9999999999, NULL),
			('public_key', 1, 100000000, 'scrambled', 9223372036854775807, '{id:base58:11}');
	SQL
	sql -c "SELECT idgen_next(name) FROM id_sequences WHERE layout = 'scrambled'" >/dev/null
	section scrambled ns 1 'Ids that cannot be guessed: nanoseconds that this adds to a call'
	contest 'a number' call_over 1000 -- \
		'layout scrambled' "idgen_next('large') ~ idgen_next('scrambled')" \
		'layout scrambled, ten digits' "idgen_next('large') ~ idgen_next('scrambled_10')"
	contest 'a number' call_over 50 -- \
		'pseudo_encrypt in PL/pgSQL' "nextval('one') ~ pseudo_encrypt(nextval('one'))"
	must 'a number' 'layout scrambled' most 50
	contest 'a short text' call_over 1000 -- \
		'idgen_next_text, layout scrambled, {id:base58:11}' "idgen_next('large') ~ idgen_next_text('public_key')"
	contest 'a short text' call_over 10 -- \
		'hashids in PL/pgSQL' "nextval('one') ~ hashids(nextval('one'), 'pepper and salt')"
}

compare_uuids()
{
	local newer=()

	[ -z "$(value "SELECT to_regproc('uuidv7')")" ] || newer=('uuidv7()' 'uuidv7()')
	section uuids ns 1 'UUIDs: nanoseconds over an empty function'
	contest 'one call' call 1000 -- \
		'idgen_unique_uuid()' 'idgen_unique_uuid()' \
		'gen_random_uuid()' 'gen_random_uuid()' "${newer[@]}"
	must 'one call' 'gen_random_uuid()' most 1.0
}

# The first draw of a name that a template matches makes its row; next to it, a
# name that has one, and no id cached, so that the draw is a refill.
compare_children()
{
	local limit template number="nextval('child_number')" refilled="SELECT idgen_next('refilled/' || nextval('refilled_number') % 1000)"
	local in_one="SELECT count(idgen_next('refilled/' || n)) FROM generate_series(0, 999) AS n"

	sql >/dev/null <<-SQL
		CREATE SEQUENCE child_number;
		CREATE SEQUENCE refilled_number;
		SELECT idgen_create('child/*', block_size => 1, refill => 'transaction');
		SELECT idgen_create('limited/*', block_size => 1, refill => 'transaction', max_children => 10000000);
		SELECT idgen_create('refilled/*', block_size => 1, refill => 'transaction');
		SELECT idgen_create('cached/*', block_size => 100000000);
		SELECT count(idgen_next('refilled/' || n)) FROM generate_series(0, 999) AS n;
		SELECT idgen_next('cached/x');
	SQL
	section children µs 1 "The first draw of a child, with $children children of its template: microseconds"
	for template in child limited
	do
		make_children "$template" "$children"
		sql -c 'VACUUM ANALYZE id_sequences'
		limit=
		[ "$template" = child ] || limit=', max_children'
		contest "each a transaction$limit" microseconds 2000 -- \
			'idgen_next, first draw of a child' "SELECT idgen_next('$template/' || $number)" \
			'idgen_next, a refill' "$refilled"
		must "each a transaction$limit" 'idgen_next, a refill' most 2.0
		contest "a thousand in one transaction$limit" whole 1000 -- \
			'idgen_next, first draw of a child' "SELECT count(idgen_next('$template/' || $number)) FROM generate_series(1, 1000)" \
			'idgen_next, a refill' "$in_one"
		# others need their slots
		sql -c "DELETE FROM id_sequences WHERE name ~ '^$template/'" -c 'VACUUM id_sequences'
	done
	section children_later ns 1 'Later draws of a child: nanoseconds over an empty function'
	contest 'from the cache' call "$thousands" -- \
		'idgen_next, a child' "idgen_next('cached/x')" \
		'idgen_next, any other row' "idgen_next('large')"
	must 'from the cache' 'idgen_next, any other row' most 1.1
}

# make_children TEMPLATE COUNT: in transactions of some thousand
make_children()
{
	local i step=10000

	for ((i = 0; i < $2; i += step))
	do
		say "SELECT count(idgen_next('$1/old' || n)) FROM generate_series($i, $((i + step < $2 ? i + step : $2)) - 1) AS n;"
	done | sql >/dev/null
}
