# Clocks that are set, forward or back, on a server that leases its number or at
# the centre: no server has a number for longer than the centre gives it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

my $centre = idgen_server('centre');

# Before 16, the server starts its workers in a signal handler, within a call
# that libfaketime replaces: they have the true time for good.
if ($centre->pg_version < 16)
{
	$centre->stop;
	plan skip_all => 'a worker of this server has no other clock';
}
my $node = leasing_server('node', $centre, 300);

$_->stop foreach ($centre, $node);
start_with_clock($_, '+0') foreach ($centre, $node);
is(wait_for_number($node), '1', 'the number');

sub seconds
{
	my ($at, $expression) = @_;
	return $at->safe_psql('postgres', "SELECT round(extract(epoch FROM $expression))");
}

# Forward on the server: its lease may have ended. It asks, and all is well.
set_clock($node, '+3600');
is(node_number($node), '1', 'an hour forward: it leases at once');
is(seconds($node, '(SELECT node_leased_until - clock_timestamp() FROM idgen_server)'), '270', 'for the usual time');
is(seconds($centre, '(SELECT leased_until - clock_timestamp() FROM idgen_nodes WHERE number = 1)'), '300', 'the centre goes by its own clock');
is(seconds($centre, '(SELECT used_until - clock_timestamp() FROM idgen_nodes WHERE number = 1)'), '3870', 'and knows how far ids may go');

# Without the centre, there are none, and the lease does not become longer when
# the clock is set back.
$centre->stop;
set_clock($node, '+7200');
is(node_number($node), '55000', 'two hours forward, and the centre is away');
set_clock($node, '+3600');
is(node_number($node), '1', 'set back: the lease lasts still');
set_clock($node, '+3595');
is(node_number($node), '1', 'a little further');
is($node->safe_psql('postgres', q{SELECT node_id FROM idgen_server}), '1', 'says the view');

# Another server does not get the number as long as ids of it may be ahead of
# its clock, even if the lease has ended and the number is released.
start_with_clock($centre, '+0');
$node->stop;
set_clock($centre, '+400');
$centre->safe_psql('postgres', 'SELECT idgen_reserve_node(1, NULL)');
my $other = leasing_server('other', $centre, 300);
is(node_number($other), '2', 'ids of the number are ahead of the clock');

# Back on a server that has only just got its number: as without a lease.
is(sqlstate($other, 'SELECT idgen_unique_id()'), '', 'ids before');
$_->stop foreach ($centre, $other);
done_testing();
