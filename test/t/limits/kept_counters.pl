# On PostgreSQL 18, the counters of an id sequence that has given its slot to
# another one are among the server's cumulative statistics: it goes on counting
# with its next slot, also after a clean restart. They go with the row, the
# native sequence, the table and the extension, and not before that commits. On
# older ones, counters begin anew with the next slot.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('kept', conf => "idgen.max_sequences = 2\nmax_prepared_transactions = 1\n");
my $is_kept = $node->pg_version >= 18;

sub set_up
{
	$node->safe_psql(
		'postgres', q{
		CREATE SEQUENCE native_seq INCREMENT BY 10;
		SELECT idgen_create(name) FROM unnest('{a,b,c}'::text[]) AS name});
	return;
}

# Others draw so much that an id sequence gives its slot away
sub evict
{
	$node->safe_psql('postgres', q{SELECT idgen_next('b'), idgen_next('c') FROM generate_series(1, 2)});
	return;
}

# Draws from one that had none, and has it give its slot away. Answers since
# when it counts.
sub draw_and_evict
{
	my ($draw, $name) = @_;

	$node->safe_psql('postgres', "SELECT $draw FROM generate_series(1, 5)");
	my $since = $node->safe_psql('postgres', "SELECT counted_since FROM idgen_stats WHERE name = '$name'");
	evict();
	is($node->safe_psql('postgres', "SELECT count(*) FROM idgen_stats WHERE name = '$name'"), '0', "$name has given its slot away");
	return $since;
}

# Draws once more: is it the sixth id that is counted, or the first one?
sub is_counted
{
	my ($draw, $name, $expected, $since, $what) = @_;

	$node->safe_psql('postgres', "SELECT $draw");
	is( $node->safe_psql(
			'postgres', qq{
			SELECT ids_issued || CASE WHEN counted_since = '$since' THEN ', from the beginning on' ELSE '' END
			FROM idgen_stats WHERE name = '$name'}),
		$expected, $what);
	return;
}

my ($first, $sixth) = ('1', $is_kept ? '6, from the beginning on' : '1');
my $a = q{idgen_next('a')};
my $native = q{idgen_next('native', 'sequence')};

set_up();
my $since = draw_and_evict($a, 'a');
is($node->safe_psql('postgres', q{SELECT counted_since IS NOT NULL FROM idgen_health WHERE name = 'a'}),
	$is_kept ? 't' : 'f', 'idgen_health knows the counters meanwhile');
is_counted($a, 'a', $sixth, $since, 'counters of a row');

evict();
$node->safe_psql('postgres', 'SELECT idgen_stats_reset()');
is_counted($a, 'a', $first, $since, 'idgen_stats_reset() sets them to zero');
$node->safe_psql('postgres', q{DELETE FROM id_sequences WHERE name = 'a'; SELECT idgen_create('a')});
$since = draw_and_evict($a, 'a');
my $native_since = draw_and_evict($native, 'native');
$node->restart;
is_counted($a, 'a', $sixth, $since, 'over a clean restart');
is_counted($native, 'native', $sixth, $native_since, '… and of a native sequence');

# A session that knows what is kept of it, as it has put it there
my $session = $node->background_psql('postgres');
sub evict_by_session
{
	$session->query_safe(q{SELECT idgen_next('b'), idgen_next('c') FROM generate_series(1, 2)});
	return;
}

foreach my $round (1 .. 2)
{
	evict_by_session();
	$node->safe_psql('postgres', q{BEGIN; DELETE FROM id_sequences WHERE name = 'a'; ROLLBACK});
	is($node->safe_psql('postgres', q{SELECT counted_since IS NOT NULL FROM idgen_health WHERE name = 'a'}),
		$is_kept ? 't' : 'f', 'a row that was not deleted after all');
	$node->safe_psql('postgres', q{DELETE FROM id_sequences WHERE name = 'a'; SELECT idgen_create('a')});
	is_counted($a, 'a', $first, $since, 'a row that was deleted, and made anew');
}
evict_by_session();
$node->safe_psql('postgres', q{UPDATE id_sequences SET name = 'd' WHERE name = 'a'; SELECT idgen_create('a')});
is_counted($a, 'a', $first, $since, 'a row that was renamed, and made anew');
evict_by_session();
$node->safe_psql('postgres', q{TRUNCATE id_sequences; SELECT idgen_create(name) FROM unnest('{a,b,c}'::text[]) AS name});
is_counted($a, 'a', $first, $since, 'a table that was truncated');
$session->quit;

# What the server has of them
sub kept_objects
{
	my ($oid) = @_;
	return $node->safe_psql('postgres',
		"SELECT pg_stat_have_stats('idgen', (SELECT oid FROM pg_database WHERE datname = 'postgres'), $oid)");
}

# What the server says of its statistics when it starts without the library
sub start_without_library
{
	my $from = -s $node->logfile;

	$node->stop;
	$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
	$node->start;
	return join('', slurp_file($node->logfile, $from) =~ /^.*statistics file.*$/mg);
}

if ($is_kept)
{
	my $oid = $node->safe_psql('postgres', q{SELECT 'native_seq'::regclass::oid});

	draw_and_evict($native, 'native');
	is(kept_objects($oid), 't', 'there are statistics of the native sequence');
	$node->safe_psql('postgres', 'BEGIN; DROP SEQUENCE native_seq; COMMIT');
	is(kept_objects($oid), 'f', 'they go with it');
	$node->safe_psql('postgres', 'CREATE SEQUENCE native_seq INCREMENT BY 10');
	$oid = $node->safe_psql('postgres', q{SELECT 'native_seq'::regclass::oid});
	draw_and_evict($native, 'native');
	$node->safe_psql('postgres', 'DROP EXTENSION idgen');
	is(kept_objects($oid), 'f', 'with the extension');
	$node->safe_psql('postgres', 'CREATE EXTENSION idgen; DROP SEQUENCE native_seq');
	set_up();

	# A rollback of a prepared transaction
	$since = draw_and_evict($a, 'a');
	$node->safe_psql('postgres', q{BEGIN; DELETE FROM id_sequences WHERE name = 'a'; PREPARE TRANSACTION 'p'; ROLLBACK PREPARED 'p'});
	is_counted($a, 'a', $sixth, $since, 'a row whose deletion was prepared, and rolled back');

	$since = draw_and_evict($a, 'a');
	$node->stop('immediate');
	$node->start;
	is_counted($a, 'a', $first, $since, 'after a crash');

	$node->append_conf('postgresql.conf', 'idgen.max_idle_sequences = 0');
	$node->restart;
	$since = draw_and_evict($a, 'a');
	is_counted($a, 'a', $first, $since, 'nothing is kept of idle id sequences');

	# Without the library, the server does not understand what it has kept. So
	# docs/installation.md, "Removing", says what to do before.
	$node->append_conf('postgresql.conf', 'idgen.max_idle_sequences = 100');
	$node->restart;
	draw_and_evict($a, 'a');
	$node->safe_psql('postgres', 'SELECT idgen_stats_reset()');
	is(start_without_library(), '', 'idgen_stats_reset() leaves nothing that the server cannot read');
	$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "'idgen'");
	$node->restart;
	draw_and_evict($a, 'a');
	like(start_without_library(), qr/corrupted statistics file/, 'without that, there would be something');
}

$node->stop;
done_testing();
