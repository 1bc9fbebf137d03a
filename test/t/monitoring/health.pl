# What idgen_health says while something keeps ids from being drawn: another
# transaction, another server, the worker, the cache. The problem is gone as
# soon as its reason is.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{
deadlock_timeout = '100ms'
max_prepared_transactions = 10
idgen.max_sequences = 16
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
});

# For how long a server is tried that does not answer
sub set_server_timeout
{
	my ($timeout) = @_;

	$node->append_conf('postgresql.conf', "idgen.server_timeout = '$timeout'");
	$node->reload;
	$node->poll_query_until('postgres', 'SHOW idgen.server_timeout', $timeout) or die 'not reloaded';
	return;
}

sub problem
{
	my ($name) = @_;
	return run_sql($node, "SELECT problem FROM idgen_health WHERE name = '$name'");
}

sub kind
{
	my ($name) = @_;
	return run_sql($node, "SELECT problem_kind FROM idgen_health WHERE name = '$name'");
}

sub worker
{
	my ($name) = @_;
	return run_sql($node, "SELECT worker FROM idgen_health WHERE name = '$name'");
}

# becomes(name, pattern, test name): waits until the problem looks like that.
sub becomes
{
	my ($name, $pattern, $what) = @_;
	my $problem;

	eval { wait_until(sub { ($problem = problem($name)) =~ $pattern }, $what) };
	like($problem, $pattern, $what);
	return;
}

run_sql($node, q{
	SELECT idgen_create('x', block_size => 10);
	SELECT idgen_create('gapless', block_size => 1);
	SELECT idgen_create('worker', block_size => 10, refill => 'worker');
	CREATE SEQUENCE native_seq INCREMENT 10;
	SELECT idgen_create('native', source => 'sequence')});
create_remote('remote', '', $node);
create_remote('remote worker', q{refill => 'worker'}, $node);
run_sql($centre, q{INSERT INTO id_sequences VALUES ('remote', 1, 10), ('remote worker', 1, 10)});

# A refill waits for a transaction: for one that refills itself, for one of
# another program, for one that has been prepared.
my $holder = $node->background_psql('postgres');
my $pid = $holder->query_safe('SELECT pg_backend_pid()');
my $lock = q{SELECT 1 FROM id_sequences WHERE name = '%s' FOR UPDATE};
my @cases = (
	[ 'x', q{SELECT idgen_next('x')}, 'a transaction that refills' ],
	[ 'x', sprintf($lock, 'x'), 'a row that a program has locked' ],
	[ 'gapless', q{SELECT idgen_next('gapless')}, 'gapless ids' ],
	[ 'worker', sprintf($lock, 'worker'), 'a row that the worker needs' ],
	[ 'native', 'ALTER SEQUENCE native_seq CACHE 1', 'a native sequence' ]);

foreach my $case (@cases)
{
	my ($name, $sql, $what) = @$case;

	run_sql($node, "SELECT idgen_restart('$name', 1)") if $name ne 'native';
	$holder->query_safe("BEGIN; $sql");
	is(problem($name), '', "$what: as long as nobody waits, it is no problem") if $name ne 'native';
	my $session = start_statement($node, "SELECT idgen_next('$name')");
	becomes($name, qr/^A refill waits for the transaction of process $pid, which has been open for \d+ s\. End it, if need be by pg_terminate_backend\($pid\)\.$/, "$what: somebody waits");
	$holder->query_safe('COMMIT');
	like($session->query(''), qr/^\d*$/, "$what: it goes on");
	is(problem($name), '', "$what: nobody waits any more");
	$session->quit;
}
run_sql($node, sprintf(q{BEGIN; %s; PREPARE TRANSACTION 'p'}, sprintf($lock, 'gapless')));
my $session = start_statement($node, q{SELECT idgen_next('gapless')});
becomes('gapless', qr/^A refill waits for prepared transaction \d+\. Commit it or roll it back/, 'a prepared transaction');
is(kind('gapless'), 'blocked', 'in a word');
run_sql($node, q{ROLLBACK PREPARED 'p'});
$session->query('');
is(problem('gapless'), '', 'which is rolled back');
$_->quit foreach ($session, $holder);

# How long others' transactions have been open is for members of pg_monitor.
run_sql($node, 'CREATE ROLE reader');
my $other = $node->background_psql('postgres');
$other->query_safe(q{BEGIN; SELECT idgen_next('gapless')});
$session = start_statement($node, q{SELECT idgen_next('gapless')});
becomes('gapless', qr/has been open for/, 'a member of pg_monitor');
like(run_sql($node, q{SET ROLE reader; SELECT problem FROM idgen_health WHERE name = 'gapless'}),
	qr/^A refill waits for the transaction of process \d+\. End it/, 'another role');
$other->query_safe('COMMIT');
$_->quit foreach ($session, $other);

# Another server
run_sql($node, "SELECT idgen_next('$_')") foreach ('remote', 'remote worker');
is(worker('remote worker'), 'running', 'the worker runs');
is(worker('remote'), 'running', 'also for what does not say so');
$centre->stop;
is(problem('remote'), '', 'as long as nobody asks, nobody knows that a server is away');
$session = start_statement($node, q{SELECT idgen_next('remote') FROM generate_series(1, 10)});
becomes('remote', qr/^Server central has not answered since/, 'a session tries to ask it');
run_sql($node, q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ '^SELECT idgen_next'});
is($session->query(''), '', 'and is told not to');
$session->quit;
set_server_timeout('1s');
is(sqlstate($node, q{SELECT idgen_next('remote') FROM generate_series(1, 10)}), '08001', 'a session has asked it');
becomes('remote', qr/^Server central has not answered since \d{4}-\d\d-\d\d .*: .+\.$/, 'a server does not answer');
is(kind('remote'), 'unreachable', 'in a word');
my ($since) = problem('remote') =~ /(since \S+ \S+)\. Start/;
is(sqlstate($node, q{SELECT idgen_next('remote worker') FROM generate_series(1, 100)}), '08001', 'the worker has asked it');
like(worker('remote worker'), qr/^backing off: could not connect to server "central"/, 'the state of the worker is its last failure');
like(problem('remote worker'), qr/^Server central has not answered \Q$since\E.* The worker could not refill: could not connect to server "central"\.$/, 'both are problems; that it does not answer comes first');
set_server_timeout('100s');
$centre->start;
run_sql($node, "SELECT idgen_next('$_')") foreach ('remote', 'remote worker');
is(problem($_), '', "$_: when it answers again, all is well") foreach ('remote', 'remote worker');
is(worker('remote worker'), 'running', 'so is the worker');

# The worker of an id sequence whose row it cannot write
run_sql($node, q{
	CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS 'BEGIN RAISE ''not today''; END';
	CREATE TRIGGER refuse BEFORE UPDATE ON id_sequences FOR EACH ROW WHEN (NEW.name = 'worker') EXECUTE FUNCTION refuse();
	ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER refuse});
is(sqlstate($node, q{SELECT idgen_next('worker') FROM generate_series(1, 100)}), 'P0001', 'a trigger refuses the refill');
like(problem('worker'), qr/^The worker could not refill: not today\.$/, 'a refill that has failed');
is(kind('worker'), 'refill_fails', 'in a word');
is(worker('worker'), 'backing off: not today', 'the worker backs off');
run_sql($node, 'DROP TRIGGER refuse ON id_sequences');
run_sql($node, q{SELECT idgen_next('worker')});
is(problem('worker'), '', 'the next one has not');

# Ids of rows that are cached count as those to come.
$node->append_conf('postgresql.conf', 'idgen.max_sequences = 100');
$node->restart;
run_sql($node, q{
	SELECT idgen_create('taken', block_size => 100);
	CREATE TABLE taken (id integer PRIMARY KEY DEFAULT idgen_next('taken'));
	INSERT INTO taken SELECT FROM generate_series(1, 10)});
is(problem('taken'), '', 'a column whose ids have all been drawn');
run_sql($node, 'INSERT INTO taken VALUES (50)');
like(problem('taken'), qr/^There are ids in column public\.taken\.id \(integer\) that it has yet to issue\. Run public\.idgen_sync\('public\.taken', 'id'\)\.$/, 'an id that is cached');
run_sql($node, q{SELECT idgen_sync('taken', 'id')});
is(problem('taken'), '', 'idgen_sync');
my $run = start_pgbench($node, 'draw', 'INSERT INTO taken DEFAULT VALUES', '-c', 4, '-t', 500);
my $wrong = 0;
do { $wrong++ if problem('taken') ne '' } while ($run->{run}->pumpable && ($run->{run}->pump_nb || 1));
$run->{run}->finish;
is($wrong, 0, 'while sessions insert, no id counts as one to come');

# No place for a worker
$node->append_conf('postgresql.conf', "max_worker_processes = 0\nmax_logical_replication_workers = 0");
$node->restart;
is(worker('worker'), 'not running', 'no worker has been needed');
is(sqlstate($node, q{SELECT idgen_next('worker') FROM generate_series(1, 100)}), '53400', 'now one is');
is(worker('worker'), 'no slot', 'there is no place for it');
like(problem('worker'), qr/^The server has no place for a worker\. Raise max_worker_processes\.$/, 'which is a problem');
is(kind('worker'), 'no_worker', 'in a word');

$node->stop;
done_testing();
