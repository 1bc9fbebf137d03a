# A transaction that has changed the row of a native sequence keeps what it
# draws then to itself. It may roll back, and its client has seen the ids: after
# a crash, none of them is issued again.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The server has WAL to lose that nobody has written to disk.
my $node = idgen_server('sequence_pending', conf => "wal_writer_delay = 10s\ncheckpoint_timeout = 1h\n");

run_sql($node, q{
	CREATE SEQUENCE s_seq INCREMENT 3;
	SELECT idgen_create('s', source => 'sequence')});
foreach my $change (q{format = 'x{id}'}, q{block_size = 5})
{
	my $id = run_sql($node, "BEGIN; UPDATE id_sequences SET $change WHERE name = 's'; SELECT idgen_next('s'); ROLLBACK");

	$node->stop('immediate');
	$node->start;
	cmp_ok(run_sql($node, q{SELECT idgen_next('s')}), '>', $id, "$change, rolled back, a crash");
}
$node->stop;
done_testing();
