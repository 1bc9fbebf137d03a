# pg_stat_activity shows what is waited for: the worker, or another server. (Up
# to PostgreSQL 16, an extension's events have no names of their own.)
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => "idgen.worker_timeout = '100s'\nidgen.server_timeout = '100s'\n");

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('remote', 1, 20)});
create_remote('remote', '', $node);
$node->safe_psql('postgres', q{SELECT idgen_create('here', refill => 'worker')});

# Somebody holds the row of an id sequence there, while a session here needs it.
sub shows
{
	my ($there, $name, $event) = @_;
	my $shown = $node->pg_version->major >= 17 ? $event : 'Extension';
	my $holder = $there->background_psql('postgres');

	$holder->query_safe("BEGIN; SELECT FROM id_sequences WHERE name = '$name' FOR UPDATE");
	my $session = start_statement($node, "SELECT idgen_next('$name')");
	ok( $node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Extension' AND wait_event = '$shown'"),
		"$event");
	$holder->query_safe('COMMIT');
	is($session->query_safe(''), '1', 'the wait ends');
	$_->quit for $holder, $session;
	return;
}

shows($node, 'here', 'IdgenWorker');
shows($centre, 'remote', 'IdgenServer');

$node->stop;
$centre->stop;
done_testing();
