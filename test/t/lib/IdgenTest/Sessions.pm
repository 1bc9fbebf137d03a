# Sessions and other clients of the servers: statements that wait, psql and
# pgbench under load, the worker, and what clients saw.
package IdgenTest::Sessions;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(
  run_sql end_kept_sessions wait_for_true wait_until answer sqlstate
  start_statement begin_statement wait_for_waiters worker_pid stop_waiting stop_worker wait_for_no_worker
  start_pgbench random_transaction start_clients
  start_node_clients wait_for_lines wait_for_ids finish_clients
  terminate_clients committed_ids seen_ids client_errors
);

# Of a session in the background, each query may take PG_TEST_TIMEOUT_DEFAULT,
# and not all of them together: on a busy machine, a test takes longer.
{
	no warnings 'redefine';
	my $begin = \&PostgreSQL::Test::Cluster::background_psql;

	*PostgreSQL::Test::Cluster::background_psql = sub {
		my $session = $begin->(@_);

		$session->set_query_timer_restart;
		return $session;
	};
}

# The sessions of run_sql(): of a server and a database, and the process there
my %kept;

# run_sql(server, statements, database => name): does and answers what
# safe_psql() does, in a session that is kept for the next call: a psql of its
# own for each takes as long as most of what is tested. Nothing that the
# statements set stays with the session. A server that has gone meanwhile gets a
# new one.
#
# What needs a session of its own goes on with safe_psql(): a first draw, ids
# that a session keeps for itself, privileges to connect, statistics that a
# session reports at its end. A session that is kept is in the way of a smart
# shutdown, and of what drops or copies its database.
sub run_sql
{
	my ($node, $statements, %params) = @_;
	my $kept = $kept{$node}{ $params{database} // 'postgres' } //= {};
	my $answer;

	unless ($kept->{pid} && kill 0, $kept->{pid})
	{
		$kept->{session}->quit if $kept->{session};
		$kept->{session} = $node->background_psql($params{database} // 'postgres');
		$kept->{pid} = $kept->{session}->query_safe('SELECT pg_backend_pid()');
	}
	$answer = $kept->{session}->query_until(qr/^-- end\n/m, "$statements\n;\nDISCARD ALL;\n\\echo -- end\n");
	unless ($answer =~ s/\n?-- end\n\z//)
	{
		delete $kept{$node}{ $params{database} // 'postgres' };
		die "error running SQL: '$kept->{session}{stderr}' with sql '$statements'";
	}
	print $kept->{session}{stderr};
	$kept->{session}{stderr} = '';
	return $answer;
}

# Ends the sessions of run_sql() with a server.
sub end_kept_sessions
{
	my ($node) = @_;

	$_->{session}->quit foreach values %{ delete $kept{$node} // {} };
	return;
}

# wait_for_true(server, query, what, database => name): waits until the query
# answers that, by run_sql().
sub wait_for_true
{
	my ($node, $query, $what, %params) = @_;

	wait_until(sub { run_sql($node, $query, %params) eq 't' }, $what);
	return;
}

# wait_until(function, what): waits until the function's answer is true. What
# takes long is looked at less often.
sub wait_until
{
	my ($condition, $what) = @_;
	my $deadline = time + $PostgreSQL::Test::Utils::timeout_default;
	my $pause = 0.02;

	until ($condition->())
	{
		die "timed out waiting for $what" if time > $deadline;
		select(undef, undef, undef, $pause);
		$pause *= 1.2 if $pause < 0.1;
	}
	return;
}

# answer(session, sql): what a background session answers to a statement. If
# that fails, the SQLSTATE if the session's VERBOSITY shows nothing else, or
# else the line of the error.
sub answer
{
	my ($session, $sql) = @_;
	my $answer = $session->query($sql);

	if ($session->{stderr} =~ /(ERROR:  (\w{5})?(.*))/)
	{
		$answer = $3 eq '' ? $2 : $1;
		$session->{stderr} = '';
	}
	return $answer;
}

# sqlstate(server, sql, connection string): the SQLSTATE that the statement
# fails with, in a connection of its own; empty if it does not fail.
sub sqlstate
{
	my ($node, $sql, $connstr) = @_;
	my ($ret, $stdout, $stderr) = $node->psql(
		'postgres', $sql,
		connstr => $connstr // $node->connstr('postgres'),
		extra_params => [ '-v', 'VERBOSITY=sqlstate' ]);

	return $stderr =~ /(?:ERROR|FATAL):  (\w{5})/ ? $1 : '';
}

# start_statement(server, sql, before, ...): a session in which a statement is
# running, after the others are done. query('') gets its answer.
sub start_statement
{
	my ($node, $sql, @before) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query_safe($_) for @before;
	return begin_statement($session, $sql);
}

# begin_statement(session, sql): has that session run a statement, and answers
# the session at once. query('') gets what the statement answers.
sub begin_statement
{
	my ($session, $sql) = @_;

	$session->query_until(qr/running/, "\\echo running\n$sql;\n");
	return $session;
}

# wait_for_waiters(server, number, query, type): waits until that number of
# sessions wait in a query that matches, for a lock or for an event of that
# type.
sub wait_for_waiters
{
	my ($node, $number, $query, $type) = @_;
	$type //= 'Lock';
	wait_for_true($node, "SELECT count(*) = $number FROM pg_stat_activity WHERE wait_event_type = '$type' AND query ~ '$query'", 'sessions that wait');
	return;
}

# worker_pid(server, database, not): waits until the database has a worker,
# which is not that process, if one is given. Answers its process: of those for
# foreign servers only if there is none for the database itself.
sub worker_pid
{
	my ($node, $database, $not) = @_;
	my $query = sprintf(
		q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'idgen worker' AND datname = '%s' AND pid <> %d ORDER BY application_name LIMIT 1},
		$database, $not // 0);

	wait_for_true($node, "SELECT count(*) = 1 FROM ($query) s", 'a worker');
	return run_sql($node, $query);
}

# stop_waiting(server, process, condition): stops a process where it waits, as
# that condition on its row of pg_stat_activity says. Elsewhere it could hold a
# lock of the server's: then the others wait for ever, or end the server.
sub stop_waiting
{
	my ($node, $pid, $condition) = @_;

	wait_until(sub {
		kill('STOP', $pid) or die "could not stop process $pid: $!";
		wait_until(sub { slurp_file("/proc/$pid/stat") =~ /\) T / }, 'a process to stop');
		return 1 if run_sql($node, "SELECT $condition FROM pg_stat_activity WHERE pid = $pid") eq 't';
		kill 'CONT', $pid;
		return 0;
	}, 'a process to wait');
	return;
}

# stop_worker(server, database): waits until the worker of the database has
# nothing to do, and stops its process, so that what sessions ask of it gathers.
# Answers the process.
sub stop_worker
{
	my ($node, $database) = @_;
	my $pid = worker_pid($node, $database);

	stop_waiting($node, $pid, "state = 'idle' AND wait_event IS NOT NULL");
	return $pid;
}

# Waits until no database has a worker.
sub wait_for_no_worker
{
	my ($node) = @_;

	wait_for_true($node, q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'idgen worker'}, 'no worker');
	return;
}

# start_pgbench(server, name, script, option, ...): starts pgbench. Its output
# is in stdout and stderr once run has finished.
sub start_pgbench
{
	my ($node, $name, $script, @options) = @_;
	my %run = (stdout => '', stderr => '');
	my $file = $node->basedir . "/$name";

	append_to_file($file, $script);
	$run{run} = IPC::Run::start(
		[ $node->installed_command('pgbench'), '-n', '-j', 2, '-f', $file, @options, $node->connstr('postgres') ],
		'>', \$run{stdout},
		'2>', \$run{stderr});
	return \%run;
}

# random_transaction(statements, isolation level, ...): a script for pgbench,
# which runs the statements in a transaction at one of these levels, or any if
# none is given. One transaction in four is rolled back.
sub random_transaction
{
	my ($statements, @levels) = @_;
	@levels = ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE') unless @levels;
	my $begin = '\\' . join('\el', map { "if :level = $_\nBEGIN ISOLATION LEVEL $levels[$_];\n" } 0 .. $#levels);

	return qq{
\\set level random(0, $#levels)
\\set end random(0, 3)
$begin\\endif
$statements
\\if :end = 0
ROLLBACK;
\\else
COMMIT;
\\endif
};
}

# start_clients(server, number, statements, times => n, on_error_stop => 0):
# starts psql clients that run the same statements over and over, as often as
# that, or as long as the server lets them. What a client is told goes to a file
# of its own. An error ends a client, unless on_error_stop is 0.
sub start_clients
{
	my ($node, $number, $statements, %params) = @_;
	my $dir = PostgreSQL::Test::Utils::tempdir();
	my @clients;

	append_to_file("$dir/script", $statements x ($params{times} // 5000));
	for my $i (1 .. $number)
	{
		my $out = "$dir/out$i";
		my $run = IPC::Run::start(
			[
				$node->installed_command('psql'), '-XAt',
				'-d', $node->connstr('postgres') . ' application_name=client',
				'-v', 'ON_ERROR_STOP=' . ($params{on_error_stop} // 1), '-f', "$dir/script"
			],
			'>', $out,
			'2>', "$dir/err$i");
		push @clients, { run => $run, out => $out, err => "$dir/err$i" };
	}
	return @clients;
}

# Starts clients of a node, which go on while its central server is away. They
# draw from "x", which the sessions refill, and from "worker", which the worker
# refills.
sub start_node_clients
{
	my ($node) = @_;
	return start_clients(
		$node, 3, q{
\set VERBOSITY verbose
SELECT 'x ' || idgen_next('x') FROM pg_sleep(0.002);
SELECT 'worker ' || idgen_next('worker') FROM pg_sleep(0.002);
BEGIN;
SELECT 'x ' || idgen_next('x');
ROLLBACK;
}, on_error_stop => 0, times => 20_000);
}

# wait_for_lines(number, client, ...): waits until every client has got that
# many lines.
sub wait_for_lines
{
	my ($number, @clients) = @_;

	for my $client (@clients)
	{
		wait_until(sub {
			return 1 if -e $client->{out} && (slurp_file($client->{out}) =~ tr/\n//) >= $number;
			die 'client ended early: ' . slurp_file($client->{err})
			  unless $client->{run}->pumpable;
			$client->{run}->pump_nb;
			return 0;
		}, 'clients');
	}
	return;
}

# wait_for_ids(number, client, ...): waits until every client has got that many
# more ids than it has now.
sub wait_for_ids
{
	my ($number, @clients) = @_;
	my %goal = map { $_ => seen_ids($_) + $number } @clients;

	foreach my $client (@clients)
	{
		wait_until(sub {
			die 'client ended early: ' . slurp_file($client->{err}) unless $client->{run}->pumpable;
			$client->{run}->pump_nb;
			return seen_ids($client) >= $goal{$client};
		}, 'clients');
	}
	return;
}

# Waits until the clients are gone, because their connections or their input
# are.
sub finish_clients
{
	$_->{run}->finish for @_;
	return;
}

# terminate_clients(server, client, ...): ends the clients by ending their
# connections.
sub terminate_clients
{
	my ($node, @clients) = @_;

	$node->safe_psql(
		'postgres', q{
		SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
		WHERE application_name = 'client'});
	finish_clients(@clients);
	return;
}

# What these clients saw in transactions that they know to have committed: a
# list of the lines that look like "<sequence> <id>".
sub committed_ids
{
	my @ids;

	for my $client (@_)
	{
		my ($in_transaction, @pending) = (0);

		for my $line (split /\n/, slurp_file($client->{out}))
		{
			if ($line eq 'BEGIN')
			{
				($in_transaction, @pending) = (1);
			}
			elsif ($line eq 'COMMIT')
			{
				push @ids, @pending;
				($in_transaction, @pending) = (0);
			}
			elsif ($line eq 'ROLLBACK')
			{
				($in_transaction, @pending) = (0);
			}
			elsif ($line =~ /^\w+ \d+$/)
			{
				if ($in_transaction)
				{
					push @pending, $line;
				}
				else
				{
					push @ids, $line;
				}
			}
			elsif ($line !~ /^INSERT 0 \d+$/)
			{
				die "unexpected answer \"$line\"";
			}
		}
	}
	return @ids;
}

# All lines "<sequence> <id>" that these clients saw, committed or not.
sub seen_ids
{
	return map { slurp_file($_->{out}) =~ /^\w+ \d+$/mg } @_;
}

# The errors that these clients met with: the SQLSTATE and the message of each,
# if the clients have set VERBOSITY to verbose.
sub client_errors
{
	return map { slurp_file($_->{err}) =~ /^psql:\S+: (?:ERROR|FATAL):  (.*)/mg } @_;
}

1;
