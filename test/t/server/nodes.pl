# Several servers draw from id sequences of a central one at once, with refills
# by transactions, by workers, and both: no id is issued twice, also none that
# was drawn in a transaction or savepoint that was rolled back, and what the
# centre has allocated is issued or cached.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my @nodes = idgen_nodes(3, centres => [$centre]);
my @names = ('own', 'worker', 'mixed');
my $rounds = 15;

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('own', 1, 3), ('worker', 1, 3), ('mixed', 1, 3)});
create_remote('own', '', @nodes);
create_remote('worker', q{refill => 'worker'}, @nodes);
create_remote('mixed', '', $nodes[0]);
create_remote('mixed', q{refill => 'worker'}, @nodes[ 1, 2 ]);

# One id, and a range of more than a block
sub draw
{
	my ($name) = @_;
	return qq{
SELECT '$name ' || idgen_next('$name');
SELECT '$name ' || id FROM idgen_next_range('$name', 4) r, generate_series(r.first_id, r.last_id) id;
};
}

my @clients = map {
	start_clients(
		$_, 4, join('',
			map {
				my $draw = draw($_);
				qq{
$draw
BEGIN;
$draw
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
$draw
SAVEPOINT a;
$draw
ROLLBACK TO a;
$draw
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SAVEPOINT a;
$draw
ROLLBACK TO a;
$draw
COMMIT;
}
			} @names), times => $rounds)
} @nodes;
finish_clients(@clients);

my @ids = seen_ids(@clients);

is(join("\n", client_errors(@clients)), '', 'nobody met with an error');
is(scalar @ids, @clients * $rounds * @names * 35, 'everybody got ids');
is(duplicates(@ids), '', 'no id was issued twice');
is(not_allocated($centre, @ids), '', 'no id is beyond what the centre has allocated');

foreach my $name (@names)
{
	is(missing_ids($name, scalar(grep { /^$name / } @ids), $centre, @nodes), 0, "$name: no id is missing");
	is(join(' ', map { $_->safe_psql('postgres', "SELECT blocks_taken > 50 FROM idgen_stats WHERE name = '$name'") } @nodes),
		't t t', "$name: every node has taken many blocks");
}

$_->stop foreach (@nodes, $centre);
done_testing();
