# With idgen.auto_create, many sessions may meet the same new name at once: one
# of them makes the row, and all of them get ids from it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('create', conf => q{
max_connections = 30
idgen.auto_create = on
idgen.default_block_size = 3
});

$node->safe_psql('postgres', 'CREATE TABLE drawn (sequence text, id bigint, PRIMARY KEY (sequence, id))');

# All clients go through the same names, one transaction each, so they meet at
# most of them. Some roll back, which takes the row along that they made.
my $draw = q{
\set number (:serial / 4)
\set serial (:serial + 1)
BEGIN ISOLATION LEVEL REPEATABLE READ;
INSERT INTO drawn VALUES ('s' || :number, idgen_next('s' || :number));
COMMIT;
};
my $roll_back = $draw =~ s/COMMIT/ROLLBACK/r;

$node->pgbench(
	'-n -c 16 -j 2 -t 160 -D serial=0', 0,
	[qr{processed: 2560/2560}], [qr/^$/],
	'many sessions meet new names',
	{ 'commit@3' => $draw, 'rollback@1' => $roll_back });

is( $node->safe_psql(
		'postgres', q{
		SELECT count(*), count(DISTINCT name), min(block_size), max(block_size) FROM id_sequences}),
	'40|40|3|3', 'there is one row for each name');
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*) FROM drawn JOIN id_sequences ON name = sequence WHERE id >= next_block_start}),
	'0', 'no id is beyond what its row says');

$node->stop;
done_testing();
