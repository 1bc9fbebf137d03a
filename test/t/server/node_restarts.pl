# A node that is stopped, or crashes, goes on with new blocks of the centre:
# what it had cached, a copy of it could have, too. No id is issued twice,
# neither there nor on another node.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my @nodes = idgen_nodes(2, centres => [$centre]);
my $node = $nodes[0];

$centre->safe_psql('postgres', q{
	INSERT INTO id_sequences VALUES ('own', 1, 20), ('worker', 1, 20), ('small', 1, 3), ('small_worker', 1, 3)});
create_remote($_, '', @nodes) foreach ('own', 'small');
create_remote($_, q{refill => 'worker'}, @nodes) foreach ('worker', 'small_worker');

sub draw
{
	my ($node) = @_;
	return $node->safe_psql('postgres', q{SELECT idgen_next('own'), idgen_next('worker')});
}

is(draw($nodes[0]), '1|1', 'ids');
is(draw($nodes[1]), '21|21', 'and on another node');
$node->restart;
is(draw($node), '41|41', 'after a restart, new blocks');
$node->stop('immediate');
$node->start;
is(draw($node), '61|61', 'after a crash, new blocks');

# One more node, made by copying one that is stopped
$node->stop;
$node->backup_fs_cold('cold');
push @nodes, PostgreSQL::Test::Cluster->new('copy');
$nodes[2]->init_from_backup($node, 'cold');
$_->start foreach ($node, $nodes[2]);
is(join(' ', map { draw($_) } ($node, $nodes[2], $node, $nodes[2])), '81|81 101|101 82|82 102|102', 'each has blocks of its own');
is(draw($nodes[1]), '22|22', 'another node has not noticed');

# Under load
my (@seen, @other);
@other = start_clients($nodes[1], 3, q{
SELECT 'small ' || idgen_next('small') FROM pg_sleep(0.002);
SELECT 'small_worker ' || idgen_next('small_worker') FROM pg_sleep(0.002);
}, times => 20_000);
foreach my $mode ('fast', 'immediate')
{
	my @clients = start_clients($node, 4, q{
SELECT 'small ' || idgen_next('small');
SELECT 'small_worker ' || idgen_next('small_worker');
BEGIN;
SELECT 'small ' || idgen_next('small');
ROLLBACK;
SELECT 'own ' || idgen_next('own');
SELECT 'worker ' || idgen_next('worker');
});
	wait_for_ids(50, @clients);
	$node->stop($mode);
	finish_clients(@clients);
	push @seen, seen_ids(@clients);
	unlike(join('', map { slurp_file($_->{err}) } @clients), qr/ERROR/, "$mode shutdown: nobody met with an error before");
	$node->start;
}
wait_for_ids(50, @other);
terminate_clients($nodes[1], @other);
push @seen, seen_ids(@other);
cmp_ok(scalar @seen, '>', 500, 'clients saw ids');
is(duplicates(@seen), '', 'no id was issued twice');
is(not_allocated($centre, @seen), '', 'no id is beyond what the centre has allocated');

$_->stop foreach (@nodes, $centre);
done_testing();
