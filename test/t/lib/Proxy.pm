# A proxy in front of a server, which does what networks do: it cuts
# connections, loses answers, and goes silent. Whoever connects to its host and
# the server's own port gets to the server.
#
# It runs in a process of its own, which ends with the test, and is told what to
# do by lines over a socket. It reads as much of the protocol as it takes to
# know where a statement and its answer end. What a client sends up to where it
# waits for an answer counts as one statement: the start-up packet, a password,
# a query of either protocol.
package Proxy;

use strict;
use warnings FATAL => 'all';

use IO::Select;
use IO::Socket::UNIX;
use POSIX ();
use PostgreSQL::Test::Utils;
use Socket;
use Time::HiRes ();

# Start one in front of a server. Do that before sessions are started, of which
# it would inherit the pipes.
sub new
{
	my ($class, $node) = @_;
	my $dir = PostgreSQL::Test::Utils::tempdir_short();
	my $socket = '/.s.PGSQL.' . $node->port;
	my $listener = IO::Socket::UNIX->new(Local => $dir . $socket, Listen => 100)
	  or die "could not listen in $dir: $!";

	socketpair(my $ours, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die "could not make a socket: $!";
	my $pid = fork // die "could not start a proxy: $!";
	if ($pid == 0)
	{
		close $ours;
		$SIG{PIPE} = 'IGNORE';
		eval { serve($listener, $theirs, $node->host . $socket) };
		print STDERR "proxy: $@" if $@;
		POSIX::_exit(0);
	}
	return bless { dir => $dir, port => $node->port, control => $ours }, $class;
}

# Where to connect to, as of a server.
sub host
{
	return $_[0]->{dir};
}

sub port
{
	return $_[0]->{port};
}

# Send a command; answers what the proxy answers.
sub tell
{
	my ($self, @command) = @_;

	syswrite($self->{control}, join("\t", @command) . "\n") or die 'the proxy is gone';
	my $answer = '';
	while ($answer !~ /\n/)
	{
		sysread($self->{control}, $answer, 1000, length $answer) or die 'the proxy is gone';
	}
	chomp $answer;
	return $answer;
}

# Forward nothing any more, in either direction; new connections wait, too.
sub hold
{
	return $_[0]->tell('hold');
}

# Go on, with what has been held.
sub pass
{
	return $_[0]->tell('pass');
}

# End all connections now.
sub cut
{
	return $_[0]->tell('cut');
}

# Instead of the n-th statement from now on, of whatever connection, its
# connection ends.
sub cut_before
{
	my ($self, $n) = @_;
	return $self->tell('arm', $n, 'before');
}

# When the n-th statement from now on has been answered, its connection ends,
# with nothing of the answer forwarded but what comes up to the first message of
# a type (see the protocol: T is the description of a row, D a row, C the end of
# a command).
sub lose_answer
{
	my ($self, $n, $upto) = @_;
	return $self->tell('arm', $n, $upto // '');
}

# Has what cut_before() or lose_answer() wait for not happened yet? It is called
# off.
sub disarm
{
	return $_[0]->tell('disarm');
}

# How many clients are connected.
sub connected
{
	return $_[0]->tell('connected');
}

# How many connections there ever were.
sub accepted
{
	return $_[0]->tell('accepted');
}

# Waits until that number of clients have sent something that is held.
sub wait_for_held
{
	my ($self, $number) = @_;
	return $self->wait_for('held', $number);
}

# Waits until that number of clients are connected.
sub wait_for_connected
{
	my ($self, $number) = @_;
	return $self->wait_for('connected', $number);
}

sub wait_for
{
	my ($self, $what, $number) = @_;
	my $deadline = time + $PostgreSQL::Test::Utils::timeout_default;

	while ($self->tell($what) != $number)
	{
		die "timed out waiting for $number $what, there are " . $self->tell($what) if time > $deadline;
		Time::HiRes::sleep(0.01);
	}
	return;
}

#
# In the proxy's process
#

my ($target, $holding, $armed, $accepted, %connections);

sub serve
{
	my ($listener, $control);
	my $commands = '';

	($listener, $control, $target) = @_;
	($holding, $accepted) = (0, 0);
	while (1)
	{
		my @sockets = map { grep { defined } ($_->{client}, $_->{server}) } all_connections();

		for my $socket (IO::Select->new($listener, $control, @sockets)->can_read)
		{
			if ($socket == $listener)
			{
				accept_client(scalar $listener->accept);
			}
			elsif ($socket == $control)
			{
				sysread($control, $commands, 1000, length $commands) or return;
				while ($commands =~ s/^(.*)\n//)
				{
					syswrite($control, obey(split /\t/, $1, -1) . "\n");
				}
			}
			else
			{
				my ($connection) = grep {
					grep { defined && $_ == $socket } ($_->{client}, $_->{server})
				} all_connections();

				receive($connection, $socket) if $connection;
			}
		}
	}
	return;
}

# A list of its own, since connections may go meanwhile.
sub all_connections
{
	my @all = values %connections;
	return @all;
}

sub obey
{
	my ($command, @args) = @_;

	if ($command eq 'hold')
	{
		$holding = 1;
	}
	elsif ($command eq 'pass')
	{
		$holding = 0;
		forward($_) for all_connections();
	}
	elsif ($command eq 'cut')
	{
		disconnect($_) for all_connections();
	}
	elsif ($command eq 'arm')
	{
		$armed = { n => $args[0], how => $args[1] };
	}
	elsif ($command eq 'disarm')
	{
		my $pending = defined $armed;

		$armed = undef;
		return 0 + $pending;
	}
	elsif ($command eq 'connected')
	{
		return scalar grep { defined $_->{client} } all_connections();
	}
	elsif ($command eq 'accepted')
	{
		return $accepted;
	}
	elsif ($command eq 'held')
	{
		return scalar grep { defined $_->{client} && $_->{from_client} ne '' } all_connections();
	}
	else
	{
		die "unknown command $command";
	}
	return 'done';
}

sub accept_client
{
	my ($client) = @_;

	$accepted++;
	$connections{$accepted} = {
		number => $accepted,
		client => $client,
		from_client => '',
		from_server => '',
		statement => ''
	};
	return;
}

sub disconnect
{
	my ($connection) = @_;

	delete $connections{ $connection->{number} };
	for my $socket (grep { defined } ($connection->{client}, $connection->{server}))
	{
		close $socket;
	}
	return;
}

# While everything is held, the server does not learn that a client has gone,
# nor the other way round.
sub receive
{
	my ($connection, $socket) = @_;
	my $side = defined $connection->{client} && $socket == $connection->{client} ? 'client' : 'server';

	if (!sysread($socket, $connection->{"from_$side"}, 65536, length $connection->{"from_$side"}))
	{
		close $socket;
		$connection->{$side} = undef;
		$connection->{"$side\_gone"} = 1;
	}
	forward($connection) unless $holding;
	return;
}

sub forward
{
	my ($connection) = @_;

	connect_server($connection);
	forward_statements($connection);
	forward_answers($connection);
	disconnect($connection) if $connection->{client_gone} || $connection->{server_gone};
	return;
}

sub connect_server
{
	my ($connection) = @_;

	return if defined $connection->{server} || $connection->{server_gone};
	$connection->{server} = IO::Socket::UNIX->new(Peer => $target);
	$connection->{server_gone} = !defined $connection->{server};
	return;
}

# Forward what the client has sent, a statement at a time.
sub forward_statements
{
	my ($connection) = @_;

	while (defined $connection->{server})
	{
		my $message = client_message($connection) // last;

		$connection->{statement} .= $message->{bytes};
		if ($message->{answered} && $armed && !$connection->{losing} && --$armed->{n} == 0)
		{
			my $how = $armed->{how};

			$armed = undef;
			if ($how eq 'before')
			{
				$connection->{client_gone} = 1;
				return;
			}
			$connection->{losing} = 1;
			$connection->{upto} = $how;
		}
		next unless $message->{complete};
		syswrite($connection->{server}, $connection->{statement});
		$connection->{statement} = '';
	}
	return;
}

# Take the next message of a client, if there is a whole one. The first one has
# no type.
sub client_message
{
	my ($connection) = @_;
	my $skip = $connection->{started} ? 1 : 0;
	my $type = $skip ? substr($connection->{from_client}, 0, 1) : '';
	my $bytes = whole_message($connection, 'from_client', $skip) // return;

	$connection->{started} = 1;
	return { bytes => $bytes, answered => $type =~ /^[pQS]?$/ || 0, complete => $type =~ /^[pQSX]?$/ || 0 };
}

# Cut the first message out of what has been received; undef if it is not all
# there.
sub whole_message
{
	my ($connection, $from, $skip) = @_;

	return if length $connection->{$from} < $skip + 4;
	my $length = $skip + unpack('N', substr($connection->{$from}, $skip, 4));
	return if length $connection->{$from} < $length;
	return substr($connection->{$from}, 0, $length, '');
}

# Forward what the server has sent. Of an answer that is to be lost, wait for
# the end.
sub forward_answers
{
	my ($connection) = @_;

	if (!$connection->{losing})
	{
		syswrite($connection->{client}, $connection->{from_server})
		  if defined $connection->{client} && $connection->{from_server} ne '';
		$connection->{from_server} = '';
		return;
	}
	while (defined(my $bytes = whole_message($connection, 'from_server', 1)))
	{
		my $type = substr($bytes, 0, 1);

		syswrite($connection->{client}, $bytes) if $connection->{upto} ne '' && defined $connection->{client};
		$connection->{upto} = '' if $connection->{upto} eq $type;
		$connection->{client_gone} = 1 if $type eq 'Z';
	}
	return;
}

1;
