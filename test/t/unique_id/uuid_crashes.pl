# UUIDs after crashes of the server, and on a standby that takes over: they go
# on behind all that were drawn, also when the clock has been set back
# meanwhile.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('uuid_crashes', init => [ allows_streaming => 1 ], conf => 'restart_after_crash = on');
my $last = '';

# Clients pause, so that they do not come to an end before the server does.
my $statement = "SELECT idgen_unique_uuid() FROM generate_series(1, 20);\n\\! sleep 0.002\n";

# What clients have seen, which ascends for each: all of it is later than before
sub check_clients
{
	my ($what, @clients) = @_;
	my ($wrong, $max, @all) = (0, $last);

	foreach my $client (@clients)
	{
		my @ids = grep { /^[0-9a-f]{8}-[0-9a-f-]{27}$/ } split /\n/, slurp_file($client->{out});

		$wrong += grep { $ids[$_] le ($_ == 0 ? $last : $ids[ $_ - 1 ]) } 0 .. $#ids;
		$max = $ids[-1] if $ids[-1] gt $max;
		push @all, map { uuid_tick($_) } @ids;
	}
	is($wrong, 0, "$what: UUIDs ascend");
	is(duplicates(@all), '', "$what: no tick is used twice");
	$last = $max;
	return;
}

sub draw
{
	my ($on, $what) = @_;
	my $id = $on->safe_psql('postgres', 'SELECT idgen_unique_uuid()');

	cmp_ok($id, 'gt', $last, "$what: later than before");
	$last = $id;
	return;
}

# One session is killed while others draw.
my @clients = start_clients($node, 3, $statement);
wait_for_lines(200, @clients);
my $pid = $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE application_name = 'client' LIMIT 1});
my $offset = -s $node->logfile;
kill 'KILL', $pid;
finish_clients(@clients);
wait_for_restart($node, $offset);
check_clients('killed session', @clients);
draw($node, 'killed session');

# The server and all its sessions end at once.
@clients = start_clients($node, 3, $statement);
wait_for_lines(200, @clients);
kill_server($node);
finish_clients(@clients);
$node->start;
check_clients('kill -9', @clients);
draw($node, 'kill -9');

# A standby draws while it is one, and goes on after its promotion.
my $standby = start_standby($node, 'uuid_standby');
is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery()'), 't', 'this is a standby');
my @on_primary = start_clients($node, 1, $statement);
my @on_standby = start_clients($standby, 2, $statement);
wait_for_lines(200, @on_primary, @on_standby);
terminate_clients($node, @on_primary);
$node->stop('immediate');
$standby->promote;
wait_for_lines((sort { $b <=> $a } map { slurp_file($_->{out}) =~ tr/\n// } @on_standby)[0] + 100, @on_standby);
terminate_clients($standby, @on_standby);
my $before = $last;
check_clients('primary', @on_primary);
my $last_of_primary = $last;
$last = $before;
my @both = map { grep { /^[0-9a-f]{8}-/ } split /\n/, slurp_file($_->{out}) } @on_primary, @on_standby;
is(duplicates(@both), '', 'no UUID of both servers');
check_clients('standby', @on_standby);
$standby->stop('immediate');
$standby->start;
draw($standby, 'crash of the standby');
$standby->stop;
$last = $last_of_primary;

SKIP:
{
	skip 'libfaketime is not here', 5 unless fake_clock_library();

	# The clock is behind by two seconds.
	foreach my $mode ('fast', 'immediate')
	{
		start_with_clock($node, '+0');
		draw($node, "$mode, the true time");
		$node->stop($mode);
		start_with_clock($node, '-2');
		draw($node, "$mode, two seconds back");
		$node->stop($mode);
	}

	# UUIDs of the next hour, drawn after the last checkpoint: after the crash,
	# nothing but the file knows of them.
	start_with_clock($node, '+0');
	set_clock($node, '+3600');
	draw($node, 'an hour on');
	$node->stop('immediate');
	start_with_clock($node, '+0');
	is(sqlstate($node, 'SELECT idgen_unique_uuid()'), '55000', 'crash, an hour back: refused');
	set_clock($node, '+3598');
	draw($node, 'nearly caught up');
	$node->stop;
}
done_testing();
