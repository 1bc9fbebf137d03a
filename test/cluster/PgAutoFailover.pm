# Two servers that pg_auto_failover keeps available, with its monitor. All
# listen on 127.0.0.1. The application's database is "app".
package PgAutoFailover;

use strict;
use warnings FATAL => 'all';

use IdgenTest::Sessions;
use JSON::PP qw(decode_json);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Process;
use Trial;

my $program = Process::program('pg_autoctl');
my @started;

# What is missing of the programs; a test that needs them is skipped then.
sub missing
{
	return (
		$program ? () : 'pg_autoctl',
		-e Trial::pg_config('pkglibdir') . '/pgautofailover.so' ? () : 'pgautofailover.so');
}

# PgAutoFailover->new(configuration): starts the monitor and both servers, with
# these lines in their configuration, and waits until one is the primary and the
# other one its synchronous standby.
sub new
{
	my ($class, $conf) = @_;
	my $pgbin = Trial::pg_config('bindir');
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my $sockets = PostgreSQL::Test::Utils::tempdir_short();
	my $self = bless {
		folder => $folder,
		sockets => $sockets,
		pgbin => $pgbin,
		# pg_autoctl keeps its state in folders of its user
		env => {
			HOME => "$folder/home",
			(map { ("XDG_$_" => "$folder/home/$_") } qw(CONFIG_HOME DATA_HOME RUNTIME_DIR)),
			PATH => "$pgbin:$ENV{PATH}",
			PG_REGRESS_SOCK_DIR => $sockets,
			PGHOST => $sockets
		}
	}, $class;

	mkdir $_ foreach @{ $self->{env} }{qw(HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR)};
	push @started, $self;

	my $monitor = $self->{monitor} = $self->member('monitor');

	$self->create($monitor, 'monitor');
	$self->run($monitor);
	wait_until(sub { defined $self->states }, 'the monitor');

	my $uri = "postgres://autoctl_node\@127.0.0.1:$monitor->{port}/pg_auto_failover";

	$self->{members} = [ map { $self->member($_) } qw(a b) ];
	foreach my $member (@{ $self->{members} })
	{
		$self->create($member, 'postgres', '--name', $member->{name}, '--monitor', $uri, '--dbname', 'app');
		# the second one is a copy of the first one, its configuration too
		append_to_file("$member->{data}/postgresql.conf", $conf) if $member->{name} eq 'a';
		$self->run($member);
		wait_until(sub { ($self->states // {})->{$member->{name}} }, "$member->{name} to register");
		wait_until(sub { $self->primary }, 'the primary') if $member->{name} eq 'a';
	}
	$self->wait_until_healthy;
	return $self;
}

sub member
{
	my ($self, $name) = @_;
	return { name => $name, data => "$self->{folder}/$name", port => PostgreSQL::Test::Cluster::get_free_port() };
}

sub create
{
	my ($self, $member, $kind, @options) = @_;
	my $process = Process->start(
		"create_$member->{name}",
		[
			$program, 'create', $kind, '--pgdata', $member->{data}, '--pgport', $member->{port},
			'--hostname', '127.0.0.1', '--auth', 'trust', '--no-ssl', @options
		],
		env => $self->{env});

	wait_until(sub { !$process->is_running }, "the making of $member->{name}");
	return;
}

sub run
{
	my ($self, $member) = @_;

	$member->{agent} = Process->start("autoctl_$member->{name}", [ $program, 'run', '--pgdata', $member->{data} ],
		env => $self->{env});
	return;
}

# The connection string that leads to the primary, whichever it is
sub connstr
{
	my ($self) = @_;
	my @ports = map { $_->{port} } @{ $self->{members} };

	return sprintf 'host=%s port=%s dbname=app user=postgres target_session_attrs=read-write connect_timeout=2',
	  join(',', map { '127.0.0.1' } @ports), join(',', @ports);
}

# What pg_autoctl says of the members: name => its reported state, if that is
# the one that the monitor wants; undef if the monitor does not answer.
sub states
{
	my ($self) = @_;

	local %ENV = (%ENV, %{ $self->{env} });
	my ($answer) = run_command([ $program, 'show', 'state', '--json', '--pgdata', $self->{monitor}{data} ]);
	my $members = eval { decode_json($answer) } // return;

	return {
		map { $_->{nodename} => $_->{current_group_state} eq $_->{assigned_group_state} ? $_->{current_group_state} : 'changing' }
		  @$members
	};
}

# The member that takes writes
sub primary
{
	my ($self) = @_;
	my $states = $self->states // return;
	my ($primary) = grep { ($states->{ $_->{name} } // '') =~ /^(?:single|primary|wait_primary)$/ } @{ $self->{members} };

	return $primary;
}

sub wait_until_healthy
{
	my ($self) = @_;

	wait_until(sub { join(' ', sort values %{ $self->states // {} }) eq 'primary secondary' }, 'a healthy pair');
	return;
}

sub wait_for_another_primary
{
	my ($self, $old) = @_;
	my $primary;

	wait_until(sub { ($primary = $self->primary) && $primary != $old }, 'another primary');
	return $primary;
}

sub psql
{
	my ($self, $sql) = @_;
	my ($out, $err) = run_command([ "$self->{pgbin}/psql", '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $self->connstr, '-c', $sql ]);

	die "$sql: $err" if $err =~ /ERROR|FATAL|error:/;
	return $out;
}

#
# What happens to it
#

# A planned switchover; returns when the other one is the primary. The monitor
# refuses it for a moment after other events.
sub switch_over
{
	my ($self) = @_;
	my $primary;

	local %ENV = (%ENV, %{ $self->{env} });
	wait_until(sub {
		$primary = $self->primary // return '';
		return PostgreSQL::Test::Utils::system_log($program, 'perform', 'switchover', '--pgdata', $self->{monitor}{data}) == 0;
	}, 'a switchover');
	$self->wait_for_another_primary($primary);
	return;
}

# The server crashes; its agent starts it again.
sub crash_server
{
	my ($self, $member) = @_;

	kill 'KILL', Process::postmaster($member->{data});
	return;
}

# All processes of the host are gone at once.
sub lose_host
{
	my ($self, $member) = @_;

	Process::kill_tree($member->{agent}->pid, Process::postmaster($member->{data}));
	wait_until(sub { !$member->{agent}->is_running }, 'the end of the agent');
	return;
}

# Ends all of it. Servers need not end with the agents that started them.
sub stop
{
	my ($self) = @_;

	foreach my $member (grep { defined } $self->{monitor}, @{ $self->{members} })
	{
		Process::kill_tree($member->{agent}->pid) if $member->{agent} && $member->{agent}->is_running;
		Process::kill_tree(Process::postmaster($member->{data}));
	}
	return;
}

END
{
	local $?;
	$_->stop foreach @started;
}

1;
