# What the TAP tests share: servers that have the extension, and clients that
# write down what they saw.
package IdgenTest;

use strict;
use warnings FATAL => 'all';

# PostgreSQL's Perl library names data and logs after the file that runs, without
# its folder. Tests of two topics may have the same name: here they get both,
# worker-crash.pl, before the library looks.
BEGIN
{
	$0 =~ s{.*/(\w+)/(\w+\.pl)\z}{$1-$2};
}

use Exporter 'import';
use IPC::Run ();
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(
  idgen_server plain_server extension_available init_server central_server server_options idgen_nodes create_remote
  not_allocated missing_ids other_program start_pgbench duplicates answer sqlstate start_statement wait_for_waiters
  start_clients start_node_clients finish_clients wait_until wait_for_lines wait_for_ids committed_ids seen_ids client_errors
  worker_pid wait_for_no_worker use_up terminate_clients
  restart_file write_file file_ignored start_and_read kill_server wait_for_restart
  fake_clock_library start_with_clock set_clock id_time build_library
  create_all_kinds all_kinds start_all_kinds issued_ids drawn_ids goes_on make_synchronous
);

# idgen_server(name, init => [...], conf => text, preload => 0): a server that
# is running and has the extension in database "postgres".
sub idgen_server
{
	my ($name, %params) = @_;
	my $preload = $params{preload} // 1;
	my $node = plain_server($name, %params,
		conf => ($preload ? "shared_preload_libraries = 'idgen'\n" : '') . ($params{conf} // ''));

	$node->safe_psql('postgres', 'CREATE EXTENSION idgen');
	return $node;
}

# The same without the extension.
sub plain_server
{
	my ($name, %params) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name, $params{install_path} ? (install_path => $params{install_path}) : ());

	init_server($node, @{ $params{init} // [] });
	$node->append_conf('postgresql.conf', 'log_statement = none');
	$node->append_conf('postgresql.conf', $params{conf}) if $params{conf};
	$node->start;
	return $node;
}

# init_server(server, ...): its init(...), with the encoding and the locale that the
# regression tests have, whatever the language of the caller is.
sub init_server
{
	my ($node, %params) = @_;

	$node->init(%params, extra => [ '--encoding=UTF8', '--no-locale', @{ $params{extra} // [] } ]);
	return;
}

# Is that extension installed next to the server, so that it can be created?
sub extension_available
{
	my ($node, $name) = @_;
	return $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = '$name'");
}

# central_server(name, init => [...], conf => text): a server that is running and has
# the classic table id_sequences in database "postgres", but not the extension.
sub central_server
{
	my ($name, %params) = @_;
	my $centre = plain_server($name, %params);

	$centre->safe_psql(
		'postgres', q{
		CREATE TABLE id_sequences (
			name varchar(255) PRIMARY KEY,
			next_block_start bigint NOT NULL,
			block_size integer NOT NULL,
			exhausted smallint NOT NULL DEFAULT 0)});
	return $centre;
}

# The options of CREATE SERVER that lead to the first one of these servers that answers.
sub server_options
{
	return sprintf(
		"host '%s', port '%s', dbname 'postgres'",
		join(',', map { $_->host } @_), join(',', map { $_->port } @_));
}

# idgen_nodes(number, centres => [server, ...], options => text, conf => text, ...): servers
# node1, node2 ... as idgen_server() makes them, that have a foreign server "central" with
# these options besides server_options(centres), and a user mapping for the superuser. The
# time for a refill is long: how fast this machine is does not matter.
sub idgen_nodes
{
	my ($number, %params) = @_;
	my $options = join(', ', server_options(@{ $params{centres} }), $params{options} // ());
	my $conf = "idgen.server_timeout = '100s'\n" . ($params{conf} // '');
	my @nodes = map { idgen_server("node$_", %params, conf => $conf) } 1 .. $number;

	foreach my $node (@nodes)
	{
		$node->safe_psql(
			'postgres', qq{
			CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options);
			CREATE USER MAPPING FOR CURRENT_USER SERVER central});
	}
	return @nodes;
}

# Create an id sequence on each node that draws from server "central"; further arguments of
# idgen_create() as text.
sub create_remote
{
	my ($name, $arguments, @nodes) = @_;

	$arguments = ", $arguments" if $arguments ne '';
	$_->safe_psql('postgres',
		"SELECT idgen_create('$name', source => 'server', source_name => 'central'$arguments)")
	  foreach @nodes;
	return;
}

# Those of the lines "<id sequence> <id>" whose id the centre has not allocated, as text.
sub not_allocated
{
	my ($centre, @ids) = @_;
	my %next = map { split /\|/ } split /\n/,
	  $centre->safe_psql('postgres', 'SELECT name, next_block_start FROM id_sequences');

	return join("\n", grep { /^(\w+) (\d+)$/ && $2 >= $next{$1} } @ids);
}

# How many ids the centre has allocated that are neither issued, of which there are so many,
# nor in the nodes' accounts. A worker may still be about to put some into the cache.
sub missing_ids
{
	my ($name, $issued, $centre, @nodes) = @_;
	my $missing;

	wait_until(sub {
		$missing = $centre->safe_psql('postgres', "SELECT next_block_start - 1 FROM id_sequences WHERE name = '$name'") - $issued;
		$missing -= $_->safe_psql('postgres', "SELECT coalesce(sum(ids_cached + ids_lost), 0) FROM idgen_stats WHERE name = '$name'")
		  foreach @nodes;
		return $missing <= 0;
	}, "all ids of $name");
	return $missing;
}

# What another program does that allocates a block and issues the ids of it itself, for
# pgbench. The block is either locked, or has to be tried for again.
sub other_program
{
	my ($sequence, $begin, $for_update) = @_;
	return qq{
\\set end random(0, 4)
$begin;
SELECT next_block_start AS first, block_size AS n FROM id_sequences WHERE name = '$sequence' $for_update \\gset
UPDATE id_sequences SET next_block_start = next_block_start + :n WHERE name = '$sequence';
INSERT INTO drawn SELECT '$sequence', generate_series(:first, :first + :n - 1);
\\if :end = 0
ROLLBACK;
\\else
COMMIT;
\\endif
};
}

# Start pgbench with a script of that name. Its output is in stdout and stderr, once run
# has finished.
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

# Those elements of a list that are there more than once, as text.
sub duplicates
{
	my %count;

	$count{$_}++ for @_;
	return join(' ', sort grep { $count{$_} > 1 } keys %count);
}

# What a background session answers to a statement. If that fails, the SQLSTATE,
# as far as the session's VERBOSITY shows nothing else, or else the line.
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

# The SQLSTATE that the statement fails with, in a connection of its own;
# empty if it does not fail.
sub sqlstate
{
	my ($node, $sql, $connstr) = @_;
	my ($ret, $stdout, $stderr) = $node->psql(
		'postgres', $sql,
		connstr => $connstr // $node->connstr('postgres'),
		extra_params => [ '-v', 'VERBOSITY=sqlstate' ]);

	return $stderr =~ /(?:ERROR|FATAL):  (\w{5})/ ? $1 : '';
}

# A session in which a statement is running, after others that are done. query('')
# gets its answer.
sub start_statement
{
	my ($node, $sql, @before) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query_safe($_) for @before;
	$session->query_until(qr/running/, "\\echo running\n$sql;\n");
	return $session;
}

# Wait until so many sessions wait, for a lock or that kind of event, in a query
# that matches.
sub wait_for_waiters
{
	my ($node, $number, $query, $type) = @_;
	$type //= 'Lock';
	$node->poll_query_until(
		'postgres', qq{
		SELECT count(*) = $number FROM pg_stat_activity
		WHERE wait_event_type = '$type' AND query ~ '$query'})
	  or die 'nobody waits';
	return;
}

# Start psql clients that run the same statements over and over, times => n times, or
# as long as the server lets them. Everything they are told goes to a file each. An error
# ends a client, unless on_error_stop => 0.
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

# Start clients of a node, which go on while its central server is away. They draw from
# "x", of which the sessions refill, and from "worker", of which the worker does.
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

# Wait until the function's answer is true.
sub wait_until
{
	my ($condition, $what) = @_;
	my $deadline = time + $PostgreSQL::Test::Utils::timeout_default;

	until ($condition->())
	{
		die "timed out waiting for $what" if time > $deadline;
		select(undef, undef, undef, 0.02);
	}
	return;
}

# Wait until every client has got that many lines.
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

# Wait until every client has got so many ids more than until now.
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

# Wait until the clients are gone, because their connections or their input are.
sub finish_clients
{
	$_->{run}->finish for @_;
	return;
}

# End the clients by ending their connections.
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

# What the clients saw in transactions of which they know that they committed.
# Answers the lines that look like "<sequence> <id>" as a list.
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

# The errors that clients met with: the SQLSTATE and the message of each, if they have set
# VERBOSITY to verbose.
sub client_errors
{
	return map { slurp_file($_->{err}) =~ /^psql:\S+: (?:ERROR|FATAL):  (.*)/mg } @_;
}

# All lines "<sequence> <id>" that the clients saw, committed or not.
sub seen_ids
{
	return map { slurp_file($_->{out}) =~ /^\w+ \d+$/mg } @_;
}

# The process of a database's worker, once there is one; if given, another one than
# that.
sub worker_pid
{
	my ($node, $database, $not) = @_;
	my $query = sprintf(
		q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'idgen worker' AND datname = '%s' AND pid <> %d},
		$database, $not // 0);

	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM ($query) s") or die 'there is no worker';
	return $node->safe_psql('postgres', $query);
}

# Draw what is cached, and what the worker is about to bring, while its row is
# locked. Answers the last id.
sub use_up
{
	my ($node, $sequence, $schema) = @_;
	$schema //= 'public';

	$node->safe_psql(
		'postgres', qq{
		SET idgen.worker_timeout = '100ms';
		DO \$\$
		BEGIN
			LOOP
				PERFORM $schema.idgen_next('$sequence');
			END LOOP;
		EXCEPTION WHEN lock_not_available OR insufficient_resources THEN
			NULL;
		END\$\$});
	return $node->safe_psql('postgres', "SELECT next_block_start - 1 FROM $schema.id_sequences WHERE name = '$sequence'");
}

# Wait until no database has a worker.
sub wait_for_no_worker
{
	my ($node) = @_;

	$node->poll_query_until('postgres',
		q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'idgen worker'})
	  or die 'there still is a worker';
	return;
}

# Where a server that is stopped keeps what it has cached.
sub restart_file
{
	my ($node) = @_;
	return $node->data_dir . '/pg_stat/idgen.cache';
}

# Why the server has ignored that file, according to its log from that place on; empty
# if it has not.
sub file_ignored
{
	my ($node, $offset) = @_;

	return slurp_file($node->logfile, $offset) =~
	  m{LOG:  ignoring file "pg_stat/idgen\.cache"\n.*DETAIL:  (.*)} ? $1 : '';
}

# Start a server; answers as file_ignored().
sub start_and_read
{
	my ($node) = @_;
	my $offset = -s $node->logfile || 0;

	$node->start;
	return file_ignored($node, $offset);
}

# Make a file that holds these bytes.
sub write_file
{
	my ($file, $contents) = @_;

	open(my $out, '>:raw', $file) or die "could not write $file: $!";
	print $out $contents;
	close($out) or die "could not write $file: $!";
	return;
}

# build_library(name, option, ...): a library made of the C file of that name, which lies
# here; undef if there is no compiler.
sub build_library
{
	my ($name, @options) = @_;
	my ($source) = map { "$_/$name.c" } grep { -e "$_/$name.c" } @INC;
	my $library = PostgreSQL::Test::Utils::tempdir() . "/$name.so";
	my $found = eval { IPC::Run::run([ 'cc', '--version' ], '>', \my $version) };

	return unless $found;
	system_or_bail('cc', '-O2', '-fPIC', '-shared', @options, '-o', $library, $source);
	return $library;
}

# The library that lets a test set the clock of a server; undef if it is not there,
# or the environment says to do without.
sub fake_clock_library
{
	return if $ENV{NO_FAKE_CLOCK};
	return (glob '/usr/lib/*/faketime/libfaketime.so.1')[0];
}

# Set the clock of a server that was started by start_with_clock(): to a time in
# seconds since 1970, where it then stands still, or, with a sign, to so many seconds
# off the true time.
sub set_clock
{
	my ($node, $time) = @_;
	my $file = $node->basedir . '/clock';

	$time = POSIX::strftime('%Y-%m-%d %H:%M:%S', gmtime($time)) unless $time =~ /^[+-]/;
	unlink "$file.new";
	append_to_file("$file.new", "$time\n");
	rename("$file.new", $file) or die "could not rename $file.new: $!";
	return;
}

# Start a server with a clock that is set.
sub start_with_clock
{
	my ($node, $time) = @_;

	set_clock($node, $time);
	local %ENV = (
		%ENV,
		TZ => 'UTC',
		LD_PRELOAD => fake_clock_library(),
		FAKETIME_TIMESTAMP_FILE => $node->basedir . '/clock',
		FAKETIME_NO_CACHE => 1,
		FAKETIME_DONT_FAKE_MONOTONIC => 1,
		NO_FAKE_STAT => 1);
	$node->start;
	return;
}

# The milliseconds since 1970 in a time-ordered id.
sub id_time
{
	my ($id) = @_;
	return ($id >> 22) + 1_704_067_200_000;
}

# An id sequence of each kind that keeps its place in the database, with how to draw from
# it: refilled by sessions or by the worker, from the table, native sequences and a
# function, with blocks of different sizes.
my %all_kinds = (
	(map { $_ => "idgen_next('$_')" }
		  qw(own small large gapless worker worker_small runs native_worker fun)),
	native => q{idgen_next('native', 'sequence')});

sub all_kinds
{
	return %all_kinds;
}

# Create them, and a table for ids that are drawn.
sub create_all_kinds
{
	my ($node) = @_;

	$node->safe_psql(
		'postgres', q{
		CREATE SEQUENCE native_seq INCREMENT BY 20;
		CREATE SEQUENCE native_worker_seq INCREMENT BY 5;
		CREATE SEQUENCE runs_seq;
		CREATE TABLE counter (name text PRIMARY KEY, next bigint);
		INSERT INTO counter VALUES ('fun', 1);
		CREATE FUNCTION allocate(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint)
		BEGIN ATOMIC
			UPDATE counter c SET next = next + 20 * blocks WHERE c.name = allocate.name
			RETURNING next - 20 * blocks, next - 1;
		END;
		SELECT idgen_create('own'),
			idgen_create('small', block_size => 3),
			idgen_create('large', block_size => 200),
			idgen_create('gapless', block_size => 1),
			idgen_create('worker', refill => 'worker'),
			idgen_create('worker_small', block_size => 3, refill => 'worker'),
			idgen_create('runs', source => 'sequence', block_size => 50),
			idgen_create('native_worker', source => 'sequence', refill => 'worker'),
			idgen_create('fun', source => 'function', source_name => 'allocate');
		CREATE TABLE drawn (name text, id bigint, PRIMARY KEY (name, id))});
	return;
}

# Start clients that draw from all kinds, or kinds => [name, ...]: alone, into the table,
# and in transactions that commit or roll back.
sub start_all_kinds
{
	my ($node, $number, %params) = @_;
	my @names = sort @{ $params{kinds} // [ keys %all_kinds ] };
	my $select = join('', map { "SELECT '$_ ' || $all_kinds{$_};\n" } @names);
	my $insert = join('',
		map { "INSERT INTO drawn VALUES ('$_', $all_kinds{$_}) RETURNING name || ' ' || id;\n" } @names);

	return start_clients($node, $number, "$select$insert${select}BEGIN;\n${insert}COMMIT;\nBEGIN;\n${select}ROLLBACK;\n",
		times => 500, %params);
}

# The ids that clients of all kinds have got for good: in transactions of which they know
# that they committed or, if they are not taken back with the transaction, at all.
sub issued_ids
{
	my $transactional = qr/^(?:own|small|large|gapless|fun) /;

	return ((grep { /$transactional/ } committed_ids(@_)), (grep { !/$transactional/ } seen_ids(@_)));
}

# The ids in the table, like lines of clients.
sub drawn_ids
{
	my ($node, $database) = @_;
	return split /\n/, $node->safe_psql($database // 'postgres', q{SELECT name || ' ' || id FROM drawn});
}

# Does each kind go on at a server behind all these ids? New ones go into the table, too.
sub goes_on
{
	my ($node, $what, $ids, $database) = @_;
	my (%max, @behind);

	foreach my $id (@$ids)
	{
		my ($name, $number) = split / /, $id;
		$max{$name} = $number if $number > ($max{$name} // 0);
	}
	my $new = $node->safe_psql(
		$database // 'postgres',
		join('', map { qq{
		WITH new AS (INSERT INTO drawn SELECT '$_', $all_kinds{$_} FROM generate_series(1, 50) RETURNING id)
		SELECT '$_ ' || min(id) FROM new;} } sort keys %all_kinds));

	foreach my $id (split /\n/, $new)
	{
		my ($name, $number) = split / /, $id;
		push @behind, "$id is not after " . ($max{$name} // 'any') if $number <= ($max{$name} // $number);
	}
	is(join("\n", @behind), '', "$what: every id sequence goes on");
	return;
}

# Make a server's commits wait for a standby that is running, or a subscription of that name.
sub make_synchronous
{
	my ($primary, $standby) = @_;

	$primary->safe_psql(
		'postgres', sprintf(
			q{
			ALTER SYSTEM SET synchronous_standby_names = '%s';
			SELECT pg_reload_conf()},
			ref $standby ? $standby->name : $standby));
	$primary->poll_query_until('postgres',
		q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'})
	  or die 'the standby is not synchronous';
	return;
}

# End a server with kill -9, and wait until all its processes are gone. Those that are
# stopped have to be named.
sub kill_server
{
	my ($node, @stopped) = @_;
	my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	my @pids = split /\n/, $node->safe_psql('postgres', 'SELECT pid FROM pg_stat_activity');

	$node->kill9;
	kill 'KILL', @stopped;
	wait_until(sub { !kill 0, $postmaster, @pids }, 'processes to end');
	return;
}

# Wait until a server that crashed has started again by itself; offset is where its log
# ended before. (Asking it would not do: it does not know of the crash at once, and a psql
# that cannot connect ends without reading its query, of which poll_query_until() dies.)
sub wait_for_restart
{
	my ($node, $offset) = @_;

	$node->wait_for_log(qr/database system is ready to accept connections/, $offset);
	return;
}

1;
