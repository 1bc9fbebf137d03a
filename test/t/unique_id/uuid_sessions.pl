# Many sessions draw UUIDs: each session's ascend, one that is drawn after
# another was seen is greater, whichever session draws it, and no two sessions
# share a tick or random bits.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('uuid_sessions');

# Every client notes its UUIDs in the order in which it has drawn them.
my $script = PostgreSQL::Test::Utils::tempdir() . '/script';
append_to_file(
	$script, q{
\set n :n + 1
INSERT INTO seen SELECT :client_id, :n * 10000 + i, idgen_unique_uuid() FROM generate_series(1, 2000) AS i;
});
$node->safe_psql('postgres', 'CREATE UNLOGGED TABLE seen (client integer, n integer, id uuid)');
my $clients = IPC::Run::start(
	[
		$node->installed_command('pgbench'), '-n', '-c', 8, '-j', 2, '-t', 25, '-D', 'n=0',
		'-f', $script, $node->connstr('postgres')
	],
	'>', \my $stdout,
	'2>', \my $stderr);
$node->poll_query_until('postgres', 'SELECT count(DISTINCT client) > 1 FROM seen') or die 'nobody draws';

# Two sessions by turns; the order is that in which they saw them.
my @sessions = map { $node->background_psql('postgres') } 1 .. 2;
my @turns = map { $sessions[ $_ % 2 ]->query_safe('SELECT idgen_unique_uuid()') } 1 .. 60;
$_->quit foreach @sessions;
is(scalar(grep { $turns[$_] le $turns[ $_ - 1 ] } 1 .. $#turns), 0, 'by turns: UUIDs ascend');

ok($clients->finish, 'clients are done') or diag $stderr;
# the first 70 bits are the tick, with version and variant among them
is( $node->safe_psql(
		'postgres', q{
		WITH bits AS (SELECT client, n, id, ('x' || replace(id::text, '-', ''))::bit(128) AS bits FROM seen)
		SELECT count(*), count(DISTINCT substring(bits, 1, 70)), count(DISTINCT substring(bits, 71)), count(*) FILTER (WHERE not_up)
		FROM (SELECT bits, id <= lag(id) OVER (PARTITION BY client ORDER BY n) AS not_up FROM bits) AS s}),
	'400000|400000|400000|0',
	'no tick and no random bits are there twice, and those of a client ascend');

# Random bits are not inherited from session to session.
my @rest = map { substr($node->safe_psql('postgres', 'SELECT idgen_unique_uuid()'), 24) } 1 .. 20;
is(duplicates(@rest), '', 'each session has random bits of its own');

$node->stop;
done_testing();
