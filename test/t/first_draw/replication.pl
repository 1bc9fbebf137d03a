# What a row was found to say does not outlive a change that arrives by logical
# replication, in one phase or in two, or while the server was a standby.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @settings = (
	init => [ allows_streaming => 'logical' ],
	conf => "autovacuum = off\nmax_prepared_transactions = 10\nidgen.node_id = 1\n");
my $publisher = idgen_server('publisher', @settings);
my $subscriber = idgen_server('subscriber', @settings);
my $plain = qr/^\d{1,2}$/;
my $composed = qr/^1\d{18}$/;

# A draw of a new session
sub draw
{
	my ($node, $name) = @_;
	return $node->safe_psql('postgres', "SELECT idgen_next('$name')");
}

# Says another layout, and leaves cached ids alone: they may come before these.
sub composed
{
	my ($name) = @_;
	return "UPDATE id_sequences SET layout = 'session', next_block_start = 1001 WHERE name = '$name'";
}

$publisher->safe_psql(
	'postgres', q{
	SELECT idgen_create('one_phase'), idgen_create('two_phases'), idgen_create('promoted');
	CREATE PUBLICATION p FOR TABLE id_sequences});
my $connstr = $publisher->connstr . ' dbname=postgres';
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION s CONNECTION '$connstr' PUBLICATION p WITH (two_phase = on)");
$subscriber->wait_for_subscription_sync($publisher, 's');

foreach my $name (qw(one_phase two_phases))
{
	like(draw($subscriber, $name), $plain, "$name: before") for 1, 2;
}
$publisher->safe_psql('postgres', composed('one_phase'));
$publisher->wait_for_catchup('s');
like(draw($subscriber, 'one_phase'), $composed, 'a change that arrives');

$publisher->safe_psql('postgres', 'BEGIN; ' . composed('two_phases') . "; PREPARE TRANSACTION 'p'");
$publisher->wait_for_catchup('s');
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts'), '1', 'a prepared one arrives');
my (undef, undef, $waits) = $subscriber->psql('postgres', q{SET lock_timeout = '10ms'; SELECT idgen_next('two_phases')});
like($waits, qr/lock timeout/, 'a refill waits for its end');
$publisher->safe_psql('postgres', "COMMIT PREPARED 'p'");
$publisher->wait_for_catchup('s');
like(draw($subscriber, 'two_phases'), $composed, 'and then it is');

# A standby lets nobody know what a row says.
$subscriber->stop;
my $standby = start_standby($publisher, 'standby');
is(draw($publisher, 'promoted'), '1', 'the primary draws');
$publisher->wait_for_catchup($standby);
is($standby->safe_psql('postgres', "SELECT idgen_peek('promoted')"), '21', 'the standby looks') for 1, 2;
my ($ret, $stdout, $stderr) = $standby->psql('postgres', "SELECT idgen_next('promoted')");
like($stderr, qr/read-only transaction/, 'but does not draw');
$publisher->safe_psql('postgres', composed('promoted'));
$publisher->wait_for_catchup($standby);
$publisher->stop('immediate');
$standby->promote;
like(draw($standby, 'promoted'), $composed, 'promoted');

$standby->stop;
done_testing();
