# The centre crashes and its synchronous standby takes over. The nodes, which
# know both, go on by themselves, and no id is issued twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Others need not wait for the standby.
my $primary = central_server('primary', init => [ allows_streaming => 1 ], conf => q{
max_connections = 40
synchronous_commit = off
});
$primary->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 3), ('worker', 1, 3), ('single', 1, 1)});

my $standby = start_standby($primary, 'standby');
make_synchronous($primary, $standby);

# One node tries the standby first, which is no centre as long as it is one.
my @nodes = idgen_nodes(2, centres => [ $primary, $standby ]);
my $options = server_options($standby, $primary) =~ s/(\w+ ')/SET $1/gr;
$nodes[1]->safe_psql('postgres', "ALTER SERVER central OPTIONS ($options)");
create_remote($_, '', @nodes) foreach ('x', 'single');
create_remote('worker', q{refill => 'worker'}, @nodes);

my @sessions = map { $_->background_psql('postgres') } @nodes;
is($_->query_safe(q{SELECT count(idgen_next('single')) FROM generate_series(1, 10)}), '10', 'ids') foreach @sessions;

my @clients = map { [ start_node_clients($_) ] } @nodes;
my @all = map { @$_ } @clients;
wait_for_ids(100, @all);
$primary->stop('immediate');
$standby->promote;
wait_for_ids(100, @all);
is($sessions[0]->query_safe(q{SELECT idgen_next('single')}), '21', 'a session that has slept meanwhile');
is($sessions[1]->query_safe(q{SELECT idgen_next('single')}), '22', 'another one');
terminate_clients($nodes[$_], @{ $clients[$_] }) foreach (0, 1);

is( join("\n", grep { !/^57P01: terminating connection due to administrator command/ } client_errors(@all)),
	'', 'clients have met with no errors');

my @ids = seen_ids(@all);
is(duplicates(@ids), '', 'no id was issued twice');
is(not_allocated($standby, @ids), '', 'no id is beyond what the new centre has allocated');

$_->quit foreach @sessions;
$_->stop foreach (@nodes, $standby);
done_testing();
