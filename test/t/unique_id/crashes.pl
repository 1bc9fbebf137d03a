# Time-ordered ids of both kinds after crashes of the server, and UUIDs on a
# standby that takes over: they go on behind all that were drawn, none is issued
# twice; and however often it crashes, ids do not run away from the clock.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Copy qw(copy);
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('crashes', init => [ allows_streaming => 1 ], conf => 'restart_after_crash = on');
my %last = (id => '', uuid => '');

# Clients pause, so that they do not come to an end before the server does.
my $pause = "FROM generate_series(1, 20);\n\\! sleep 0.002\n";
my $statement = "SELECT idgen_unique_id(), idgen_unique_uuid() $pause";

# What a client has seen of a kind of ids, such that it can be compared as text
my %seen = (
	id => sub { map { /^(\d+)(\||$)/ ? sprintf('%020d', $1) : () } @_ },
	uuid => sub { map { /^(?:\d+\|)?([0-9a-f]{8}-[0-9a-f-]{27})$/ ? $1 : () } @_ });

# What clients have seen, which ascends for each: all of it is later than before
sub check_clients
{
	my ($what, @clients) = @_;

	foreach my $kind (sort keys %seen)
	{
		my ($wrong, $max, @all) = (0, $last{$kind});

		foreach my $client (@clients)
		{
			my @ids = $seen{$kind}->(split /\n/, slurp_file($client->{out})) or next;

			$wrong += grep { $ids[$_] le ($_ == 0 ? $last{$kind} : $ids[ $_ - 1 ]) } 0 .. $#ids;
			$max = $ids[-1] if $ids[-1] gt $max;
			push @all, $kind eq 'uuid' ? map { uuid_tick($_) } @ids : @ids;
		}
		is($wrong, 0, "$what: $kind: they ascend");
		is(duplicates(@all), '', "$what: $kind: none is issued twice, and no tick");
		$last{$kind} = $max;
	}
	return;
}

sub draw
{
	my ($on, $what, @kinds) = @_;

	foreach my $kind (@kinds)
	{
		my ($id) = $seen{$kind}->($on->safe_psql('postgres', "SELECT idgen_unique_$kind()"));
		cmp_ok($id, 'gt', $last{$kind}, "$what: $kind: later than before");
		$last{$kind} = $id;
	}
	return;
}

# One session is killed while others draw.
foreach my $i (1 .. 2)
{
	my @clients = start_clients($node, 3, $statement);

	wait_for_lines(200, @clients);
	my $pid = $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE application_name = 'client' LIMIT 1});
	my $offset = -s $node->logfile;
	kill 'KILL', $pid;
	finish_clients(@clients);
	wait_for_restart($node, $offset);
	check_clients("killed session $i", @clients);
	draw($node, "killed session $i", 'id', 'uuid');
}

# Crashes in quick succession: what was reserved does not add up.
foreach my $i (1 .. 6)
{
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	draw($node, "crash $i", 'id');
	my $offset = -s $node->logfile;
	kill 'KILL', $session->query_safe('SELECT pg_backend_pid()');
	$session->{run}->finish;
	wait_for_restart($node, $offset);
}

# The server and all its sessions end at once.
my @clients = start_clients($node, 3, $statement);
wait_for_lines(200, @clients);
kill_server($node);
finish_clients(@clients);
$node->start;
check_clients('kill -9', @clients);
draw($node, 'kill -9', 'id', 'uuid');

# What the file says is lost after a crash, by damage or by an older copy. Where
# the clock is right, ids go on all the same: after the crash before, they have
# waited for it.
my $file = time_file($node);
my %harm = (
	damaged => sub { append_to_file($file, 'x') },
	older => sub { copy("$file.old", $file) or die "could not copy: $!" });

copy($file, "$file.old") or die "could not copy: $!";
foreach my $what (sort keys %harm)
{
	foreach my $harmed (0, 1)
	{
		kill_server($node);
		$harm{$what}->() if $harmed;
		$node->start;
		draw($node, "$what file, $harmed", 'id', 'uuid');
	}
}

# A standby draws while it is one, and goes on after its promotion.
my $standby = start_standby($node, 'standby');
is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery()'), 't', 'this is a standby');
my @on_primary = start_clients($node, 1, "SELECT idgen_unique_uuid() $pause");
my @on_standby = start_clients($standby, 2, "SELECT idgen_unique_uuid() $pause");
wait_for_lines(200, @on_primary, @on_standby);
terminate_clients($node, @on_primary);
$node->stop('immediate');
$standby->promote;
wait_for_lines((sort { $b <=> $a } map { slurp_file($_->{out}) =~ tr/\n// } @on_standby)[0] + 100, @on_standby);
terminate_clients($standby, @on_standby);
my @both = map { $seen{uuid}->(split /\n/, slurp_file($_->{out})) } @on_primary, @on_standby;
is(duplicates(@both), '', 'no UUID of both servers');
my %before = %last;
check_clients('primary', @on_primary);
%last = %before;
check_clients('standby', @on_standby);
$standby->stop('immediate');
$standby->start;
draw($standby, 'crash of the standby', 'uuid');
$standby->stop;
done_testing();
