# A backend that is killed while it refills from a native sequence, with others
# waiting for it, takes the server down. Nobody waits for it after that, and no
# id is issued again.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# A refill waits for a standby that never comes, if its session wants that, and
# others wait for it.
my $node = idgen_server('kill', init => [ allows_streaming => 1 ], conf => q{
restart_after_crash = on
synchronous_standby_names = 'nobody'
synchronous_commit = local
deadlock_timeout = 100s
wal_writer_delay = 10s
});

$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE gen_seq INCREMENT BY 3});
create_from_function($node, 'fun', 3);

my @ids;

# Kill the backend of that session, and see what comes of it.
sub kill_and_draw
{
	my ($name, $draw, $refiller, @waiters) = @_;
	my $pid = $node->safe_psql('postgres',
		"SELECT pid FROM pg_stat_activity WHERE application_name = 'refiller'");
	my $offset = -s $node->logfile;

	is(kill('KILL', $pid), 1, "$name: killed the backend that refills");
	# An idle psql does not notice.
	$refiller->{stdin} .= "SELECT 1;\n" if $name eq 'function';
	$_->{run}->finish for ($refiller, @waiters);
	wait_for_restart($node, $offset);
	push @ids, map { "$name $_" } split /\n/,
	  $node->safe_psql('postgres',
		"SET statement_timeout = '60s'; SELECT $draw FROM generate_series(1, 12)");
	return;
}

# It waits for the standby, which is as good as being in the middle of it.
foreach my $round (1, 2)
{
	my $draw = q{idgen_next('gen', 'sequence')};

	# whole blocks, so that none is cached
	push @ids, map { "sequence $_" } split /\n/,
	  $node->safe_psql('postgres', "SELECT $draw FROM generate_series(1, 6)");
	my $refiller = start_statement($node, "SELECT $draw",
		'SET synchronous_commit = on', q{SET application_name = 'refiller'});
	wait_for_waiters($node, 1, 'idgen_next', 'IPC');
	my @waiters = map { start_statement($node, "SELECT $draw") } 1 .. 3;
	wait_for_waiters($node, 3, 'idgen_next', 'Lock');
	kill_and_draw('sequence', $draw, $refiller, @waiters);
}

# A function's blocks are pending.
foreach my $round (1, 2)
{
	my $draw = q{idgen_next('fun')};

	push @ids, map { "function $_" } split /\n/,
	  $node->safe_psql('postgres', "SELECT $draw FROM generate_series(1, 4)");
	my $refiller = $node->background_psql('postgres');
	$refiller->query_safe(q{SET application_name = 'refiller'});
	$refiller->query_safe("BEGIN; SELECT $draw FROM generate_series(1, 7)");
	my @waiters = map { start_statement($node, "SELECT $draw") } 1 .. 3;
	wait_for_waiters($node, 3, 'idgen_next');
	kill_and_draw('function', $draw, $refiller, @waiters);
}

is(scalar @ids, 2 * (6 + 12) + 2 * (4 + 12), 'everybody got ids');
is(duplicates(@ids), '', 'no id was issued twice');

$node->stop;
done_testing();
