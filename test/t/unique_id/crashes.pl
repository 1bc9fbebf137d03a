# Time-ordered ids after crashes of the server: none is issued twice, also when
# the ids were ahead of the clock; and however often it crashes, ids do not run
# away from the clock.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Copy qw(copy);
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('crashes', conf => 'restart_after_crash = on');
my $last = 0;

# Clients pause, so that they do not come to an end before the server does.
my $statement = "SELECT idgen_unique_id() FROM generate_series(1, 20);\n\\! sleep 0.002\n";

# What clients have seen, which ascends for each: all of it is later than before
sub check_clients
{
	my ($what, @clients) = @_;
	my ($wrong, $max, @all) = (0, $last);

	foreach my $client (@clients)
	{
		my @ids = grep { /^\d+$/ } split /\n/, slurp_file($client->{out});

		$wrong += grep { $ids[$_] <= ($_ == 0 ? $last : $ids[ $_ - 1 ]) } 0 .. $#ids;
		$max = $ids[-1] if $ids[-1] > $max;
		push @all, @ids;
	}
	is($wrong, 0, "$what: ids ascend");
	is(duplicates(@all), '', "$what: none is issued twice");
	$last = $max;
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
}

# Crashes in quick succession: what was reserved does not add up.
foreach my $i (1 .. 6)
{
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	my $id = $session->query_safe('SELECT idgen_unique_id()');
	cmp_ok($id, '>', $last, "crash $i: later than before");
	$last = $id;
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
cmp_ok($node->safe_psql('postgres', 'SELECT idgen_unique_id()'), '>', $last, 'kill -9: later than before');

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
	foreach my $function ('idgen_unique_id()', 'idgen_unique_uuid()')
	{
		my ($before, $after) = map {
			kill_server($node);
			$harm{$what}->() if $_ == 2;
			$node->start;
			$node->safe_psql('postgres', "SELECT $function");
		} 1, 2;

		cmp_ok($after, 'gt', $before, "$what file: $function goes on");
	}
}

$node->stop;
done_testing();
