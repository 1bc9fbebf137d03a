# Names of any length are cached, kept over a restart, and told apart. Long ones
# have fewer places in the cache: there they push out each other, but not short
# ones.
use strict;
use warnings FATAL => 'all';
use utf8;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# As many as there are places for long names
my $places = 16;
my $node = idgen_server('names', conf => q{
idgen.max_sequences = 64
idgen.max_idle_sequences = 0
max_prepared_transactions = 1
});

# Names of 255 characters, in as many bytes as there can be, that differ at the
# end
my $long = '😀' x 253;
utf8::encode($long);

# Of the first bytes in which there is a difference: one that fits into a slot,
# and one that does not
my $fits = 'x' x 147;

$node->safe_psql(
	'postgres', qq{
	CREATE TABLE drawn (name text, id bigint, PRIMARY KEY (name, id));
	SELECT idgen_create('${long}' || i) FROM generate_series(10, 59) i;
	SELECT idgen_create('short' || i) FROM generate_series(1, 20) i;
	SELECT idgen_create('$fits'), idgen_create('${fits}y'), idgen_create('${fits}z')});
my $drawn = 0;

# Draw once from each name that matches.
sub draw
{
	my ($condition) = @_;
	my $names = $node->safe_psql('postgres', "SELECT name FROM id_sequences WHERE $condition ORDER BY name");

	$node->safe_psql('postgres',
		join('', map { "INSERT INTO drawn VALUES ('$_', idgen_next('$_'));\n" } split(/\n/, $names)));
	$drawn += () = $names =~ /^/mg;
	return;
}

sub cached
{
	my ($condition) = @_;
	return $node->safe_psql('postgres', "SELECT count(*) FROM idgen_stats WHERE ids_cached > 0 AND $condition");
}

# Every id that was taken from a row was drawn, is cached, or is counted as
# lost.
sub check_accounts
{
	my ($when) = @_;

	is( $node->safe_psql(
			'postgres', q{
			SELECT (SELECT sum(next_block_start - 1) FROM id_sequences) -
				(of_slots + ids_evicted + ids_lost + ids_uncached)
			FROM idgen_cache_totals, (SELECT sum(ids_cached + ids_lost) AS of_slots FROM idgen_stats) s}),
		$drawn, "$when: all ids are accounted for");
	return;
}

my $is_long = q{octet_length(name) > 147};
my $few_long = qq{name BETWEEN '${long}10' AND '${long}25'};

draw("name LIKE 'short%' OR length(name) = 147");
draw($is_long) for 1 .. 3;
is(cached($is_long), $places, 'long names have places of their own');
is(cached("name LIKE 'short%'"), 20, 'short ones do not give way to them');
is(cached("length(name) = 147"), 1, 'nor does the longest one that fits into a slot');
check_accounts('more long names than places');

draw($few_long) for 1 .. 2;
draw("name = '${fits}y' OR name = '${fits}z'");
draw("name = '${long}25'") for 1 .. 3;
is($node->safe_psql('postgres', "SELECT ids_issued > 3 FROM idgen_stats WHERE name = '${long}25'"), 't',
	'one that is used stays');
check_accounts('names that are alike but for their ends');

# All places are held by a transaction that refills.
my $session = $node->background_psql('postgres');
$session->query_safe(
	qq{
	BEGIN;
	SELECT count(idgen_next(name)) FROM id_sequences, generate_series(1, 25) WHERE name BETWEEN '${long}30' AND '${long}45'});
$drawn += 16 * 25;
draw("name BETWEEN '${long}46' AND '${long}48'");
is(cached("name BETWEEN '${long}46' AND '${long}48'"), 0, 'with all places busy there is none for a further one');
draw("name = 'short1'");
$session->query_safe('COMMIT');
$session->quit;
check_accounts('with all places busy');
draw("name BETWEEN '${long}46' AND '${long}48'");
is(cached("name BETWEEN '${long}46' AND '${long}48'"), 3, 'once some are idle there is');
check_accounts('after that');

# Over a restart
draw($few_long) for 1 .. 2;
my $left = q{SELECT string_agg(name || first_id || '-' || last_id, ',' ORDER BY name, first_id) FROM idgen_cache};
my $before = $node->safe_psql('postgres', $left);
$node->restart;
is($node->safe_psql('postgres', $left), $before, 'a restart keeps all that was cached');
draw($is_long);
is(cached($is_long), $places, 'and places can be used again');

# With fewer places than there are names in the file
$before = cached('true');
$node->adjust_conf('postgresql.conf', 'idgen.max_sequences', '40');
$node->restart;
is(cached('true'), $before, 'fewer places for any name');
$node->adjust_conf('postgresql.conf', 'idgen.max_sequences', '10');
my $offset = -s $node->logfile;
$node->restart;
is(cached('true'), 10, 'fewer than there are names in the file');
like(slurp_file($node->logfile, $offset), qr/LOG:  \d+ cached ids are lost/, 'the log says so');
draw('true');
is($node->safe_psql('postgres', "SELECT name FROM drawn GROUP BY name HAVING count(*) <> count(DISTINCT id)"),
	'', 'no id was drawn twice');

# After a crash
$node->stop('immediate');
$node->start;
draw($is_long);
is(cached($is_long), 10, 'all places are free after a crash');

# In a session's own cache there is room for any name.
$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$node->adjust_conf('postgresql.conf', 'idgen.max_sequences', undef);
$node->restart;
$node->safe_psql('postgres', "TRUNCATE id_sequences; SELECT idgen_create('${long}' || i, next_block_start => 100 * i) FROM generate_series(10, 59) i");
is( $node->safe_psql(
		'postgres', qq{
		SELECT count(idgen_next(name)) FROM id_sequences;
		SELECT count(*), min(idgen_next(name) - next_block_start), max(idgen_next(name) - next_block_start) FROM id_sequences;
		SELECT count(*) FROM idgen_stats WHERE cache = 'session' AND octet_length(name) > 1000 AND ids_cached = 17}),
	"50\n50|-19|-18\n50", "in a session's own cache, too");

$node->stop;
done_testing();
