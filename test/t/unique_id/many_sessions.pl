# Many sessions draw time-ordered ids of both kinds, while the number of the
# node changes: no id is issued twice, each session's ids ascend, and an id that
# is drawn after another one was seen is greater, whichever session draws it. No
# two UUIDs share a tick or random bits.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('many');

sub set_node
{
	my ($number) = @_;

	$node->safe_psql('postgres', "ALTER SYSTEM SET idgen.node_id = $number");
	$node->safe_psql('postgres', 'SELECT pg_reload_conf()');
	$node->poll_query_until('postgres', "SELECT current_setting('idgen.node_id') = '$number'") or die 'not set';
	return;
}

is(sqlstate($node, "ALTER SYSTEM SET idgen.node_id = $_"), '22023', "there is no node $_") foreach (-1, 1024);

# Every client notes its ids in the order in which it has drawn them.
my $script = PostgreSQL::Test::Utils::tempdir() . '/script';
append_to_file(
	$script, q{
\set n :n + 1
INSERT INTO seen SELECT :client_id, :n * 10000 + i, idgen_unique_id(), idgen_unique_uuid() FROM generate_series(1, 2000) AS i;
});
$node->safe_psql('postgres', 'CREATE UNLOGGED TABLE seen (client integer, n integer, id bigint, uuid uuid)');
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
my (@turns, @uuid_turns);
foreach my $number (1023, 5, 512)
{
	set_node($number);
	foreach (1 .. 20)
	{
		push @turns, $sessions[ $_ % 2 ]->query_safe('SELECT idgen_unique_id()');
		push @uuid_turns, $sessions[ $_ % 2 ]->query_safe('SELECT idgen_unique_uuid()');
	}
}
$_->quit foreach @sessions;
is(scalar(grep { $turns[$_] <= $turns[ $_ - 1 ] } 1 .. $#turns), 0, 'by turns: ids ascend');
is(scalar(grep { $uuid_turns[$_] le $uuid_turns[ $_ - 1 ] } 1 .. $#uuid_turns), 0, 'by turns: UUIDs ascend');

ok($clients->finish, 'clients are done') or diag $stderr;
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE not_up) FROM (
			SELECT id, id <= lag(id) OVER (PARTITION BY client ORDER BY n) AS not_up FROM seen) s}),
	'400000|400000|0',
	'no id was issued twice, and those of a client ascend');
is($node->safe_psql('postgres', 'SELECT count(*) FROM seen WHERE id IN (' . join(',', @turns) . ')'), '0', 'nor one of the turns');
is(join(' ', map { ($_ >> 12) & 1023 } @turns[ 19, 39, 59 ]), '1023 5 512', 'all nodes were used');

# the first 70 bits are the tick, with version and variant among them
is( $node->safe_psql(
		'postgres', q{
		WITH bits AS (SELECT client, n, uuid, ('x' || replace(uuid::text, '-', ''))::bit(128) AS bits FROM seen)
		SELECT count(*), count(DISTINCT substring(bits, 1, 70)), count(DISTINCT substring(bits, 71)), count(*) FILTER (WHERE not_up)
		FROM (SELECT bits, uuid <= lag(uuid) OVER (PARTITION BY client ORDER BY n) AS not_up FROM bits) AS s}),
	'400000|400000|400000|0',
	'no tick and no random bits are there twice, and the UUIDs of a client ascend');

# Random bits are not inherited from session to session.
my @rest = map { substr($node->safe_psql('postgres', 'SELECT idgen_unique_uuid()'), 24) } 1 .. 20;
is(duplicates(@rest), '', 'each session has random bits of its own');

$node->stop;
done_testing();
