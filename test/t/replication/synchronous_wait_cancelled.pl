# A session that refills may give up waiting for the synchronous standby: by a
# timeout, a cancel, or an end of the session. Then the block that the standby
# may not have goes to nobody else, and is counted as lost.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = idgen_server('primary', init => [ allows_streaming => 1 ], conf => "deadlock_timeout = 100s\nautovacuum = off\n");

run_sql($primary, q{
	CREATE SEQUENCE native_seq INCREMENT BY 20;
	CREATE SEQUENCE native_worker_seq INCREMENT BY 20;
	SELECT idgen_create('own'), idgen_create('worker', refill => 'worker'),
		idgen_create('native_worker', source => 'sequence', refill => 'worker')});
my $standby = start_standby($primary, 'standby');
make_synchronous($primary, $standby);
$standby->stop;

my %draw = (
	own => q{idgen_next('own')},
	worker => q{idgen_next('worker')},
	native_worker => q{idgen_next('native_worker')},
	native => q{idgen_next('native', 'sequence')});

sub cached
{
	my ($name) = @_;
	return run_sql($primary, "SELECT count(*) FROM idgen_cache WHERE name = '$name'");
}

# Waits until that number of ids ("= 20", "> 20") have been counted as lost.
sub lost
{
	my ($name, $ids) = @_;
	return $primary->poll_query_until('postgres',
		"SELECT count(*) = 1 FROM idgen_stats WHERE name = '$name' AND ids_lost_prepared $ids");
}

# The process that waits for the standby
sub waiting_pid
{
	my $query = q{SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'};

	wait_for_true($primary, "SELECT count(*) = 1 FROM ($query) s", 'a session that waits');
	return run_sql($primary, $query);
}

# A block of a native sequence is drawn without any commit: so there is an error
# instead. (The first value after a checkpoint is one that nextval() writes WAL
# for.)
run_sql($primary, 'CHECKPOINT');
my $offset = -s $primary->logfile;
my $impatient = start_statement($primary, "SELECT $draw{native}", '\set VERBOSITY sqlstate', q{SET statement_timeout = '500ms'});
$primary->wait_for_log(qr/WARNING:  canceling wait for synchronous replication/, $offset);
is(answer($impatient, ''), '57014', 'native, timeout: an error');
is(cached('native'), '0', 'native, timeout: nothing is cached');
ok(lost('native', '= 20'), 'native, timeout: the block is lost');
$impatient->quit;
foreach my $end ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $session = start_statement($primary, "SELECT $draw{native}", '\set VERBOSITY sqlstate');
	my $pid = waiting_pid();

	run_sql($primary, "SELECT $end($pid)");
	is(answer($session, ''), '57014', "native, $end: an error") if $end =~ 'cancel';
	$session->{run}->finish if $end =~ 'terminate';
	is(cached('native'), '0', "native, $end: nothing is cached");
}
ok(lost('native', '= 60'), 'native: the blocks are lost');

# A commit that does not wait any more is one all the same, as its client is
# told.
foreach my $end ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $session = start_statement($primary, "SELECT $draw{own}");
	my $pid = waiting_pid();

	run_sql($primary, "SELECT $end($pid)");
	isnt($session->query(''), '', "own, $end: the client has its id") if $end =~ 'cancel';
	$session->{run}->finish if $end =~ 'terminate';
	is(cached('own'), '0', "own, $end: nothing is cached");
}
ok(lost('own', '= 38'), 'own: what is left of the blocks is lost');

# The worker goes on with another block. After a block of a native sequence,
# there may be a commit as well, which waits once more.
my $last_value = 'SELECT last_value FROM native_worker_seq';
my $session = start_statement($primary, "SELECT $draw{native_worker}", q{SET idgen.worker_timeout = '1000s'});
run_sql($primary, sprintf('SELECT pg_cancel_backend(%d)', waiting_pid()));
ok(lost('native_worker', '> 0'), 'native_worker, pg_cancel_backend: the block is lost');
my $before = run_sql($primary, $last_value);
my $lost = run_sql($primary, q{SELECT ids_lost FROM idgen_stats WHERE name = 'native_worker'});
run_sql($primary, sprintf('SELECT pg_cancel_backend(%d)', waiting_pid()));
wait_for_true($primary, "SELECT last_value > $before FROM native_worker_seq", 'the worker to refill');
run_sql($primary, sprintf('SELECT pg_terminate_backend(%d)', waiting_pid()));
ok(lost('native_worker', "> $lost"), 'native_worker, pg_terminate_backend: the block is lost');
is(cached('native_worker'), '0', 'native_worker: nothing is cached');

# The session has asked again. The next worker must have begun with that before
# they both end: otherwise the request stays, and adds a wait to the next test.
waiting_pid();
run_sql($primary, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^SELECT idgen_next'});
$session->{run}->finish;
run_sql($primary, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'idgen worker'});
wait_for_no_worker($primary);

$session = start_statement($primary, "SELECT $draw{worker}", q{SET idgen.worker_timeout = '1000s'});
foreach my $end ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $before = run_sql($primary, q{SELECT next_block_start FROM id_sequences WHERE name = 'worker'});
	my $pid = waiting_pid();

	run_sql($primary, "SELECT $end($pid)");
	wait_for_true($primary, "SELECT next_block_start > $before FROM id_sequences WHERE name = 'worker'", 'the worker to refill');
	ok(lost('worker', q{= (SELECT next_block_start - 1 FROM id_sequences WHERE name = 'worker')}),
		"worker, $end: the blocks are lost");
	is(cached('worker'), '0', "worker, $end: nothing is cached");
}

# With the standby, all is well.
$standby->start;
isnt($session->query(''), '', 'with the standby: the worker brings ids');
$session->quit;
foreach my $name (sort keys %draw)
{
	run_sql($primary, "SELECT $draw{$name}");
	isnt(cached($name), '0', "with the standby: $name is cached");
}

$standby->stop;
$primary->stop;
done_testing();
