# Whatever an administrator does to id_sequences while many sessions draw: the
# table is rewritten, moved, vacuumed, gets further columns and another index,
# its row versions pile up. Nothing fails and no id is issued twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('maintenance', init => [ allows_streaming => 1 ], conf => 'max_connections = 30');

$node->safe_psql(
	'postgres', q{
	CREATE TABLE drawn (sequence text, id bigint, PRIMARY KEY (sequence, id));
	SELECT idgen_create('two', block_size => 2), idgen_create('gapless', block_size => 1);
	SELECT idgen_create('filler' || i) FROM generate_series(1, 200) i});

# Rows have to be found behind many dead versions, away from the page where they
# began, since this session might want to see all of them. It has no lock.
my $old_snapshot = $node->background_psql('postgres');
$old_snapshot->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_snapshot()');

my $script = $node->basedir . '/draw';
append_to_file($script, q{
\set end random(0, 4)
BEGIN;
INSERT INTO drawn SELECT 'two', idgen_next('two') FROM generate_series(1, 5);
INSERT INTO drawn VALUES ('gapless', idgen_next('gapless'));
\if :end = 0
ROLLBACK;
\else
COMMIT;
\endif
});
my ($stdout, $stderr) = ('', '');
my $pgbench = IPC::Run::start(
	[ 'pgbench', '-n', '-c', 8, '-j', 2, '-t', 1200, '-f', $script, $node->connstr('postgres') ],
	'>', \$stdout,
	'2>', \$stderr);

sub wait_for_rows
{
	my ($rows) = @_;
	$node->poll_query_until('postgres', "SELECT count(*) > $rows FROM drawn")
	  or die 'the load does not go on';
	return;
}

my $rows = 500;
my @since_19 = ('REPACK id_sequences', 'REPACK (CONCURRENTLY) id_sequences USING INDEX id_sequences_pkey');
foreach my $statement (
	'VACUUM id_sequences',
	'ANALYZE id_sequences',
	'REINDEX TABLE id_sequences',
	'REINDEX TABLE CONCURRENTLY id_sequences',
	'VACUUM FULL id_sequences',
	'CLUSTER id_sequences USING id_sequences_pkey',
	'ALTER TABLE id_sequences SET (fillfactor = 100)',
	"ALTER TABLE id_sequences ALTER time_zone SET DEFAULT 'UTC'",
	'ALTER TABLE id_sequences ALTER refilled_at TYPE timestamptz USING clock_timestamp()',
	'CREATE INDEX CONCURRENTLY ON id_sequences (next_block_start)',
	'ALTER TABLE id_sequences SET UNLOGGED',
	'ALTER TABLE id_sequences SET LOGGED',
	$node->pg_version >= 19 ? @since_19 : ())
{
	wait_for_rows($rows += 2000);

	# This waits for everybody who might still see the old state.
	if ($old_snapshot && $statement =~ /CONCURRENTLY/)
	{
		$old_snapshot->query_safe('COMMIT');
		$old_snapshot->quit;
		undef $old_snapshot;
	}
	my ($ret, undef, $error) = $node->psql('postgres', $statement,
		timeout => $PostgreSQL::Test::Utils::timeout_default);
	is($error, '', $statement);
}
wait_for_rows($rows + 2000);
$pgbench->finish;
is($stderr, '', 'no session failed');
like($stdout, qr{processed: 9600/9600}, 'all of them drew to the end');

is( $node->safe_psql(
		'postgres', q{
		SELECT sequence, count(*) > 2000, min(id) FROM drawn GROUP BY sequence ORDER BY sequence;
		SELECT max(id) - count(*) FROM drawn WHERE sequence = 'gapless';
		SELECT count(*) FROM drawn JOIN id_sequences ON name = sequence WHERE id >= next_block_start}),
	"gapless|t|1\ntwo|t|1\n0\n0", 'every id is as it should be');

$node->stop;
done_testing();
