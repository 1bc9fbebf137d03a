# Something that is taken for a central server and answers what it likes. It
# knows enough of the protocol to let everybody in and to understand which id
# sequence a node asks for.
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

our @EXPORT = qw(message columns row block complete ready error_message notice authenticated beginning_of endless drip);

# FakeCentre->new(answers => { name => [answer, ...] }, settings => answer,
# startup => answer, unknown => regular expression): when a node allocates for
# an id sequence, it gets those in turn, and then blocks of 20 ids. What a node
# sets in its session is answered with "settings", if given, so nothing if that
# is empty; a new connection, with "startup". A statement that has in it what is
# unknown is answered with an error.
#
# An answer is bytes, or an array of bytes, which may end with undef, endless()
# or drip(). An undefined one ends the connection.
sub new
{
	my ($class, %params) = @_;
	my $dir = PostgreSQL::Test::Utils::tempdir_short();
	my $self = bless {
		dir => $dir,
		answers => $params{answers} // {},
		settings => exists $params{settings} ? $params{settings} : columns(1) . complete() . ready(),
		startup => exists $params{startup} ? $params{startup} : authenticated() . ready(),
		unknown => $params{unknown},
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

# columns(number): that number of columns of type text, which make up an answer
# from here on
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

# The answer to an allocation up to its end: a block of 20 ids, of a centre that
# does not say which database cluster it is
sub block
{
	my ($first) = @_;
	return columns(13) . row($first, 20, 0, '9223372036854775807', 'table', $first + 19, $first + 20, 1, $first, undef, undef, undef, 1);
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

# A warning; other fields replace its own.
sub notice
{
	my (%fields) = @_;
	return error_message(S => 'WARNING', V => 'WARNING', C => '01000', %fields) =~ s/^E/N/r;
}

# Nothing more is asked for
sub authenticated
{
	return message('R', pack('N', 0));
}

# A message that begins with these contents and pretends to go on for a gigabyte
sub beginning_of
{
	my ($type, $contents) = @_;
	return $type . pack('N', 0x3fffffff) . $contents;
}

# These bytes over and over, as fast as they are taken, from now on. Nothing is
# read any more.
sub endless
{
	my ($bytes) = @_;
	return { bytes => $bytes x (1 + int(100_000 / length $bytes)), pause => 0 };
}

# These bytes over and over, a hundred times a second
sub drip
{
	my ($bytes) = @_;
	return { bytes => $bytes, pause => 0.01 };
}

#
# In the fake centre's process
#

sub serve
{
	my ($self, $listener, $end_of_test) = @_;
	my $select = IO::Select->new($listener, $end_of_test);
	my %connections;

	local $SIG{CHLD} = 'IGNORE';
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
			if (ref $bytes)
			{
				send_endless($connection->{socket}, $bytes);
				return 0;
			}
			syswrite($connection->{socket}, $bytes) if $bytes ne '';
		}
	}
	return 1;
}

# In a process of its own, until the other end closes the connection
sub send_endless
{
	my ($socket, $endless) = @_;
	my $at = 0;

	my $pid = fork // die "could not fork: $!";
	return if $pid != 0;
	while (defined(my $sent = syswrite($socket, $endless->{bytes}, length($endless->{bytes}) - $at, $at)))
	{
		$at = ($at + $sent) % length $endless->{bytes};
		select(undef, undef, undef, $endless->{pause}) if $endless->{pause};
	}
	POSIX::_exit(0);
}

# Type and contents of the next message that is all there. The first one has no
# type.
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

	return $self->{startup} if $type eq '';
	return $self->{settings} if $type eq 'Q';

	if ($type eq 'P')
	{
		$connection->{is_unknown} = defined $self->{unknown} && $contents =~ $self->{unknown};
	}

	# Behind two names, no formats and the number of parameters comes the first
	# one: an array of the names of id sequences, of which there is one. What
	# has no parameters comes first, and sets how isolated the transaction is.
	if ($type eq 'B')
	{
		my (undef, undef, undef, $number) = unpack('Z* Z* n n', $contents);
		my (undef, undef, undef, undef, $names) = $number > 0 ? unpack('Z* Z* n n N/a', $contents) : ();
		$connection->{name} = $names =~ s/^\{"(.*)"\}$/$1/r if defined $names;
	}
	return '' if $type ne 'S';
	return error_message(S => 'ERROR', V => 'ERROR', C => '42883', M => 'unknown') . ready() if $connection->{is_unknown};
	return $self->allocation($connection->{name});
}

sub allocation
{
	my ($self, $name) = @_;
	my $answers = $self->{answers}{$name} // [];
	my $begun = message('1', '') . message('2', '') . message('n', '') . message('C', "SET\0") . message('1', '') . message('2', '');

	if (@{$answers})
	{
		my $answer = shift @{$answers};
		return ref $answer ? [ $begun, @{$answer} ] : defined $answer ? $begun . $answer : undef;
	}

	my $first = $self->{first}{$name} // 1;
	$self->{first}{$name} = $first + 20;
	return $begun . block($first) . complete() . ready();
}

1;
