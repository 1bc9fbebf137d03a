# A centre that has gone back is noticed by every server that has received a
# later block (C5), whatever has happened to that server since: what it has
# received is durable before an id of it is used, and goes along with a base
# backup and to a standby. No id is issued twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], init => [ allows_streaming => 1 ], conf => q{
restart_after_crash = on
idgen.worker_timeout = '100s'
});
my @names = ('x', 'worker');
my @seen;

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 10), ('worker', 1, 10)});
create_remote('x', '', $node);
create_remote('worker', q{refill => 'worker'}, $node);

# Draw that number of ids, one after the other, as fast as it goes. Answers the
# SQLSTATE of an error, which ends that.
sub draw
{
	my ($server, $name, $number) = @_;
	my ($status, $out, $err) = $server->psql('postgres',
		"\\set VERBOSITY sqlstate\nSELECT 'SELECT ''$name '' || idgen_next(''$name'')' FROM generate_series(1, $number) \\gexec\n");

	push @seen, split /\n/, $out;
	return $err =~ /ERROR:  (\w{5})/ ? $1 : '';
}

sub crash_process
{
	my $offset = -s $node->logfile;

	kill 'KILL', $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'});
	wait_for_restart($node, $offset);
	return;
}

# Move the row at the centre. Answers where it was.
sub set_back
{
	my ($name, $to) = @_;
	return $centre->safe_psql('postgres', qq{
		UPDATE id_sequences s SET next_block_start = $to FROM id_sequences before
		WHERE s.name = '$name' AND before.name = '$name' RETURNING before.next_block_start});
}

# A centre that has lost nearly all is refused, when what is cached is used up.
sub is_refused
{
	my ($server, $when) = @_;

	is(join(' ', map { set_back($_, 1); draw($server, $_, 2000) } @names), '55000 55000', "$when: a centre that has gone back is noticed");
	is(duplicates(@seen), '', "$when: no id is issued twice");
	return;
}

foreach my $event (
	[ 'nothing happens', sub { } ],
	[ 'a fast restart', sub { $node->restart } ],
	[ 'an immediate shutdown', sub { $node->stop('immediate'); $node->start } ],
	[ 'kill -9', sub { kill_server($node); $node->start } ],
	[ 'a crash of another process', \&crash_process ],
	[
		'kill -9 under load',
		sub {
			my @clients = start_node_clients($node);

			wait_for_ids(100, @clients);
			kill_server($node);
			finish_clients(@clients);
			push @seen, seen_ids(@clients);
			$node->start;
		}
	])
{
	my ($what, $happen) = @$event;

	is(join(' ', map { draw($node, $_, 505) } @names), ' ', "$what: ids");
	$happen->();

	my @next = map { set_back($_, 's.next_block_start') } @names;
	is_refused($node, $what);

	# It has lost some blocks. If that is not noticed, ids go on behind them.
	foreach my $i (0, 1)
	{
		set_back($names[$i], $next[$i] - 50);
		like(draw($node, $names[$i], 200), qr/^(?:55000)?$/, "$what: $names[$i], the centre has lost some blocks");
		is(duplicates(@seen), '', "$what: no id is issued twice");
		set_back($names[$i], "greatest(s.next_block_start, $next[$i]) + 1000");
	}
}

# Copies of it draw beside it, and know what it had received.
is(join(' ', map { draw($node, $_, 30) } @names), ' ', 'before the copies');
$node->backup('copy');
my $copy = PostgreSQL::Test::Cluster->new('copy');
$copy->init_from_backup($node, 'copy');
$copy->start;
my $standby = start_standby($node, 'standby');
foreach my $server ($node, $copy)
{
	is(join(' ', map { draw($server, $_, 30) } @names), ' ', $server->name . ' draws');
}
$node->stop('immediate');
$standby->promote;
my $fresh = 0;
foreach my $server ($standby, $copy)
{
	is_refused($server, $server->name);
	$fresh += 100_000;
	set_back($_, $fresh) foreach @names;
	is(join(' ', map { draw($server, $_, 30) } @names), ' ', $server->name . ' goes on');
	is(duplicates(@seen), '', $server->name . ': no id is issued twice');
}

$_->stop foreach ($copy, $standby, $centre);
done_testing();
