# Programs in the background that are no servers of PostgreSQL::Test::Cluster.
# Each writes to a log of its own. All are ended with the test, stopped ones
# too.
package Process;

use strict;
use warnings FATAL => 'all';

use IdgenTest::Sessions;
use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More ();

my %running;    # by process id

# program(name): where it is; undef if it is not here
sub program
{
	my ($name) = @_;
	my ($file) = grep { -x } map { "$_/$name" } split(/:/, $ENV{PATH}), '/usr/sbin';

	return $file;
}

# Process->start(name, [program, argument, ...], folder => path, out => file,
# env => { name => value }): starts it in that folder (default: the test's
# temporary one). What it writes goes to that file, by default <name>.log next
# to the test's own log.
sub start
{
	my ($class, $name, $command, %params) = @_;
	my $folder = $params{folder} // PostgreSQL::Test::Utils::tempdir();
	my $log = "$PostgreSQL::Test::Utils::log_path/$name.log";
	my $out = $params{out} // $log;

	my $pid = fork // die "could not start $name: $!";
	if ($pid == 0)
	{
		%ENV = (%ENV, %{ $params{env} // {} });
		chdir $folder or POSIX::_exit(127);
		open STDIN, '<', '/dev/null' or POSIX::_exit(127);
		open STDOUT, '>>', $out or POSIX::_exit(127);
		open STDERR, '>>', $log or POSIX::_exit(127);
		{
			no warnings 'exec';
			exec { $command->[0] } @$command;
		}
		print STDERR "could not run $command->[0]: $!\n";
		POSIX::_exit(127);
	}
	Test::More::note("started $name, process $pid: @$command");
	$running{$pid} = 1;
	return bless { name => $name, pid => $pid, log => $log }, $class;
}

sub pid
{
	return $_[0]->{pid};
}

# Is it still there? One that has ended is forgotten.
sub is_running
{
	my ($self) = @_;

	return '' unless $running{ $self->{pid} };
	delete $running{ $self->{pid} } if waitpid($self->{pid}, POSIX::WNOHANG) != 0;
	return exists $running{ $self->{pid} };
}

# Fails the test if it is not there any more.
sub must_run
{
	my ($self) = @_;

	die "$self->{name} has ended:\n" . slurp_file($self->{log}) unless $self->is_running;
	return;
}

# Sends it a signal, such as 'STOP'.
sub signal
{
	my ($self, $signal) = @_;

	kill $signal, $self->{pid} if $self->is_running;
	return;
}

# Asks it to end, and waits until it has. After that many seconds it is killed.
sub end
{
	my ($self, $patience) = @_;
	my $deadline = time + ($patience // 10);

	$self->signal('TERM');
	while ($self->is_running && time < $deadline)
	{
		select(undef, undef, undef, 0.02);
	}
	return $self->kill9;
}

sub kill9
{
	my ($self) = @_;

	$self->signal('KILL');
	wait_until(sub { !$self->is_running }, "the end of $self->{name}");
	return;
}

# tree(pid): that process and those below it, each before its children: so
# whoever stops them in this order stops a parent before it starts more.
sub tree
{
	my ($pid) = @_;
	my @children;

	foreach my $stat (glob '/proc/[0-9]*/stat')
	{
		my $line = eval { slurp_file($stat) } // next;
		push @children, $1 if $line =~ /^(\d+) \(.*\) \S $pid /s;
	}
	return ($pid, map { tree($_) } @children);
}

# kill_tree(pid, ...): kills these processes and those below them.
sub kill_tree
{
	my @pids = map { tree($_) } @_;

	kill 'KILL', @pids if @pids;
	return;
}

# postmaster(data directory): its process id; nothing if it has none
sub postmaster
{
	my ($data) = @_;
	my $file = "$data/postmaster.pid";

	return -s $file ? slurp_file($file) =~ /^(\d+)/ : ();
}

# Kills what is left.
END
{
	local $?;

	kill_tree(keys %running);
	waitpid $_, 0 foreach keys %running;
}

1;
