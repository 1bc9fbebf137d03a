# A request ends with what it is for: when the id sequence gives way to another
# one, or when its ids become void. The worker then does nothing for it, nor for
# the one that has the slot now.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('void', conf => q{
idgen.max_sequences = 4
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
});
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create(name, refill => 'worker') FROM unnest('{evicted,changed,truncated,other,last}'::text[]) name;
	SELECT idgen_create('session' || i) FROM generate_series(1, 8) i});

# Draw from an id sequence until its next refill is requested, which the
# worker cannot do yet.
sub request_ahead
{
	my ($name) = @_;

	$node->safe_psql('postgres', "SELECT idgen_next('$name')");
	my $pid = worker_pid($node, 'postgres');
	$node->poll_query_until('postgres', "SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $pid")
	  or die 'the worker is never idle';
	kill('STOP', $pid);
	$node->safe_psql('postgres', "SELECT idgen_next('$name') FROM generate_series(1, 15)");
	return $pid;
}

# The worker goes on, and does what another session wants.
sub go_on
{
	my ($pid, $name) = @_;

	kill('CONT', $pid);
	$node->safe_psql('postgres', "SELECT idgen_next('$name')");
	return;
}

sub next_block_starts
{
	my ($pattern) = @_;
	return $node->safe_psql('postgres',
		"SELECT string_agg(DISTINCT next_block_start::text, ' ') FROM id_sequences WHERE name ~ '$pattern'");
}

my $pid = request_ahead('evicted');
$node->safe_psql('postgres', q{SELECT idgen_next('session' || i) FROM generate_series(1, 8) i});
is($node->safe_psql('postgres', q{SELECT count(*) FROM idgen_stats WHERE name = 'evicted'}), '0', 'an id sequence gives way');
go_on($pid, 'other');
is(next_block_starts('evicted'), '21', 'the worker does not refill it');
is(next_block_starts('session'), '21', 'nor those that have the slots');

$pid = request_ahead('changed');
$node->safe_psql('postgres', q{UPDATE id_sequences SET next_block_start = 5 WHERE name = 'changed'});
go_on($pid, 'last');
is(next_block_starts('changed'), '5', 'void ids are not refilled ahead');

# But a session that waits is served.
$pid = request_ahead('truncated');
my $waiter = start_statement($node, q{SELECT max(idgen_next('truncated')) FROM generate_series(1, 5)});
wait_for_waiters($node, 1, 'idgen_next', 'Extension');
$node->safe_psql('postgres',
	q{BEGIN; TRUNCATE id_sequences; INSERT INTO id_sequences (name, next_block_start, refill) VALUES ('truncated', 1000, 'worker'); COMMIT});
kill('CONT', $pid);
is($waiter->query_safe(''), '1000', 'unless somebody waits');

$waiter->quit;
$node->stop;
done_testing();
