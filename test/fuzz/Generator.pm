# Random SQL about idgen. What a session runs is a function of the seed, the
# number of the session and that of its connection, so that it can be made
# again.
#
# What the extension has, its functions, columns, settings and so on, comes from
# the catalog: a function that is added to it is called here too.
#
# Statements are made from words by pick(), which chooses one of its arguments,
# and calls it if it is a function; a word is SQL, and a step a list of
# statements.
package Generator;

use strict;
use warnings FATAL => 'all';

use Digest::MD5 qw(md5);
use File::Basename qw(dirname);

# What setup.sql makes, and databases and roles that the driver makes.
our @roles = qw(fuzz_super fuzz_owner fuzz_user);
our %encodings = (fuzz_utf8 => 'UTF8', fuzz_latin1 => 'LATIN1', fuzz_ascii => 'SQL_ASCII', fuzz_eucjp => 'EUC_JP');
our @id_sequences = qw(plain gapless worker gapless_worker seq native native_worker ones_worker func strange drawing nonsense
  server server_worker other silent silent_worker nowhere big prefixed session reversed worker_reversed exhausted nearly
  negative far text key descending cycling auto gapless_auto native_auto server_auto pooled hilo legacy owned temporary adopted
  made1 made2 made3 made4
  invoice/* invoice/a invoice/a invoice/b/* invoice/b/c limited/* limited/a limited/b limited/c coded/* coded/a
  funcs/* funcs/a natives/* natives/a servers/* servers/a book/* book/a book/a book/a/2026-11 book/a/2026-11/*
  yearly yearly yearly/* yearly/2026 yearly/2025 yearly/0 daily daily/2026-11-22 daily/2026-02-30
  checked scrambled secret any/* any/thing /* //* / invoice/ invoice//a);
my @tables = qw(t_serial t_identity t_plain t_small t_default t_text t_composed t_parts t_parts_1 t_parent t_child
  t_temp t_generated t_owner v_view m_view f_table seq_seq t_serial_id_seq t_plain_pkey id_sequences idgen_stats centre.id_sequences
  pg_class pg_attribute pg_type pg_toast.pg_toast_1255 pg_database information_schema.tables);
my @native = (qw(seq_seq ones_seq cycling_seq descending_seq pooled_seq hilo_seq temporary_seq t_serial_id_seq), '"Odd Name"');
my @servers = qw(loop other silent nowhere idgen_default made1);

my $directory = dirname(__FILE__);
my $catalog;    # what the extension has, as Driver::read_catalog() says
my $nested;     # the depth of steps within steps

# A new generator for an extension that has that.
sub new
{
	my ($class, $what) = @_;
	return bless { catalog => $what }, $class;
}

# The role, the database and the statements of a connection.
sub script
{
	my ($self, $seed, $session, $connection) = @_;
	my (@statements, $role, $database);

	$catalog = $self->{catalog};
	$nested = 0;
	srand(unpack('L', md5("$seed $session $connection")));
	$role = pick('fuzz_super', 'fuzz_super', 'fuzz_owner', 'fuzz_owner', 'fuzz_user');
	$database = pick('fuzz_utf8', 'fuzz_utf8', 'fuzz_utf8', sort keys %encodings);
	# what follows an error in a transaction is in vain, unless psql makes
	# savepoints
	push @statements, '\set ON_ERROR_ROLLBACK on' if chance(60);
	push @statements, step(), some(60, 'ROLLBACK') while @statements < 60;
	return ($role, $database, @statements);
}

#
# Choosing
#

sub pick
{
	my $choice = $_[ rand @_ ];
	return ref $choice eq 'CODE' ? $choice->() : $choice;
}

# weighted(3 => choice, 1 => choice): the former three times as often
sub weighted
{
	my (@weighted) = @_;
	my ($sum, $at) = (0, 0);

	$sum += $weighted[ 2 * $_ ] for 0 .. $#weighted / 2;
	$at = rand $sum;
	while (($at -= $weighted[0]) >= 0)
	{
		splice @weighted, 0, 2;
	}
	return pick($weighted[1]);
}

sub chance
{
	my ($percent) = @_;
	return rand(100) < $percent;
}

# As many of them as chance says, in order.
sub some
{
	my ($percent, @of) = @_;
	return grep { chance($percent) } @of;
}

# Several of what the function makes.
sub several
{
	my ($most, $function) = @_;
	return map { $function->() } 1 .. 1 + rand $most;
}

sub quoted
{
	my ($text) = @_;
	$text =~ s/'/''/g;
	return "'$text'";
}

#
# Values
#

sub integer
{
	return int rand pick(3, 30, 1000, 100_000);
}

sub int4
{
	return pick(\&integer, \&integer, \&integer, -1, 0, 1, 2147483647, -2147483648, 100_000, 100_001, 'NULL');
}

sub int8
{
	return pick(
		\&int4, \&int4, \&integer,
		'9223372036854775807', '9223372036854775806', '(-9223372036854775808)', '(2^62)::bigint', '(2^62)::bigint + 1', '(2^59)::bigint',
		'2147483648', '-2147483649', '100000000000000', '2023400000989780816', '(random() * 9e18)::bigint');
}

sub numeric
{
	return pick(
		\&int8, \&int8, "'NaN'", "'Infinity'", "'-Infinity'", '0.5', '-0.5', '1e-200', '1e37', '-1e37', '1e38', '1e131071',
		'9' x 38, '-' . '9' x 38, '20234' . '0' x 30 . '123', "'9' || repeat('0', 1000)");
}

sub odd_text
{
	return pick(
		"''", "' '", 'NULL', q('a''b'), q('a"b'), q('"'), q('"a'), q('a\b'), q(E'a\\nb\\tc\\x01\\x7f'), q('%s%n%d'), q('{}'), q('.'), q('a.'),
		q('a.b.c.d'), q('"Odd Name"'), q('pg_class'), q('$1'), "'\x{e6}\x{97}\x{a5}\x{e6}\x{9c}\x{ac}'", 'chr(233)', 'chr(1)', 'chr(26085)', 'chr(128512)',
		"repeat('x', 63)", "repeat('x', 64)", "repeat('x', 255)", "repeat('x', 256)", "repeat('x', 3000)", "repeat(chr(233), 255)",
		"repeat('\"', 300)", "repeat('a.', 300)", q(convert_from('\xe9e8ff20', 'SQL_ASCII')), q(E'\\xe3\\x81'), q(convert_from('\xa4a2', 'EUC_JP')),
		'(SELECT name FROM id_sequences ORDER BY random() LIMIT 1)',
		sub { chance(10) ? "repeat('x', 1000000)" : 'current_user' });
}

sub name
{
	return weighted(30 => sub { quoted(pick(@id_sequences)) }, 1 => \&odd_text);
}

sub source
{
	return weighted(20 => sub { quoted(pick(qw(table sequence function server))) }, 1 => \&odd_text);
}

sub source_name
{
	return weighted(
		4 => sub { quoted(pick(@native)) },
		4 => sub { quoted('public.alloc_' . pick(qw(good strange drawing nonsense))) },
		4 => sub { quoted(pick(@servers)) },
		3 => 'NULL',
		1 => \&name,
		1 => \&odd_text);
}

sub refill
{
	return weighted(20 => sub { quoted(pick(qw(transaction worker auto))) }, 1 => \&odd_text);
}

sub pooling
{
	return weighted(20 => sub { quoted(pick(qw(pooled_lo pooled hilo))) }, 1 => \&odd_text);
}

sub owning_column
{
	return weighted(
		20 => sub { quoted(pick(qw(t_serial t_identity t_plain t_default t_composed t_parts t_child t_generated public.t_owner t_temp v_view id_sequences)) . '.' . pick(qw(id id id v gone ctid))) },
		5 => 'NULL',
		1 => \&odd_text);
}

sub layout
{
	return weighted(20 => sub { quoted(pick(qw(plain prefixed session prefixed_reversed session_reversed scrambled scrambled))) }, 1 => \&odd_text);
}

sub template
{
	return weighted(20 => sub { quoted(pick(grep { /\*$|ly$/ } @id_sequences)) }, 1 => \&name);
}

sub period
{
	return weighted(20 => sub { pick('NULL', map { quoted($_) } qw(year month day)) }, 1 => \&odd_text);
}

sub time_zone
{
	return weighted(20 => sub { pick('NULL', map { quoted($_) } qw(UTC Asia/Tokyo America/New_York EST5EDT Nowhere +05:30 posixrules)) }, 1 => \&odd_text);
}

sub date
{
	return pick('current_date', "'2026-11-22'", "'2026-11-22'", "'2025-01-01'", "'0001-01-01'", "'0044-03-15 BC'", "'9999-12-31'", "'5874897-12-31'", "'infinity'", "'-infinity'", 'NULL',
		sub { "date '2026-01-01' + " . integer() });
}

# Pieces of formats, in any order.
sub format_of_ids
{
	my @pieces = several(
		5,
		sub {
			pick(
				'{id}', '{id}', '{id:6}', '{id:base58:11}', '{id:base32}', '{id:64}', '{id:base7}', '{id:base', '{YYYY}', '{YY}', '{MM}', '{DD}',
				'{luhn}', '{mod97}', '{{', '}}', '{', '}', '-', 'INV', '0', "\x{e6}\x{97}\x{a5}", ':6}');
		});

	return weighted(8 => sub { quoted(join('', @pieces)) }, 8 => sub { quoted(pick('INV-{id:6}', 'INV-{YYYY}-{id:6}', '{YYYY}{MM}{DD}{id:4}{luhn}', '{YYYY}/{id}', '{id:base62}{mod97}', 'RF{mod97}{id}', '{id}{luhn}')) },
		2 => 'NULL', 1 => \&odd_text);
}

sub text_id
{
	return weighted(
		5 => \&draw_text,
		5 => sub { quoted(pick('INV-000042', '2026/7', '79927398713', 'RF18539007547034', '-1', '9' x 20, '0')) },
		1 => \&odd_text);
}

sub column_name
{
	return weighted(8 => "'id'", 1 => sub { quoted(pick(qw(v d ctid tableoid xmin attnum relnatts oid gone nosuch))) }, 1 => \&odd_text);
}

sub relation
{
	return weighted(20 => sub { quoted(pick(@tables)) }, 2 => \&int4, 1 => \&odd_text);
}

# By the name of an argument or a column, or by its type.
my %by_name = (
	name => \&name,
	source => \&source,
	source_name => \&source_name,
	refill => \&refill,
	layout => \&layout,
	max_children => sub { pick('NULL', 'NULL', 1, 3, \&int4) },
	template => \&template,
	period => \&period,
	time_zone => \&time_zone,
	format => \&format_of_ids,
	text_id => \&text_id,
	pooling => \&pooling,
	owned_by => \&owning_column,
	kind => sub { pick("'identity'", "'serial'", \&odd_text) },
	column_name => \&column_name,
	block_size => sub { pick(1, 2, 20, \&int4) },
	exhausted => sub { pick(0, 0, 0, 1, \&int4) });
my %by_type = (
	bigint => \&int8,
	integer => \&int4,
	smallint => sub { pick(0, 1, -1, 32767, \&integer, 'NULL') },
	numeric => \&numeric,
	regclass => \&relation,
	oid => \&relation,
	'text[]' => sub { 'ARRAY[' . join(', ', several(4, \&odd_text)) . ']' },
	date => \&date,
	uuid => sub { pick('gen_random_uuid()', 'idgen_unique_uuid()', "'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-7fff-bfff-ffffffffffff'", 'NULL') },
	'timestamp with time zone' => sub { pick("'infinity'", "'-infinity'", 'now()', "'294276-12-31'", "'4713-01-01 BC'") });

sub value
{
	my ($name, $type) = @_;
	my $make = $by_name{$name} // $by_type{ $type =~ s/\(.*//r }
	  // sub { pick(\&name, \&source_name, \&odd_text, \&int8, \&refill) };

	return 'NULL' if chance(1);
	return $make->();
}

#
# Calls
#

# A call of any function of the extension, with values that the function
# chooses.
sub any_call
{
	my $function = pick(@{ $catalog->{functions} });
	my @arguments = @{ $function->{arguments} };
	my $named = chance(20);

	$#arguments -= int rand($function->{defaults} + 1);
	return "$function->{name}(" . join(
		', ',
		map { ($named && $_->{name} ne '' ? "$_->{name} => " : '') . '(' . value($_->{name}, $_->{type}) . ")::$_->{type}" }
		  @arguments) . ')';
}

# Most of what is drawn is there, so that there is something to draw.
sub draw
{
	return 'idgen_next(' . name() . ')';
}

sub draw_text
{
	return 'idgen_next_text(' . name() . pick('', '', sub { ', at => ' . date() }) . ')';
}

# Most of these make sense, other than what any_call() makes of that many
# arguments.
sub creation
{
	my ($source, $source_name) = @{
		pick(
			[ 'table', undef ],
			[ 'sequence', pick(@native) ],
			[ 'function', 'public.alloc_' . pick(qw(good strange drawing nonsense)) ],
			[ 'server', pick(@servers) ]) };

	return 'idgen_create(' . join(
		', ',
		name(),
		"source => '$source'",
		defined $source_name ? 'source_name => ' . quoted($source_name) : (),
		some(50, 'refill => ' . refill()),
		some(30, 'pooling => ' . pooling()),
		some(20, 'owned_by => ' . owning_column()),
		some(30, 'layout => ' . layout()),
		some(30, 'format => ' . format_of_ids()),
		some(20, 'period => ' . period()),
		some(20, 'time_zone => ' . time_zone()),
		some(20, 'max_children => ' . pick(1, 3, 1000)),
		some(50, 'block_size => ' . pick(1, 3, 20, 1000)),
		some(30, 'next_block_start => ' . int8())) . ')';
}

# Moves columns to and fro, and id sequences behind what is in columns.
sub care
{
	my $column = 'public.' . pick(qw(t_serial t_identity t_plain t_small t_default t_composed t_parts t_parent t_owner));

	return pick(
		"idgen_adopt('$column', 'id'" . pick('', sub { ', refill => ' . refill() }, sub { ', ' . name() }) . ')',
		"idgen_release('$column', 'id'" . pick('', ", 'serial'", ", 'identity'") . ')',
		"idgen_sync('$column', 'id')",
		"idgen_sync('$column')",
		'idgen_sync()');
}

sub care_of_children
{
	return pick(
		sub { 'idgen_apply_template(' . template() . ')' },
		sub { 'idgen_unscramble(' . name() . ', ' . draw() . ')' });
}

sub call
{
	return weighted(5 => \&any_call, 5 => \&draw, 2 => \&draw_text, 1 => \&creation, 1 => \&care, 1 => \&care_of_children);
}

# A call whose value goes into a column of a number.
sub number
{
	return pick(\&draw, \&draw, 'idgen_unique_id()', sub { 'length((' . any_call() . ')::text)' });
}

#
# Places where something can be called
#

sub rows
{
	return 'generate_series(1, ' . pick(1, 1, 3, 30, 30, 300, 3000) . ') AS g';
}

sub query
{
	return pick(
		sub { 'SELECT ' . call() },
		sub { 'SELECT ' . call() },
		sub { 'SELECT ' . call() . ' FROM ' . rows() },
		sub { 'SELECT * FROM ' . any_call() },
		sub { 'SELECT * FROM ' . rows() . ', LATERAL ' . any_call() . ' AS l' },
		sub { 'SELECT (' . any_call() . ').*' },
		sub { 'SELECT idgen_next(name) FROM (SELECT * FROM id_sequences' . pick('', ' ORDER BY random()') . ') s' },
		sub { 'SELECT idgen_next(' . pick('chr(97 + g % 5)', "'new' || g", "'invoice/' || g", "'limited/' || g % 5", "'book/' || g % 3") . ') FROM ' . rows() },
		sub { 'SELECT idgen_next_text(' . pick("'yearly'", "'daily'", "'book/' || g % 3", \&name) . ', current_date + g) FROM ' . rows() },
		sub { 'SELECT ' . pick('count', 'array_agg', 'json_agg', 'max') . '(' . call() . ') FROM ' . rows() . pick('', ' GROUP BY g % 3') },
		sub { 'SELECT g FROM ' . rows() . ' WHERE (' . call() . ') IS NOT NULL ORDER BY (' . call() . ')::text' },
		sub { 'SELECT g, sum(' . draw() . ') OVER (ORDER BY g) FROM ' . rows() },
		sub { 'SELECT 1 LIMIT ' . number() },
		sub { 'SELECT CASE WHEN random() < 0.5 THEN ' . draw() . ' ELSE ' . draw() . ' END FROM ' . rows() },
		sub { 'SELECT * FROM ' . pick(@{ $catalog->{relations} }) },
		sub { 'SELECT * FROM ' . pick(@tables) . ' LIMIT 3' },
		sub { 'SELECT * FROM id_sequences ' . pick('FOR UPDATE', 'FOR KEY SHARE', 'FOR NO KEY UPDATE NOWAIT', 'FOR SHARE SKIP LOCKED') });
}

sub some_table
{
	return pick(qw(t_default t_default t_text t_composed t_parts t_parent t_serial t_owner t_temp));
}

sub change
{
	return pick(
		sub { 'INSERT INTO ' . some_table() . ' (v) SELECT g FROM ' . rows() },
		sub { 'INSERT INTO ' . some_table() . ' (id) SELECT ' . number() . ' FROM ' . rows() . ' ON CONFLICT DO NOTHING RETURNING ' . call() },
		sub { 'UPDATE ' . some_table() . ' SET id = ' . number() . pick('', ' RETURNING id') },
		sub { 'DELETE FROM ' . some_table() . ' WHERE id < ' . number() },
		sub { 'MERGE INTO t_default t USING ' . rows() . ' ON t.id = g WHEN NOT MATCHED THEN INSERT (id) VALUES (' . number() . ') WHEN MATCHED THEN DELETE' },
		sub { 'TRUNCATE ' . some_table() . pick('', ' RESTART IDENTITY') },
		sub { 'COPY ' . some_table() . " (v) FROM STDIN;\n1\n2\n3\n\\.\n" },
		sub { 'COPY (' . query() . ') TO STDOUT' },
		sub { 'CREATE TABLE ' . pick('pg_temp.', '') . 'made AS ' . query() },
		'REFRESH MATERIALIZED VIEW m_view',
		sub { 'SELECT ' . call() . ', ' . call() . ' INTO TEMP made' });
}

# PL/pgSQL. The text is quoted by $$, in case it is itself within a text.
sub code
{
	my @lines = several(
		3,
		sub {
			pick(
				sub { 'PERFORM ' . call() . ';' },
				sub { 'PERFORM count(*) FROM (' . query() . ') q;' },
				sub { 'BEGIN PERFORM ' . call() . '; RAISE division_by_zero; EXCEPTION WHEN others THEN PERFORM ' . call() . '; END;' },
				sub { 'FOR i IN 1 .. ' . pick(3, 30, 300) . ' LOOP BEGIN PERFORM ' . call() . '; IF i % 3 = 0 THEN RAISE division_by_zero; END IF; EXCEPTION WHEN others THEN NULL; END; END LOOP;' },
				sub { 'EXECUTE ' . quoted(query()) . ';' },
				sub { write_row() . ';' },
				sub { 'PERFORM recurse(' . pick(3, 30) . ');' });
		});
	return join(' ', @lines);
}

sub do_block
{
	return "DO \$do\$ BEGIN " . join(' ', several(3, sub { code() . pick('', '', ' COMMIT;', ' ROLLBACK;') })) . " END \$do\$";
}

# A function of ours calls what else does; see setup.sql for who calls the
# function.
sub new_function
{
	my ($name, $returns, $result) = @{
		pick(
			[ 'called()', 'bigint', 'RETURN ' . number() . ';' ],
			[ 'called()', 'bigint', 'RETURN ' . integer() . ';' ],
			[ 'fired()', 'trigger', 'RETURN NEW;' ],
			[ 'fired()', 'trigger', 'RETURN NULL;' ],
			[ 'evented()', 'event_trigger', '' ]) };

	return "CREATE OR REPLACE FUNCTION $name RETURNS $returns LANGUAGE plpgsql "
	  . pick('', 'IMMUTABLE', 'STABLE', 'PARALLEL SAFE', 'SECURITY DEFINER', 'SET search_path = other', "SET idgen.channel = 3")
	  . " AS \$f\$ BEGIN " . pick('', \&code) . " $result END \$f\$";
}

# What calls the functions above.
sub new_caller
{
	my $table = some_table();

	return pick(
		"CREATE INDEX ON $table ((v + called()))",
		"ALTER TABLE $table ADD CHECK (called() > 0) NOT VALID",
		"ALTER TABLE $table ALTER v SET DEFAULT called()",
		"ALTER TABLE $table ADD d bigint DEFAULT " . number(),
		"ALTER TABLE $table ADD d bigint GENERATED ALWAYS AS (called()) STORED",
		"CREATE POLICY p ON $table USING (called() > 0)",
		"ALTER TABLE $table ENABLE ROW LEVEL SECURITY; ALTER TABLE $table FORCE ROW LEVEL SECURITY",
		"CREATE TRIGGER t BEFORE INSERT OR UPDATE ON $table FOR EACH ROW EXECUTE FUNCTION fired()",
		"CREATE CONSTRAINT TRIGGER c AFTER INSERT OR UPDATE ON $table DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fired()",
		"CREATE TRIGGER u BEFORE INSERT OR UPDATE OR DELETE ON $table FOR EACH ROW EXECUTE FUNCTION " . pick(@{ $catalog->{triggers} }),
		"CREATE RULE r AS ON INSERT TO $table DO ALSO SELECT " . call(),
		'CREATE EVENT TRIGGER e ON ' . pick('ddl_command_end', 'ddl_command_start', 'sql_drop') . ' EXECUTE FUNCTION evented()',
		'DROP EVENT TRIGGER IF EXISTS e',
		'CREATE DOMAIN made AS bigint CHECK (called() > VALUE)',
		'CREATE VIEW made AS ' . query(),
		'CREATE MATERIALIZED VIEW made AS ' . query());
}

# What becomes of columns that id sequences belong to.
sub alter_owner
{
	my $table = pick(qw(t_owner t_owner t_default t_serial t_composed));

	return pick(
		"ALTER TABLE $table ALTER id TYPE " . pick(qw(smallint integer bigint numeric text)),
		"ALTER TABLE $table ALTER id SET DEFAULT " . draw(),
		"ALTER TABLE $table ALTER id DROP DEFAULT",
		"ALTER TABLE $table DROP id CASCADE",
		"ALTER TABLE $table RENAME id TO other_id",
		"ALTER TABLE $table SET SCHEMA other",
		"ALTER TABLE $table OWNER TO " . pick(@roles),
		"CREATE TABLE made (LIKE $table INCLUDING ALL)",
		"DROP TABLE $table CASCADE",
		'DROP OWNED BY ' . pick(@roles),
		'UPDATE id_sequences SET owned_by = ' . owning_column() . ' WHERE name = ' . name());
}

# Statements that only together do something.
sub cursor
{
	return (
		some(50, 'BEGIN'),
		'DECLARE c ' . pick('', 'SCROLL ', 'INSENSITIVE ') . 'CURSOR ' . pick('', 'WITH HOLD ') . 'FOR ' . query(),
		several(3, sub { pick('FETCH', 'FETCH 10 FROM c', 'FETCH ALL FROM c', 'MOVE 5 FROM c', 'FETCH LAST FROM c', 'FETCH c', 'MOVE BACKWARD 2 FROM c') }),
		some(50, 'CLOSE c'));
}

sub prepared
{
	return ('PREPARE p (text) AS SELECT ' . pick('idgen_next($1)', 'idgen_peek($1)', 'idgen_next_range($1, 3)', 'idgen_last($1)', \&call),
		several(8, sub { 'EXECUTE p (' . name() . ')' }),
		some(80, 'DEALLOCATE p'));
}

sub parallel
{
	return ('SET force_parallel_mode = on', 'SET debug_parallel_query = on', pick(\&query, 'SELECT called() FROM ' . rows(), 'SELECT idgen_unique_id() FROM t_many'),
		'SELECT count(called()), count(' . call() . ') FROM t_many', 'RESET force_parallel_mode', 'RESET debug_parallel_query');
}

#
# Changes of what idgen uses
#

# A row of id_sequences.
sub write_row
{
	my @columns = @{ $catalog->{columns} };
	my @given = some(25, @columns);
	my $names = join(', ', 'name', map { $_->{name} } grep { $_->{name} ne 'name' } @given);
	my $values = join(', ', name(), map { value($_->{name}, $_->{type}) } grep { $_->{name} ne 'name' } @given);
	my $column = pick(@columns);
	my $set = "$column->{name} = " . value($column->{name}, $column->{type});

	return pick(
		"INSERT INTO id_sequences ($names) VALUES ($values)",
		"INSERT INTO id_sequences (next_block_start, $names) VALUES (" . int8() . ", $values) ON CONFLICT (name) DO UPDATE SET $set",
		"UPDATE id_sequences SET $set WHERE name = " . name(),
		"UPDATE id_sequences SET $set WHERE name = " . name(),
		"UPDATE id_sequences SET $set WHERE random() < 0.1",
		'UPDATE id_sequences SET next_block_start = next_block_start ' . pick('+ block_size', '- 1', '+ 0') . ' WHERE name = ' . name(),
		'DELETE FROM id_sequences WHERE name = ' . name(),
		'DELETE FROM id_sequences WHERE random() < 0.1',
		"MERGE INTO id_sequences s USING (VALUES (1)) v ON s.name = " . name() . " WHEN MATCHED THEN UPDATE SET $set");
}

# The keys of scrambled ids, as only their owner can.
sub write_keys
{
	return pick(
		'DELETE FROM idgen_secrets' . pick('', ' WHERE random() < 0.3'),
		'TRUNCATE idgen_secrets',
		'INSERT INTO idgen_secrets SELECT * FROM idgen_secrets LIMIT 1',
		"INSERT INTO idgen_secrets SELECT substr(sha256(s), 1, 8), s FROM (SELECT decode(repeat('00', 48) || md5(random()::text) || md5(random()::text), 'hex')) AS v(s)",
		"UPDATE idgen_secrets SET fingerprint = '\\x'",
		"UPDATE idgen_secrets SET secret = decode(md5(random()::text), 'hex')",
		"UPDATE id_sequences SET salt = " . pick('NULL', "'\\x00'", '(SELECT salt FROM id_sequences ORDER BY random() LIMIT 1)', "decode(repeat('07', 24), 'hex')"),
		'ALTER TABLE idgen_secrets ' . pick('DISABLE TRIGGER ALL', 'ALTER secret TYPE text', 'RENAME secret TO renamed', 'DROP secret', 'DROP CONSTRAINT idgen_secrets_fingerprint_check', 'DROP CONSTRAINT idgen_secrets_secret_check', "ADD extra text DEFAULT repeat('x', 3000)", 'SET SCHEMA other', 'ENABLE ROW LEVEL SECURITY'),
		'CREATE TRIGGER k BEFORE INSERT OR UPDATE ON idgen_secrets FOR EACH ROW EXECUTE FUNCTION fired()',
		'DROP TABLE idgen_secrets CASCADE',
		'GRANT ALL ON idgen_secrets TO PUBLIC',
		'LOCK idgen_secrets');
}

# What was received from other servers, as only its owner can.
sub write_marks
{
	return pick(
		'DELETE FROM idgen_marks' . pick('', ' WHERE random() < 0.3'),
		'TRUNCATE idgen_marks',
		'INSERT INTO idgen_marks SELECT * FROM idgen_marks',
		'INSERT INTO idgen_marks SELECT last_id, 1, 1, now(), now(), 1, 1, 1, 1, 1, 1, 9, true, server, name FROM idgen_marks',
		'UPDATE idgen_marks SET ' . pick('last_id = -last_id', 'known = NOT known', 'back_how = 3', 'setbacks = random() * 3', 'accepted = 7', 'own_database = 0', "server = 'other'", "name = name || 'x'", 'system_identifier = 5', 'timeline = NULL'),
		'ALTER TABLE idgen_marks ' . pick('DISABLE TRIGGER ALL', 'ALTER last_id TYPE numeric', 'ALTER server TYPE text', 'ALTER timeline DROP NOT NULL', 'RENAME known TO renamed', 'DROP known', 'DROP CONSTRAINT idgen_marks_pkey', "ADD extra text DEFAULT repeat('x', 3000)", 'SET SCHEMA other', 'ENABLE ROW LEVEL SECURITY'),
		'CREATE TRIGGER k BEFORE INSERT OR DELETE ON idgen_marks FOR EACH ROW EXECUTE FUNCTION fired()',
		'VACUUM ' . pick('', 'FULL ', 'FREEZE ') . 'idgen_marks',
		'DROP TABLE idgen_marks CASCADE',
		'LOCK idgen_marks');
}

# Something that id_sequences is not made for.
sub alter_table
{
	my $column = pick(@{ $catalog->{columns} })->{name};
	my $table = 'id_sequences';
	my $alter = "ALTER TABLE $table";
	my $away = "$alter RENAME TO renamed";
	my $other_table = pick(
		["CREATE VIEW $table AS SELECT * FROM renamed"],
		[ "CREATE TABLE $table (LIKE renamed INCLUDING ALL) INHERITS (renamed)", "INSERT INTO $table SELECT * FROM ONLY renamed" ],
		[
			"CREATE TABLE $table (LIKE renamed INCLUDING DEFAULTS, PRIMARY KEY (name)) PARTITION BY LIST (name)",
			"CREATE TABLE part PARTITION OF $table DEFAULT",
			"INSERT INTO $table SELECT * FROM renamed"
		],
		[ "CREATE MATERIALIZED VIEW $table AS SELECT * FROM renamed", "CREATE UNIQUE INDEX ON $table (name)" ],
		["CREATE SEQUENCE $table"],
		["CREATE FOREIGN TABLE $table (name text) SERVER loop"],
		["CREATE TABLE $table AS SELECT * FROM renamed"]);

	return @{
		pick(
			["$alter ALTER $column DROP NOT NULL"],
			["$alter ALTER $column DROP DEFAULT"],
			["$alter ALTER $column DROP DEFAULT", "$alter ALTER $column TYPE " . pick('text', 'bigint', 'integer', 'numeric', 'varchar(3)', 'bytea', 'jsonb', 'name') . ' USING NULL'],
			["$alter ALTER $column TYPE " . pick('text', 'bigint', 'numeric', 'varchar', 'text COLLATE "und-x-icu"', 'bpchar')],
			["$alter DROP $column CASCADE"],
			[ "$alter DROP $column CASCADE", "$alter ADD $column " . pick('text', 'bigint', 'numeric', 'bigint NOT NULL DEFAULT 1') ],
			["$alter RENAME $column TO renamed"],
			["$alter ADD extra " . pick('text', 'bigint DEFAULT 5', 'bigint DEFAULT ' . draw(), 'bigint GENERATED ALWAYS AS (block_size * 2) STORED', "text DEFAULT repeat('x', 3000)")],
			["$alter DROP CONSTRAINT " . pick(@{ $catalog->{constraints} }) . ' CASCADE'],
			["$alter ADD CHECK (" . pick('called() > 0', 'next_block_start < 100', 'true') . ')'],
			["$alter ADD UNIQUE ($column)"],
			["$alter DISABLE TRIGGER " . pick('ALL', 'USER', @{ $catalog->{triggers_of_table} })],
			["$alter SET UNLOGGED"],
			["$alter SET SCHEMA other"],
			["$alter SET (fillfactor = 100)"],
			[ "$alter OWNER TO " . pick(@roles) ],
			["$alter CLUSTER ON id_sequences_pkey", "CLUSTER $table"],
			[$away],
			[ $away, @$other_table ],
			[ $away, @$other_table ],
			[ $away, @$other_table ],
			["CREATE TABLE child () INHERITS ($table)"],
			[ "CREATE TABLE parent (LIKE $table)", "$alter INHERIT parent" ],
			[ "CREATE TABLE parent (LIKE $table) PARTITION BY LIST (name)", "ALTER TABLE parent ATTACH PARTITION $table DEFAULT" ],
			[ 'CREATE TRIGGER z ' . pick('BEFORE', 'AFTER') . " INSERT OR UPDATE ON $table FOR EACH ROW EXECUTE FUNCTION fired()" ],
			["CREATE CONSTRAINT TRIGGER d AFTER INSERT OR UPDATE ON $table DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fired()"],
			[ 'CREATE RULE r AS ON ' . pick('UPDATE', 'INSERT', 'DELETE') . " TO $table DO " . pick('INSTEAD NOTHING', 'ALSO SELECT ' . draw()) ],
			["CREATE INDEX ON $table ((next_block_start + called()))"],
			["CREATE INDEX ON $table (block_size) WHERE next_block_start > 0"],
			[
				"CREATE UNIQUE INDEX made ON $table (name)", "$alter REPLICA IDENTITY USING INDEX made",
				"$alter DROP CONSTRAINT id_sequences_pkey CASCADE", "$alter ADD PRIMARY KEY USING INDEX made"
			],
			["VACUUM FULL $table"],
			["VACUUM $table"],
			["REINDEX TABLE $table"],
			["TRUNCATE $table"],
			[ "LOCK $table IN " . pick('SHARE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE', 'ROW SHARE') . ' MODE' ],
			["GRANT ALL ON $table TO PUBLIC"],
			["REVOKE SELECT ON $table FROM PUBLIC"],
			["DROP TABLE $table CASCADE"]) };
}

# Policies, and somebody to whom they apply.
sub row_security
{
	my $table = 'id_sequences';

	return (
		"ALTER TABLE $table ENABLE ROW LEVEL SECURITY",
		pick("ALTER TABLE $table FORCE ROW LEVEL SECURITY", "GRANT ALL ON $table TO fuzz_user"),
		several(
			2,
			sub {
				"CREATE POLICY p" . int(rand 9) . " ON $table "
				  . pick('', 'AS RESTRICTIVE ', 'FOR SELECT ')
				  . 'USING ('
				  . pick('true', 'false', 'called() > 0', 'block_size > 1', draw() . ' > 0', '1 / (block_size - 1) > 0',
					'EXISTS (SELECT FROM t_plain)', 'next_block_start < 1000', 'name = current_user', 'random() < 0.9', "EXISTS (SELECT FROM $table)")
				  . ')';
			}),
		some(70, 'SET LOCAL ROLE ' . pick('fuzz_user', 'fuzz_owner')));
}

sub alter_extension
{
	my $function = pick(@{ $catalog->{functions} });
	my $signature = "$function->{name}(" . join(', ', map { $_->{type} } @{ $function->{arguments} }) . ')';

	return pick(
		'ALTER EXTENSION idgen SET SCHEMA ' . pick('other', 'public'),
		'DROP EXTENSION idgen CASCADE',
		'DROP EXTENSION idgen CASCADE; CREATE EXTENSION idgen',
		'CREATE EXTENSION idgen SCHEMA other',
		"ALTER EXTENSION idgen DROP FUNCTION $signature",
		"ALTER FUNCTION $signature " . pick('IMMUTABLE', 'PARALLEL SAFE', 'SECURITY DEFINER', 'SET search_path = other', 'STRICT', 'CALLED ON NULL INPUT', "SET idgen.auto_create = on"),
		"DROP FUNCTION $signature CASCADE",
		"REVOKE EXECUTE ON FUNCTION $signature FROM PUBLIC",
		"CREATE FUNCTION other.$function->{name}(text) RETURNS bigint LANGUAGE sql RETURN 1");
}

sub alter_sequence
{
	my $sequence = pick(@native);

	return pick(
		"ALTER SEQUENCE $sequence INCREMENT BY " . pick(1, -1, 5, 20, -20, \&int8),
		"ALTER SEQUENCE $sequence RESTART WITH " . int8(),
		"ALTER SEQUENCE $sequence RESTART",
		"ALTER SEQUENCE $sequence MINVALUE " . int8(),
		"ALTER SEQUENCE $sequence MAXVALUE " . int8(),
		"ALTER SEQUENCE $sequence NO MINVALUE NO MAXVALUE",
		"ALTER SEQUENCE $sequence AS " . pick('smallint', 'integer', 'bigint'),
		"ALTER SEQUENCE $sequence CACHE " . pick(1, 5, 1000, 100000), # nextval() counts them, and cannot be interrupted
		"ALTER SEQUENCE $sequence " . pick('CYCLE', 'NO CYCLE'),
		"ALTER SEQUENCE $sequence SET " . pick('LOGGED', 'UNLOGGED', 'SCHEMA other'),
		"ALTER SEQUENCE $sequence RENAME TO renamed_seq",
		"ALTER SEQUENCE $sequence OWNED BY " . pick('NONE', 't_plain.id'),
		"ALTER SEQUENCE $sequence OWNER TO " . pick(@roles),
		"ALTER SEQUENCE renamed_seq RENAME TO " . pick(@native),
		"DROP SEQUENCE $sequence CASCADE",
		'CREATE ' . pick('', 'TEMP ') . "SEQUENCE $sequence INCREMENT BY " . pick(1, 20, -3),
		"CREATE TABLE $sequence (last_value bigint, log_cnt bigint, is_called bool)",
		'SELECT setval(' . quoted($sequence) . ', ' . int8() . ')',
		'SELECT nextval(' . quoted($sequence) . ') FROM ' . rows(),
		"LOCK TABLE $sequence");
}

# Allocators that return nonsense, or do what they should not.
sub new_allocator
{
	my $body = pick(
		'RETURN QUERY SELECT n, n + 20 * blocks - 1 FROM (SELECT 20 * nextval(\'public.ones_seq\') * 1000 AS n) s;',
		'RETURN QUERY SELECT ' . int8() . '::bigint, ' . int8() . '::bigint;',
		'RETURN QUERY SELECT ' . int8() . '::bigint, ' . int8() . '::bigint FROM ' . rows() . ';',
		'RETURN QUERY SELECT g * 10::bigint, g * 10::bigint + ' . pick(5, 9, 10, -1) . ' FROM ' . rows() . pick('', ' ORDER BY g DESC') . ';',
		'RETURN QUERY SELECT random() * 1e18::bigint, 9e18::bigint;',
		'RETURN QUERY SELECT n, n + 9 FROM (SELECT (random() * 1e17)::bigint * 10 AS n FROM ' . rows() . ') s;',
		'RETURN;',
		'',
		"RAISE '%', " . pick(sub { quoted('%s') }, \&odd_text) . ';',
		"RAISE EXCEPTION USING ERRCODE = '" . pick(qw(40001 55P03 22012 57014 P0001 02000 25006)) . "';",
		'PERFORM pg_sleep(0.3);',
		'PERFORM pg_cancel_backend(pg_backend_pid());',
		"SET LOCAL search_path = nowhere;",
		\&code,
		sub { write_row() . ';' },
		sub { 'DELETE FROM id_sequences;' },
		sub { 'EXECUTE ' . quoted(join('; ', alter_table())) . ';' },
		sub { 'EXECUTE ' . quoted(alter_extension()) . ';' },
		sub { 'DROP FUNCTION public.alloc_' . pick(qw(good strange drawing nonsense)) . ' CASCADE;' });

	my $name = pick(qw(strange drawing nonsense));

	return "CREATE OR REPLACE FUNCTION public.alloc_$name"
	  . '(name text, blocks integer) RETURNS '
	  . pick(('TABLE (first_id bigint, last_id bigint)') x 20, 'bigint', 'SETOF record', 'TABLE (first_id integer, last_id bigint)')
	  . ' LANGUAGE plpgsql '
	  . pick('', 'SECURITY DEFINER', 'IMMUTABLE', 'STRICT', "SET work_mem = '64kB'", 'SET search_path = other')
	  . " AS \$a\$ BEGIN $body " . pick('', 'RETURN QUERY SELECT 1::bigint, 2::bigint;') . ' END $a$',
	  several(2, sub { 'SELECT ' . pick('idgen_next', 'idgen_next_big', 'idgen_peek') . "('$name') FROM " . rows() });
}

sub alter_server
{
	my $server = pick(@servers);
	my $option = pick(qw(host hostaddr port dbname schema_name remote_name connect_timeout options sslmode service passfile target_session_attrs
		  application_name client_encoding user nosuch krbsrvname keepalives tcp_user_timeout));
	my $setting = sub { "$option " . quoted(pick('', 'x', '1', '0', '-1', '127.0.0.1', '/nonexistent', 'a,b', "it's", 'centre', 'other', '2147483648', 'any', "\t", 'x' x 300)) };
	my $user = pick('CURRENT_USER', 'PUBLIC', @roles);

	return pick(
		"ALTER SERVER $server OPTIONS (ADD " . $setting->() . ')',
		"ALTER SERVER $server OPTIONS (SET " . $setting->() . ')',
		"ALTER SERVER $server OPTIONS (DROP $option)",
		"ALTER SERVER $server OPTIONS (SET schema_name 'centre')",
		"ALTER SERVER $server OWNER TO " . pick(@roles),
		"ALTER SERVER $server RENAME TO " . pick(@servers, 'worker'),
		"DROP SERVER $server CASCADE",
		"CREATE SERVER $server FOREIGN DATA WRAPPER idgen_fdw OPTIONS (" . $setting->() . ')',
		"CREATE USER MAPPING FOR $user SERVER $server OPTIONS (" . pick("user 'fuzz_super'", "password 'x'", "password_required 'false', user 'fuzz_super'", $setting) . ')',
		"ALTER USER MAPPING FOR $user SERVER $server OPTIONS (ADD " . pick("password 'y'", "user 'fuzz_user'", $setting) . ')',
		"DROP USER MAPPING FOR $user SERVER $server",
		"GRANT USAGE ON FOREIGN SERVER $server TO PUBLIC",
		"REVOKE USAGE ON FOREIGN SERVER $server FROM PUBLIC",
		'UPDATE centre.id_sequences SET next_block_start = ' . int8() . ', block_size = ' . int4(),
		'DELETE FROM centre.id_sequences WHERE random() < 0.3',
		'INSERT INTO centre.id_sequences (name, next_block_start, block_size) VALUES (' . name() . ', ' . int8() . ', ' . int4() . ')',
		'LOCK centre.id_sequences',
		'ALTER TABLE centre.id_sequences ' . pick('DROP next_block_start', 'ALTER block_size TYPE text', 'RENAME TO gone', 'ALTER exhausted TYPE numeric'));
}

sub set
{
	my $setting = pick(@{ $catalog->{settings} });
	my $value = quoted(
		pick(
			$setting->{reset_val}, $setting->{min_val} // 'on', $setting->{max_val} // 'off', @{ $setting->{enumvals} // [] },
			1, 5, 20, 100, 300, -1, '', 'x', '1ms', '9' x 20));

	return pick(
		(map { pick('SET ', 'SET ', 'SET LOCAL ') . "$setting->{name} = $value" } 1 .. 4),
		"RESET $setting->{name}",
		"ALTER SYSTEM SET $setting->{name} = $value; SELECT pg_reload_conf()",
		"ALTER SYSTEM RESET ALL; SELECT pg_reload_conf()",
		"ALTER DATABASE " . pick(sort keys %encodings) . " SET $setting->{name} = $value",
		"SELECT set_config('$setting->{name}', " . odd_text() . ', ' . pick('true', 'false') . ')',
		'SET idgen.auto_create = on',
		'SET client_encoding = ' . pick(qw(UTF8 LATIN1 SQL_ASCII EUC_JP SJIS WIN1252)),
		'SET statement_timeout = ' . pick(5, 50, 500, 500),
		'SET lock_timeout = ' . pick(0, 1, 20, 200),
		'SET deadlock_timeout = ' . pick(1, 20, 1000),
		'SET search_path = ' . pick('public', 'other, public', 'pg_catalog', 'nowhere', '""', 'public, pg_temp'),
		'SET synchronous_commit = ' . pick('on', 'off', 'local'),
		'SET session_replication_role = ' . pick('replica', 'origin'),
		'SET row_security = ' . pick('on', 'off'),
		'SET default_transaction_read_only = ' . pick('off', 'off', 'on'),
		'SET default_transaction_isolation = ' . quoted(pick('serializable', 'repeatable read', 'read committed')),
		"SET jit_above_cost = " . pick(0, 100000),
		'SET work_mem = ' . pick(64, 4096),
		'SET TIME ZONE ' . pick("'UTC'", 5, "'Asia/Tokyo'", "'America/New_York'"),
		'SET ROLE ' . pick(@roles, 'NONE'),
		'RESET SESSION AUTHORIZATION',
		'DISCARD ' . pick('ALL', 'SEQUENCES', 'PLANS', 'TEMP'));
}

# The sessions of this run, and the worker, which has no user.
sub disturb
{
	my $which = "SELECT pid FROM pg_stat_activity WHERE (usename LIKE 'fuzz%' OR backend_type = 'idgen worker') AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1";

	return pick(
		"SELECT pg_cancel_backend(pid) FROM ($which) a",
		"SELECT pg_cancel_backend(pid) FROM ($which) a",
		"SELECT pg_terminate_backend(pid) FROM ($which) a",
		"SELECT pg_terminate_backend(pg_backend_pid())",
		'SELECT pg_sleep(0.02)',
		'CHECKPOINT');
}

#
# Steps
#

sub statement
{
	return pick(\&query, \&query, \&query, \&change, \&write_row, \&set, \&do_block, sub { 'EXPLAIN (ANALYZE, BUFFERS) ' . query() });
}

# Many statements in one message.
sub together
{
	return join('\; ', several(4, \&statement));
}

sub definition
{
	return weighted(
		4 => sub { write_row() },
		1 => sub { alter_table() },
		2 => \&row_security,
		1 => \&alter_extension,
		3 => \&alter_sequence,
		3 => \&new_allocator,
		2 => \&alter_server,
		2 => \&new_function,
		2 => \&alter_owner,
		1 => \&write_keys,
		1 => \&write_marks,
		2 => \&new_caller);
}

# Not DEFERRABLE: prepared after its wait was cancelled in a savepoint, such a
# transaction makes the COMMIT of another one panic ("pgprocno out of range"),
# without idgen too.
sub transaction
{
	my $isolation = pick('', '', '', ' ISOLATION LEVEL REPEATABLE READ', ' ISOLATION LEVEL SERIALIZABLE', ' READ ONLY', ' ISOLATION LEVEL SERIALIZABLE READ ONLY');
	my $prepared = quoted('fuzz' . int rand 1000);

	return (
		"BEGIN$isolation",
		(map { step() } 1 .. 1 + rand 6),
		pick('COMMIT', 'COMMIT', 'ROLLBACK', 'COMMIT AND CHAIN', "PREPARE TRANSACTION $prepared", 'ROLLBACK AND CHAIN', 'ABORT'));
}

sub savepoint
{
	my $name = pick(qw(a b));

	return ("SAVEPOINT $name", (map { step() } 1 .. 1 + rand 3), pick("ROLLBACK TO $name", "ROLLBACK TO $name", "RELEASE $name", ''));
}

# An ordinary end of prepared transactions, of which others wait for the locks.
sub end_prepared
{
	return "SELECT format('" . pick('COMMIT', 'ROLLBACK') . " PREPARED %L', gid) FROM pg_prepared_xacts WHERE database = current_database() \\gexec";
}

# Something is broken, used, and with luck repaired by a rollback.
sub broken
{
	return (
		'BEGIN',
		definition(), some(50, 'SAVEPOINT a'), several(4, \&statement), some(30, definition(), statement()),
		weighted(6 => 'ROLLBACK', 1 => 'COMMIT', 1 => 'ROLLBACK TO a; COMMIT'),
		several(3, \&statement));
}

# Statements of one or several lines.
sub step
{
	my @statements;

	$nested++;
	@statements = weighted(
		20 => \&statement,
		3 => \&together,
		1 => \&cursor,
		2 => \&prepared,
		1 => \&parallel,
		2 => \&disturb,
		2 => \&end_prepared,
		2 => \&new_function,
		($nested < 4 ? (5 => \&transaction, 5 => \&broken) : ()),
		($nested > 1 && $nested < 4 ? (8 => \&savepoint) : ()),
		1 => \&definition,
		1 => "\\i $directory/setup.sql");
	$nested--;
	return @statements;
}

1;
