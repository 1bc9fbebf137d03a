# With log_lock_waits on, the server's log says that a refill waits for another
# transaction longer than deadlock_timeout: which process that is, and which id
# sequence; and that the wait is over. Each of that once, whoever refills.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes 'sleep';

my $node = idgen_server('waits', conf => q{
deadlock_timeout = '5ms'
log_lock_waits = on
max_prepared_transactions = 1
log_line_prefix = '%p: '
idgen.prefetch_threshold = 0
idgen.max_prefetch_blocks = 1
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
});
my $holder = $node->background_psql('postgres');
my $holder_pid = $holder->query_safe('SELECT pg_backend_pid()');

$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE native_seq;
	SELECT idgen_create(name, block_size => block_size, refill => refill)
	FROM (VALUES
		('claimed', 20, 'transaction'), ('row', 20, 'transaction'), ('gapless', 1, 'transaction'),
		('served', 20, 'worker'), ('auto', 20, 'auto'), ('prepared', 20, 'worker'),
		('given up', 20, 'worker'), ('quiet', 20, 'transaction')
	) v (name, block_size, refill);
	SELECT idgen_create('native', source => 'sequence', refill => 'worker');
	SELECT count(idgen_next('served')) FROM generate_series(1, 20)});
my $worker_pid = worker_pid($node, 'postgres');

# What the log says of waits of a refill of that id sequence, from that place
# on: a process waits for one that holds the lock, or has got it. Sorted.
sub told
{
	my ($name, $from) = @_;
	my @told;

	foreach my $entry (split /^(?=\d+: LOG: )/m, substr(slurp_file($node->logfile), $from))
	{
		next unless $entry =~ /CONTEXT:  (?:.*\n\t)*while refilling id sequence "$name"\n/;
		push @told, "$1 waits for $2, held by $3"
		  if $entry =~ /LOG:  process (\d+) still waiting for \w+ on (\w+) \d+.* after \d+\.\d{3} ms\n.*DETAIL:  (?:Process|Prepared transaction) holding the lock: (\d+)/;
		push @told, "$1 has got $2"
		  if $entry =~ /LOG:  process (\d+) acquired \w+ on (\w+) \d+.* after \d+\.\d{3} ms\n/;
	}
	return join("\n", sort @told);
}

# Somebody holds what a refill needs; a session draws meanwhile, until that has
# been logged, and for some time more. The lines are what is told then, without
# order, where SESSION stands for the process of the session.
sub check
{
	my ($name, $hold, $what, @lines) = @_;
	my $from = -s $node->logfile;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe(qq{SELECT count(idgen_next('$name')) FROM generate_series(1, 20); SELECT pg_backend_pid()});

	$pid =~ s/.*\n//s;
	my @expected = sort map { s/SESSION/$pid/r } @lines;
	$holder->query_safe("BEGIN; $hold");
	$session->query_until(qr/running/, "\\echo running\nSELECT idgen_next('$name');\n");
	wait_until(sub { return told($name, $from) =~ /waits/ }, "the log of $name");
	sleep(2);
	is(told($name, $from), join("\n", grep { /waits/ } @expected), "$what: the wait");
	$holder->query_safe('COMMIT');
	like($session->query(''), qr/^\d+$/m, "$what: an id");

	# The worker may find out a bit later than a session that refills itself.
	wait_until(sub { return @{[ told($name, $from) =~ /has got/g ]} >= grep { /has got/ } @expected }, "the log of $name");
	is(told($name, $from), join("\n", @expected), "$what: and its end");
	$session->quit;
	return;
}

my @session_waits = ("SESSION waits for transaction, held by $holder_pid", 'SESSION has got transaction');
my @worker_waits = ("$worker_pid waits for transaction, held by $holder_pid", "$worker_pid has got transaction");

sub lock_row
{
	my ($name) = @_;
	return "SELECT FROM id_sequences WHERE name = '$name' FOR UPDATE";
}

check('claimed', q{SELECT idgen_next('claimed')}, 'the refill of another session', @session_waits);
check('row', lock_row('row'), 'a row', @session_waits);
check('gapless', q{SELECT idgen_next('gapless')}, 'gapless ids', @session_waits);
check('served', lock_row('served'), 'the worker waits for a row', @worker_waits);
check('auto', lock_row('auto'), 'the worker and a session wait for a row', @worker_waits, @session_waits);
check(
	'native', 'ALTER SEQUENCE native_seq MAXVALUE 1000000',
	'the worker waits for a native sequence',
	"$worker_pid waits for relation, held by $holder_pid", "$worker_pid has got relation");

# A transaction that no session is in
my $from = -s $node->logfile;
my $xid = $node->safe_psql('postgres',
	q{BEGIN; SELECT FROM id_sequences WHERE name = 'prepared' FOR UPDATE; SELECT pg_current_xact_id(); PREPARE TRANSACTION 'p'});
my $session = start_statement($node, q{SELECT idgen_next('prepared')});
wait_until(sub { return told('prepared', $from) }, 'the log of prepared');
is(told('prepared', $from), "$worker_pid waits for transaction, held by $xid", 'a prepared transaction');
$node->safe_psql('postgres', q{COMMIT PREPARED 'p'});
is($session->query(''), '1', 'it has ended');
$session->quit;

# A worker that gives up says why, whatever the setting.
sub set_system
{
	my ($name, $value) = @_;
	$node->safe_psql('postgres', "ALTER SYSTEM SET $name = '$value'");
	$node->safe_psql('postgres', 'SELECT pg_reload_conf()');
	$node->poll_query_until('postgres', "SELECT current_setting('$name') = '$value'") or die 'not reloaded';
	return;
}

set_system('log_lock_waits', 'off');
set_system('idgen.worker_timeout', '1500ms');
$from = -s $node->logfile;
$holder->query_safe('BEGIN; ' . lock_row('given up'));
is(sqlstate($node, q{SELECT idgen_next('given up')}), '55P03', 'the worker gives up');
$node->wait_for_log(
	qr/could not lock the row of id sequence "given up", or what it draws from, within 1500 ms\n.*DETAIL:  Process holding the lock: $holder_pid\.\n/,
	$from);
$holder->query_safe('ROLLBACK');
is(told('given up', $from), '', 'the worker says nothing more with log_lock_waits off');

$from = -s $node->logfile;
$holder->query_safe(q{BEGIN; SELECT idgen_next('quiet')});
$session = start_statement($node, q{SELECT idgen_next('quiet')});
sleep(2);
$holder->query_safe('COMMIT');
is($session->query(''), '2', 'a session has waited');
is(told('quiet', $from), '', 'nor does it');
$session->quit;

$holder->quit;
$node->stop;
done_testing();
