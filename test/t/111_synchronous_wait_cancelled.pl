# Who refills may give up waiting for the synchronous standby: by a timeout, a cancel, or
# an end of the session. Then the block that the standby may not have goes to nobody else.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = idgen_server('primary', init => [ allows_streaming => 1 ], conf => "deadlock_timeout = 100s\nautovacuum = off\n");

$primary->safe_psql(
	'postgres', q{
	CREATE SEQUENCE native_seq INCREMENT BY 20;
	SELECT idgen_create('own'), idgen_create('worker', refill => 'worker')});
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;
make_synchronous($primary, $standby);
$standby->stop;

my %draw = (
	own => q{idgen_next('own')},
	worker => q{idgen_next('worker')},
	native => q{idgen_next('native', 'sequence')});

sub cached
{
	my ($name) = @_;
	return $primary->safe_psql('postgres', "SELECT count(*) FROM idgen_cache WHERE name = '$name'");
}

# The process that waits for the standby
sub waiting_pid
{
	my $query = q{SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'};

	$primary->poll_query_until('postgres', "SELECT count(*) = 1 FROM ($query) s") or die 'nobody waits';
	return $primary->safe_psql('postgres', $query);
}

# A block of a native sequence is drawn without any commit: so there is an error instead.
# (The first value after a checkpoint is one that nextval() writes WAL for.)
$primary->safe_psql('postgres', 'CHECKPOINT');
my $offset = -s $primary->logfile;
my $impatient = start_statement($primary, "SELECT $draw{native}", '\set VERBOSITY sqlstate', q{SET statement_timeout = '500ms'});
$primary->wait_for_log(qr/WARNING:  canceling wait for synchronous replication/, $offset);
is(answer($impatient, ''), '57014', 'native, timeout: an error');
is(cached('native'), '0', 'native, timeout: nothing is cached');
$impatient->quit;
foreach my $end ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $session = start_statement($primary, "SELECT $draw{native}", '\set VERBOSITY sqlstate');
	my $pid = waiting_pid();

	$primary->safe_psql('postgres', "SELECT $end($pid)");
	is(answer($session, ''), '57014', "native, $end: an error") if $end =~ 'cancel';
	$session->{run}->finish if $end =~ 'terminate';
	is(cached('native'), '0', "native, $end: nothing is cached");
}

# A commit that does not wait any more is one all the same, as its client is told.
foreach my $end ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $session = start_statement($primary, "SELECT $draw{own}");
	my $pid = waiting_pid();

	$primary->safe_psql('postgres', "SELECT $end($pid)");
	isnt($session->query(''), '', "own, $end: the client has its id") if $end =~ 'cancel';
	$session->{run}->finish if $end =~ 'terminate';
	is(cached('own'), '0', "own, $end: nothing is cached");
}

# The worker goes on with another block.
my $session = start_statement($primary, "SELECT $draw{worker}", q{SET idgen.worker_timeout = '1000s'});
foreach my $end ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $before = $primary->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences WHERE name = 'worker'});
	my $pid = waiting_pid();

	$primary->safe_psql('postgres', "SELECT $end($pid)");
	$primary->poll_query_until('postgres',
		"SELECT next_block_start > $before FROM id_sequences WHERE name = 'worker'");
	is(cached('worker'), '0', "worker, $end: nothing is cached");
}

# With the standby, all is well.
$standby->start;
isnt($session->query(''), '', 'with the standby: the worker brings ids');
$session->quit;
foreach my $name (sort keys %draw)
{
	$primary->safe_psql('postgres', "SELECT $draw{$name}");
	isnt(cached($name), '0', "with the standby: $name is cached");
}

$standby->stop;
$primary->stop;
done_testing();
