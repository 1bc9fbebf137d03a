# The answers to two refills arrive in another order than the centre has given
# them. The one that comes last cannot be told from that of a centre that has
# gone back meanwhile: it is not used, and who has asked asks again.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Proxy;
use Test::More;

my $centre = central_server('centre');
my $proxy = Proxy->new($centre);
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 10), ('y', 1, 10)});
my ($node) = idgen_nodes(1, centres => [$proxy], conf => q{deadlock_timeout = '10ms'});
create_remote($_, '', $node) foreach ('x', 'y');

# Lead the node to the centre, or to the proxy before it.
sub lead_to
{
	my ($where) = @_;

	$node->safe_psql('postgres', sprintf("ALTER SERVER central OPTIONS (%s)", server_options($where) =~ s/(\w+ ')/SET $1/gr));
}

# The worker asks for the first session, and the centre lets it wait for the
# row; then its answer is held up.
my $lock = $centre->background_psql('postgres');
$lock->query_safe(q{BEGIN; SELECT FROM id_sequences FOR UPDATE});
my $first = start_statement($node, q{SELECT idgen_next('x')}, q{SET idgen.worker_start_timeout = '100s'; SET idgen.worker_timeout = '100s'});
$centre->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted}) or die 'the centre is not asked';
$proxy->hold;
$lock->query_safe('COMMIT');
$centre->poll_query_until('postgres', q{SELECT next_block_start = 11 FROM id_sequences WHERE name = 'x'}) or die 'the centre has not allocated';

# A second one asks by itself, and gets to the centre by another way.
lead_to($centre);
is($node->safe_psql('postgres', q{SET idgen.server_timeout = '5s'; SELECT idgen_next('x')}), '11', 'the second one is first');
$proxy->pass;
is($first->query(''), '12', 'the first one does not get what it was given late');
cmp_ok($node->safe_psql('postgres', q{SELECT last_id FROM idgen_centre_marks WHERE name = 'x'}), '>=', 20, 'nothing was set back');

# To peek is no reason to take a centre for one that has gone back, either: the
# answer is there, and held up, when another session refills.
$node->safe_psql('postgres', q{SELECT idgen_next_range('y', 10)});
$lock->query_safe(q{BEGIN; LOCK TABLE id_sequences});
lead_to($proxy);
my $peek = start_statement($node, q{SELECT idgen_peek('y')});
$centre->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted}) or die 'the centre is not asked';
$proxy->hold;
$lock->query_safe('COMMIT');
$centre->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'idgen' AND state = 'active'})
  or die 'the centre has not answered';
lead_to($centre);
is($node->safe_psql('postgres', q{SET idgen.server_timeout = '5s'; SELECT idgen_next('y')}), '11', 'another session has refilled meanwhile');
$proxy->pass;
is($peek->query(''), '11', 'to peek answers what came next when it asked');

$_->quit foreach ($first, $peek, $lock);
$_->stop foreach ($node, $centre);
done_testing();
