# A subscriber of id_sequences takes over, as planned or because the publisher
# has died, and nothing that anybody has seen is issued again. What a server has
# cached from when it was the one to draw from stays its own while it is a
# subscriber.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# All but native sequences, of which logical replication knows nothing
my @kinds = qw(own small large gapless early worker worker_small fun);
my $cached = q{SELECT string_agg(c::text, ' ' ORDER BY name, first_id) FROM idgen_cache c};

my $a = idgen_server('a', init => [ allows_streaming => 'logical' ], conf => "idgen.worker_idle_timeout = '100ms'\n");
create_all_kinds($a);
my $b = plain_server('b', init => [ allows_streaming => 'logical' ], conf => "shared_preload_libraries = 'idgen'\n");
my $schema = $a->basedir . '/schema.sql';
$a->command_ok([ 'pg_dump', '--schema-only', '-f', $schema, 'postgres' ], 'pg_dump');
$b->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'postgres', '-f', $schema ], 'the same schema');
$_->safe_psql('postgres', 'CREATE PUBLICATION p FOR TABLE id_sequences, counter, drawn') foreach ($a, $b);

# Have a server follow another one; options of the subscription.
sub subscribe
{
	my ($server, $publisher, $options) = @_;
	my $connstr = $publisher->connstr . ' dbname=postgres';

	$server->safe_psql('postgres',
		"CREATE SUBSCRIPTION to_" . $server->name . " CONNECTION '$connstr' PUBLICATION p $options");
	return;
}

# All has been drawn on the one server, and the other one has heard of it.
subscribe($b, $a, '');
my @clients = start_all_kinds($a, 3, kinds => \@kinds);
$b->wait_for_subscription_sync($a, 'to_b');
wait_for_ids(300, @clients);
is($b->safe_psql('postgres', $cached), '', 'the subscriber has nothing cached');
terminate_clients($a, @clients);
my @ids = issued_ids(@clients);
my %drawn = map { $_ => 1 } @ids, drawn_ids($a);
wait_for_no_worker($a); # it may be about to allocate more
$a->wait_for_catchup('to_b');
$b->safe_psql('postgres', 'DROP SUBSCRIPTION to_b');
my $left = $a->safe_psql('postgres', $cached);
isnt($left, '', 'the first server has something cached');

# They change places. Commits wait for the subscriber now.
subscribe($a, $b, 'WITH (copy_data = false, synchronous_commit = on)');
make_synchronous($b, 'to_a');
@clients = start_all_kinds($b, 3, kinds => \@kinds);
wait_for_ids(300, @clients);
is($a->safe_psql('postgres', $cached), $left, 'as a subscriber it still has');
kill_server($b);
finish_clients(@clients);
push @ids, issued_ids(@clients);
is(duplicates(@ids), '', 'planned: no id is issued a second time');

# Back again, without the other server
$a->safe_psql('postgres', $_) foreach (
	'ALTER SUBSCRIPTION to_a DISABLE',
	'ALTER SUBSCRIPTION to_a SET (slot_name = NONE)',
	'DROP SUBSCRIPTION to_a');
%drawn = (%drawn, map { $_ => 1 } @ids, drawn_ids($a));
@clients = start_all_kinds($a, 3, kinds => \@kinds);
wait_for_ids(300, @clients);
terminate_clients($a, @clients);
is(duplicates(keys %drawn, issued_ids(@clients)), '', 'not planned: no id is issued a second time');

$a->stop;
done_testing();
