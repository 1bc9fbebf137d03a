# Something that is taken for a central server and answers what it likes. It knows enough of
# the protocol to let everybody in and to understand which id sequence a node asks for.
#
# It runs in a process of its own, which ends with the test.
package FakeCentre;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IO::Select;
use IO::Socket::UNIX;
use POSIX ();
use PostgreSQL::Test::Utils;

our @EXPORT = qw(message columns row complete ready error_message);

# FakeCentre->new(answers => { name => [bytes, ...] }, settings => bytes): to who allocates for
# an id sequence, it answers those bytes in turn, and then blocks of 20 ids. An undefined
# answer, or what is undefined behind bytes in an array, ends the connection. What a node sets in
# its session is answered with "settings", if given, so nothing if that is empty.
sub new
{
	my ($class, %params) = @_;
	my $dir = PostgreSQL::Test::Utils::tempdir_short();
	my $self = bless {
		dir => $dir,
		answers => $params{answers} // {},
		settings => exists $params{settings} ? $params{settings} : columns(1) . complete() . ready(),
	}, $class;
	my $listener = IO::Socket::UNIX->new(Local => "$dir/.s.PGSQL.5432", Listen => 100)
	  or die "could not listen in $dir: $!";

	pipe(my $end_of_test, my $until_then) or die "could not make a pipe: $!";
	my $pid = fork // die "could not start a fake centre: $!";
	if ($pid == 0)
	{
		close $until_then;
		$SIG{PIPE} = 'IGNORE';
		eval { $self->serve($listener, $end_of_test) };
		print STDERR "fake centre: $@" if $@;
		POSIX::_exit(0);
	}
	$self->{until_then} = $until_then;
	return $self;
}

# Where to connect to, as of a server.
sub host
{
	return $_[0]->{dir};
}

sub port
{
	return 5432;
}

#
# Messages
#

sub message
{
	my ($type, $contents) = @_;
	return $type . pack('N', 4 + length $contents) . $contents;
}

# So many columns of type text, which make up an answer from here on
sub columns
{
	my ($number) = @_;
	return message('T', pack('n', $number) . pack('Z* N n N n N n', 'c', 0, 0, 25, 65535, 0xffffffff, 0) x $number);
}

# A row of these values; undefined is null.
sub row
{
	return message('D', pack('n', scalar @_) . join('', map { defined ? pack('N/a', $_) : pack('N', 0xffffffff) } @_));
}

sub complete
{
	return message('C', "SELECT 1\0");
}

# The end of an answer; not in a transaction, unless it is said.
sub ready
{
	return message('Z', $_[0] // 'I');
}

# An error, by its fields
sub error_message
{
	my (%fields) = @_;
	return message('E', join('', map { "$_$fields{$_}\0" } sort keys %fields) . "\0");
}

#
# In the fake centre's process
#

sub serve
{
	my ($self, $listener, $end_of_test) = @_;
	my $select = IO::Select->new($listener, $end_of_test);
	my %connections;

	while (1)
	{
		for my $socket ($select->can_read)
		{
			if ($socket == $end_of_test)
			{
				return;
			}
			elsif ($socket == $listener)
			{
				my $client = $listener->accept;

				$select->add($client);
				$connections{$client} = { socket => $client, received => '' };
			}
			elsif (!$self->receive($connections{$socket}))
			{
				$select->remove($socket);
				delete $connections{$socket};
				close $socket;
			}
		}
	}
	return;
}

# Answer what a client has sent; false if the connection is to end.
sub receive
{
	my ($self, $connection) = @_;

	sysread($connection->{socket}, $connection->{received}, 65536, length $connection->{received}) or return 0;
	while (defined(my $message = next_message($connection)))
	{
		my $answer = $self->answer($connection, @{$message});

		for my $bytes (ref $answer ? @{$answer} : $answer)
		{
			return 0 if !defined $bytes;
			syswrite($connection->{socket}, $bytes) if $bytes ne '';
		}
	}
	return 1;
}

# Type and contents of the next message that is all there. The first one has no type.
sub next_message
{
	my ($connection) = @_;
	my $skip = $connection->{started} ? 1 : 0;

	return if length $connection->{received} < $skip + 4;
	my $length = $skip + unpack('N', substr($connection->{received}, $skip, 4));
	return if length $connection->{received} < $length;
	my $bytes = substr($connection->{received}, 0, $length, '');

	$connection->{started} = 1;
	return [ $skip ? substr($bytes, 0, 1) : '', substr($bytes, $skip + 4) ];
}

sub answer
{
	my ($self, $connection, $type, $contents) = @_;

	return message('R', pack('N', 0)) . ready() if $type eq '';
	return $self->{settings} if $type eq 'Q';

	# Behind two names, no formats and the number of parameters comes the first one: the name
	# of the id sequence.
	(undef, undef, undef, undef, $connection->{name}) = unpack('Z* Z* n n N/a', $contents) if $type eq 'B';
	return $type eq 'S' ? $self->allocation($connection->{name}) : '';
}

sub allocation
{
	my ($self, $name) = @_;
	my $answers = $self->{answers}{$name} // [];
	my $begun = message('1', '') . message('2', '');

	if (@{$answers})
	{
		my $answer = shift @{$answers};
		return ref $answer ? [ $begun, @{$answer} ] : defined $answer ? $begun . $answer : undef;
	}

	my $first = $self->{first}{$name} // 1;
	$self->{first}{$name} = $first + 20;
	return $begun . columns(8) . row($first, 20, 0, '9223372036854775807', 'table', $first + 19, $first + 20, 1) . complete() . ready();
}

1;
