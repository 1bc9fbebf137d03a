# Where the server copies native sequences to subscribers when it is told to
# (PostgreSQL 19), ids of native sequences, too, are unique when servers change
# places as planned, and back again.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $a = idgen_server('a', init => [ allows_streaming => 'logical' ], conf => "idgen.worker_idle_timeout = '100ms'\n");
plan skip_all => 'PostgreSQL 19 copies sequences' if $a->pg_version < 19;

create_all_kinds($a);
my $b = plain_server(
	'b',
	init => [ allows_streaming => 'logical' ],
	conf => "shared_preload_libraries = 'idgen'\nidgen.worker_idle_timeout = '100ms'\n");
my $schema = $a->basedir . '/schema.sql';
$a->command_ok([ 'pg_dump', '--schema-only', '-f', $schema, 'postgres' ], 'pg_dump');
$b->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'postgres', '-f', $schema ], 'the same schema');
foreach my $server ($a, $b)
{
	$server->safe_psql('postgres', 'CREATE PUBLICATION p FOR TABLE id_sequences, counter, drawn');
	$server->safe_psql('postgres', 'CREATE PUBLICATION s FOR ALL SEQUENCES');
}
my @ids;

# Have a server follow another one; options of the subscription.
sub subscribe
{
	my ($server, $publisher, $options) = @_;
	my $connstr = $publisher->connstr . ' dbname=postgres';

	$server->safe_psql('postgres',
		"CREATE SUBSCRIPTION to_" . $server->name . " CONNECTION '$connstr' PUBLICATION p, s $options");
	wait_until_copied($server);
	return;
}

sub wait_until_copied
{
	my ($server) = @_;

	$server->poll_query_until('postgres', q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel})
	  or die 'the first copy takes too long';
	return;
}

# Have a server take over that has followed another one, which has drawn.
sub take_over
{
	my ($server, $publisher, @clients) = @_;
	my $subscription = 'to_' . $server->name;

	terminate_clients($publisher, @clients);
	push @ids, issued_ids(@clients);
	wait_for_no_worker($publisher); # it may be about to allocate more
	$publisher->wait_for_catchup($subscription);
	$server->safe_psql('postgres', "ALTER SUBSCRIPTION $subscription REFRESH SEQUENCES");
	wait_until_copied($server);
	$server->safe_psql('postgres', "DROP SUBSCRIPTION $subscription");
	return;
}

subscribe($b, $a, '');
my @clients = start_all_kinds($a, 3);
wait_for_ids(300, @clients);
take_over($b, $a, @clients);
isnt($a->safe_psql('postgres', q{SELECT count(*) FROM idgen_cache WHERE name LIKE 'native%'}),
	'0', 'the first server still has ids of native sequences');

subscribe($a, $b, 'WITH (copy_data = false)');
@clients = start_all_kinds($b, 3);
wait_for_ids(300, @clients);
is(duplicates(@ids, issued_ids(@clients)), '', 'the second server issues other ids');
take_over($a, $b, @clients);

@clients = start_all_kinds($a, 3);
wait_for_ids(300, @clients);
finish_clients(@clients);
is(duplicates(@ids, issued_ids(@clients)), '', 'and so does the first one, when it draws again');

$_->stop foreach ($a, $b);
done_testing();
