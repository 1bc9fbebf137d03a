# Runs what the generator makes, in several sessions at once, and looks for what
# must not happen, whatever is run: a crash, an internal error (SQLSTATE XX...),
# a leak, a session or a lock that stays, a server that does not stop, an id
# sequence that does not work.
#
# The server's log says nearly all of that: the driver only sends statements. A
# session is a process that runs psql for one connection after another.
package Driver;

use strict;
use warnings FATAL => 'all';

use File::Basename qw(dirname);
use Generator ();
use IdgenTest qw(init_server);
use IO::Socket::UNIX;
use JSON::PP;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

# How long a session may take to end, and anything else that has to work.
my $patience = $PostgreSQL::Test::Utils::timeout_default / 3;

# What the log must not have, of whatever severity.
my ($bad) = map { qr/$_/ } join(
	'|',
	'"state_code":"XX', '"error_severity":"PANIC"', 'terminated by signal', 'TRAP:', ' leak', 'still referenced',
	"you don't own a lock", 'non-empty SPI stack', 'while in \\w+ state', 'problem in alloc set', 'detected write past');

# Internal errors that the server itself raises for plain SQL while others
# change the catalog: it looks up an OID, as for nextval('x'), without a lock on
# what may be dropped then. A call of idgen must not fail so.
my $dropped = qr/^could not open relation with OID \d+$|^cache lookup failed for /;

# So does a query that calls a function which is dropped just then, idgen's
# included, or that names a column of a composite type of it.
my $called = qr/^(?:clauses|fmgr|functions|parse_func)\.c |^lsyscache\.c func_parallel$|^pl_comp\.c plpgsql_compile$|^parse_type\.c typeOrDomainTypeRelid$/;

# So does the server's compiler of PL/pgSQL, where a type that the function uses
# is dropped just then; and what begins a function in SQL, with a table.
my $compiled = qr/^compilation of PL\/pgSQL function |^SQL function "\w+" during startup/;

# So does the server's planner, where a function in SQL is a part of the query,
# and a table of that is dropped just then.
my $inlined = qr/^relation\.c relation_open$/;

# The same where a row of the catalog is updated without a lock, as by GRANT or
# CREATE OR REPLACE. idgen updates none but by such commands.
my $updated = qr/^tuple concurrently (?:updated|deleted)$/;

# A function that was labelled parallel safe and locks rows. idgen's functions
# say that they cannot be called there.
my $parallel = qr/^cannot assign XIDs during a parallel operation$/;

# An index of id_sequences that is being built, with a function that itself has
# a row written. The server counts the index among those of the table already.
my $unbuilt = qr/^could not read block 0 in file "[^"]+": read only 0 of \d+ bytes$/;

# A server with the databases, and the generator that knows the extension.
sub new
{
	my ($class) = @_;
	my $self = bless { seen => {}, statements => 0, directory => PostgreSQL::Test::Utils::tempdir() }, $class;
	my $node = $self->{node} = PostgreSQL::Test::Cluster->new('fuzz');
	my $silent = PostgreSQL::Test::Utils::tempdir_short();

	# one that takes connections, and never says a word
	$self->{silent} = IO::Socket::UNIX->new(Local => "$silent/.s.PGSQL." . $node->port, Listen => 100) or die "could not listen: $!";

	init_server($node);
	$node->append_conf('postgresql.conf', qq{
		logging_collector = on
		log_destination = jsonlog
		log_filename = 'fuzz.log'
		log_rotation_age = 0
		log_rotation_size = 0
		log_error_verbosity = verbose
		log_connections = on
		log_statement = none
		log_min_messages = warning
		restart_after_crash = on
		autovacuum = on
		autovacuum_naptime = 1s
		deadlock_timeout = 200ms
		max_connections = 60
		max_prepared_transactions = 60
		idgen.node_id = 3
		idgen.worker_timeout = 300ms
		idgen.server_timeout = 300ms
		idgen.worker_idle_timeout = 1s
		fuzz.silent = '$silent'});
	return $self;
}

# What the extension has, as JSON.
my $read_catalog = q{
	LOAD 'idgen';
	WITH members AS (
		SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid
		WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = 'idgen'
	), functions AS (
		SELECT p.oid, p.proname AS name, p.pronargdefaults AS defaults, p.prorettype = 'trigger'::regtype AS is_trigger,
			(SELECT coalesce(json_agg(json_build_object('name', coalesce(a.name, ''), 'type', format_type(a.type, NULL)) ORDER BY a.number), '[]')
			FROM (
				SELECT row_number() OVER (ORDER BY i) AS number, (p.proargnames)[i] AS name,
					coalesce((p.proallargtypes)[i], (p.proargtypes::oid[])[i - 1]) AS type
				FROM generate_series(1, coalesce(cardinality(p.proallargtypes), p.pronargs)) AS i
				WHERE p.proargmodes IS NULL OR (p.proargmodes)[i] IN ('i', 'b', 'v')) a) AS arguments
		FROM pg_proc p JOIN members m ON m.objid = p.oid AND m.classid = 'pg_proc'::regclass
	)
	SELECT json_build_object(
		'functions', (SELECT json_agg(f ORDER BY name, arguments::text) FROM functions f),
		'triggers', (SELECT json_agg(name || '()' ORDER BY name) FROM functions WHERE is_trigger),
		'relations', (SELECT json_agg(relname ORDER BY relname) FROM pg_class c
			JOIN members m ON m.objid = c.oid AND m.classid = 'pg_class'::regclass WHERE c.relkind IN ('r', 'v')),
		'columns', (SELECT json_agg(json_build_object('name', attname, 'type', format_type(atttypid, NULL)) ORDER BY attnum)
			FROM pg_attribute WHERE attrelid = 'id_sequences'::regclass AND attnum > 0),
		'constraints', (SELECT json_agg(conname ORDER BY conname) FROM pg_constraint WHERE conrelid = 'id_sequences'::regclass),
		'triggers_of_table', (SELECT json_agg(tgname ORDER BY tgname) FROM pg_trigger WHERE tgrelid = 'id_sequences'::regclass),
		'settings', (SELECT json_agg(json_build_object('name', name, 'reset_val', boot_val, 'min_val', min_val, 'max_val', max_val, 'enumvals', enumvals)
			ORDER BY name) FROM pg_settings WHERE name LIKE 'idgen.%'));
};

# Make roles, databases, and what is in them.
sub prepare
{
	my ($self) = @_;
	my $node = $self->{node};

	if (!$self->{generator})
	{
		$node->safe_psql('postgres', 'CREATE ROLE fuzz_super LOGIN SUPERUSER; CREATE ROLE fuzz_owner LOGIN; CREATE ROLE fuzz_user LOGIN');
		$node->safe_psql('postgres', "CREATE DATABASE $_ TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' ENCODING '$Generator::encodings{$_}'")
		  foreach keys %Generator::encodings;
	}
	$self->set_up($_) foreach sort keys %Generator::encodings;
	$self->{generator} //= Generator->new(decode_json($node->safe_psql('fuzz_utf8', $read_catalog)));
	return;
}

# Make all new in a database. Answers errors.
sub set_up
{
	my ($self, $database) = @_;

	return $self->ask("ALTER DATABASE $database RESET ALL") . $self->ask('\i ' . dirname(__FILE__) . '/setup.sql', $database);
}

# One round: start the server with these settings, run that many sessions for
# that many seconds, see what is left of them, stop the server. Answers
# findings, as text.
sub round
{
	my ($self, %params) = @_;
	my $node = $self->{node};
	my $log = $node->data_dir . '/log/fuzz';
	my @from = map { -s $_ // 0 } "$log.log", "$log.json";

	$self->{findings} = [];
	unlink $node->data_dir . '/postgresql.auto.conf';
	$node->append_conf('postgresql.conf', $params{conf});
	$node->start;
	$self->prepare;

	my @sessions = map { $self->start_session(seed => $params{seed}, session => $_, until => time + $params{seconds}) } 1 .. $params{sessions};
	sleep $params{seconds};
	if (!$self->end_sessions(@sessions) || !$self->nothing_is_left || !$self->still_works)
	{
		kill 'KILL', @sessions;
		$node->stop('immediate', fail_ok => 1);
	}
	elsif (!$node->stop('fast', fail_ok => 1, timeout => $patience))
	{
		$self->found('the server does not stop');
		$node->stop('immediate', fail_ok => 1);
	}
	$self->read_log("$log.log", $from[0]);
	$self->read_log("$log.json", $from[1]);
	$self->count;
	return @{ $self->{findings} };
}

# The file with what a connection runs, without its suffix.
sub connection_file
{
	my ($self, @which) = @_;
	return "$self->{directory}/" . join('.', @which);
}

# Start a process that runs one connection after another.
sub start_session
{
	my ($self, %params) = @_;
	my $node = $self->{node};
	my $pid = fork // die "could not fork: $!";

	return $pid if $pid;
	for (my $connection = 1; time < $params{until}; $connection++)
	{
		my @which = ($params{seed}, $params{session}, $connection);
		my $file = $self->connection_file(@which);
		my ($role, $database, @statements) = $self->{generator}->script(@which);
		my $number = 0;

		local %ENV = (%ENV, PGOPTIONS => '-c statement_timeout=500ms -c client_min_messages=error', PGAPPNAME => join('.', 'fuzz', @which));
		append_to_file("$file.sql", join('', map { $number++; "\\echo #$number\n" . ($_ =~ /^\\|\\gexec$|\n$/ ? "$_\n" : "$_;\n") } @statements));
		system(
			$node->installed_command('psql') . " -XqAt -v VERBOSITY=sqlstate -o /dev/null -f $file.sql -U $role -h '"
			  . $node->host . "' -p " . $node->port . " $database >$file.out 2>&1");
	}
	POSIX::_exit(0);
}

# Ends what sessions still run, after which they all have to be gone in time.
sub end_sessions
{
	my ($self, @sessions) = @_;
	my $deadline = time + $patience;
	my %running = map { $_ => 1 } @sessions;

	while (%running)
	{
		$self->ask(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'fuzz%' AND pid <> pg_backend_pid()});
		delete @running{ grep { waitpid($_, POSIX::WNOHANG) != 0 } keys %running };
		if (time > $deadline)
		{
			$self->found("sessions do not end\n" . $self->whereabouts);
			return 0;
		}
		sleep 0.2;
	}
	return 1;
}

# What the sessions that are left wait for, and what they ran.
sub whereabouts
{
	my ($self) = @_;
	my $text = $self->ask(
		q{
		SELECT application_name, pid, backend_type, state, wait_event_type, wait_event, query FROM pg_stat_activity WHERE datname LIKE 'fuzz%';
		SELECT * FROM pg_locks WHERE pid <> pg_backend_pid() OR pid IS NULL}) . "\n";

	# if there is a debugger
	$text .= `gdb -p $_ -batch -ex bt 2>&1` foreach $text =~ /^fuzz\.[\d.]+\|(\d+)\|/mg;
	return $text . join('', map { $self->what_ran($_) } $text =~ /^fuzz\.(\d+\.\d+\.\d+)\|/mg);
}

# What a query of a superuser's gives, errors included, in time.
sub ask
{
	my ($self, $query, $database) = @_;
	my ($timed_out, $answer, $errors) = (0, '', '');

	$self->{node}->psql(
		$database // 'postgres', $query,
		stdout => \$answer, stderr => \$errors, timeout => $patience, timed_out => \$timed_out, on_error_stop => 0,
		extra_params => [ '-U', 'fuzz_super' ]);
	$answer .= $1 while $errors =~ /^(\S+: (?:ERROR|FATAL|PANIC): .*)/mg;
	return $timed_out ? 'timed out' : $answer;
}

# Of the sessions, nothing may be left but what they have prepared.
sub nothing_is_left
{
	my ($self) = @_;
	my $deadline = time + $patience;
	my $left;

	$self->ask(q{SELECT format('ROLLBACK PREPARED %L', gid) FROM pg_prepared_xacts WHERE database = current_database() \gexec}, $_)
	  foreach keys %Generator::encodings;
	do
	{
		# autovacuum is none of theirs; the worker and remote sessions end by
		# and by
		$left = $self->ask(
			q{
			SELECT pid, backend_type, state, wait_event_type, wait_event, query FROM pg_stat_activity
			WHERE datname LIKE 'fuzz%' AND backend_type NOT LIKE 'autovacuum%' AND backend_type <> 'idgen worker' OR wait_event_type = 'LWLock';
			SELECT * FROM pg_locks l WHERE pid IS DISTINCT FROM pg_backend_pid() AND mode <> 'SIReadLock' AND NOT EXISTS (
				SELECT FROM pg_stat_activity a WHERE a.pid = l.pid AND (backend_type LIKE 'autovacuum%' OR backend_type = 'idgen worker'));
			SELECT * FROM pg_prepared_xacts});
		return 1 if $left eq '';
		sleep 0.2;
	} while (time < $deadline);
	$self->found("something is left\n$left");
	return 0;
}

# Id sequences work, and the views.
sub still_works
{
	my ($self) = @_;

	$self->ask('ALTER SYSTEM RESET ALL; SELECT pg_reload_conf()');
	foreach my $database (sort keys %Generator::encodings)
	{
		my $answer = $self->set_up($database);
		my $start = time;

		$answer .= $self->ask(
			q{
			SET idgen.server_timeout = '30s';
			SELECT idgen_next('plain'), idgen_next('gapless'), idgen_next('native'), idgen_next('seq', 'sequence'), idgen_next('func'), idgen_next('server');
			SELECT idgen_next('invoice/x'), idgen_next_text('invoice/x'), idgen_next_text('yearly', date '2026-05-05'), idgen_unscramble('scrambled', idgen_next('scrambled'));
			SELECT count(*) > 0 FROM idgen_stats;
			SELECT count(*) > 0 FROM idgen_cache}, $database);
		if ($answer ne "1|1|1|21|21|1\n1|INV-000002|INV-2026-000001|1\nt\nt" || time - $start > $patience)
		{
			$self->found("ids cannot be drawn in $database\n$answer");
			return 0;
		}
	}
	return 1;
}

# Look for what must not be in the log, from there on.
sub read_log
{
	my ($self, $file, $from) = @_;
	my %connections;

	open(my $log, '<:raw', $file) or die "could not open $file: $!";
	seek($log, $from, 0);
	while (my $line = <$log>)
	{
		$self->{errors}{$1}++ if $line =~ /"state_code":"(\w{5})"/;
		$connections{$1} = $2 if $line =~ /"pid":(\d+),.*application_name\W+(fuzz\.[\d.]+)/;
		next unless $line =~ $bad;
		if ($file !~ /json$/)
		{
			$self->found($line) if $line =~ /TRAP:/;
			next;
		}
		my $entry = JSON::PP->new->decode($line);
		$entry->{application_name} = $connections{$1} if $entry->{message} =~ /process \(PID (\d+)\)/;
		if ($entry->{message} =~ $updated
			|| $entry->{message} =~ $dropped && (!in_idgen($entry) || where_raised($entry) =~ $called || ($entry->{context} // '') =~ $compiled
				|| !$entry->{context} && where_raised($entry) =~ $inlined)
			|| $entry->{message} =~ $unbuilt && ($entry->{statement} // '') =~ /\bINDEX\b/
			|| $entry->{message} =~ $parallel && !in_idgen($entry) && ($entry->{context} // '') !~ /^.*idgen_/)
		{
			$self->{let_pass}{ $entry->{message} =~ s/\d+/N/gr }++;
			next;
		}
		$self->found(
			"$entry->{error_severity} " . ($entry->{state_code} // '') . ": $entry->{message}", $entry);
	}
	return;
}

# The file and the function of the server that have raised it.
sub where_raised
{
	my ($entry) = @_;
	return ($entry->{file_name} // '') . ' ' . ($entry->{func_name} // '');
}

# Was it a call of the extension that failed, and not an allocator that draws
# from a native sequence itself, nor a statement that only makes a function?
sub in_idgen
{
	my ($entry) = @_;

	return 0 if ($entry->{context} // '') =~ /^SQL function "alloc_good"/;
	return ($entry->{statement} // '') =~ s/^CREATE OR REPLACE FUNCTION.*//sr =~ /idgen_/;
}

# Note something that must not happen, once. With the entry of the log, what was
# run before it.
sub found
{
	my ($self, $what, $entry) = @_;
	my $kind = $what . ($entry->{file_name} // '') . ($entry->{file_line_num} // '');
	my $finding = "$what\n";

	$kind =~ s/\d+/N/g;
	return if $self->{seen}{$kind}++;
	if ($entry)
	{
		my $connection = ($entry->{application_name} // '') =~ s/^fuzz\.//r;

		$finding .= "$_: $entry->{$_}\n" foreach grep { defined $entry->{$_} } qw(application_name dbname user detail context statement backend_type func_name file_name file_line_num);
		$finding .= $self->what_ran($connection, $entry->{statement}) if $connection =~ /^\d+\.\d+\.\d+$/;
	}
	push @{ $self->{findings} }, $finding;
	return;
}

# What a connection has run, up to a statement if that is one of its own.
sub what_ran
{
	my ($self, $connection, $statement) = @_;
	my $file = $self->connection_file(split /\./, $connection);
	my @statements = split /^(?=\\echo #)/m, slurp_file("$file.sql");
	my ($last) = (0, -e "$file.out" ? slurp_file("$file.out") =~ /^#(\d+)$/mg : ())[-1];
	my $text = "what seed, session and connection $connection ran:\n";

	$#statements = $last - 1 if $last > 0;
	foreach (@statements)
	{
		$text .= s/^\\echo #\d+\n//r;
		last if defined $statement && index($_, $statement) >= 0;
	}
	return $text;
}

# Count the statements of this round, whose files are not needed any more.
sub count
{
	my ($self) = @_;

	foreach my $file (glob "$self->{directory}/*.out")
	{
		my @markers = slurp_file($file) =~ /^#/mg;

		$self->{statements} += @markers;
		unlink $file, $file =~ s/out$/sql/r;
	}
	return;
}

1;
