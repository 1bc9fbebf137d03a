# Servers whose clock a test sets.
package IdgenTest::Clock;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IdgenTest::Servers;
use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(
  fake_clock_library start_with_clock set_clock refused_by_clock id_time uuid_tick
);

# The library that lets a test set the clock of a server. Answers undef if it is
# not there, or if the server has the sanitizer's runtime: with both, it does
# not start.
sub fake_clock_library
{
	return if is_sanitized();
	return (glob '/usr/lib/*/faketime/libfaketime.so.1')[0];
}

# start_with_clock(server, time): starts a server with its clock set so.
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

# set_clock(server, time): sets the clock of a server that start_with_clock()
# has started. A time in seconds since 1970 is where the clock then stands
# still; a number of seconds with a sign is how far it is off the true time.
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

# refused_by_clock(server, call, seconds, test name): a test that the call fails
# because the clock is that many seconds, a number or a pattern, behind what was
# issued.
sub refused_by_clock
{
	my ($node, $call, $behind, $what) = @_;
	my (undef, undef, $stderr) = $node->psql('postgres', "SELECT $call",
		extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	like($stderr, qr/ERROR:  55000: the clock is $behind s behind the last time-ordered id\n/, $what);
	return;
}

# The milliseconds since 1970 in a time-ordered id.
sub id_time
{
	my ($id) = @_;
	return ($id >> 22) + 1_704_067_200_000;
}

# The tick of a UUID: 65,536ths of a millisecond since 1970.
sub uuid_tick
{
	my ($uuid) = @_;
	my @digits = $uuid =~ /^(\w{8})-(\w{4})-7(\w{3})-([89ab]\w)\w{2}-\w{12}$/ or die "not of version 7: $uuid";

	return unpack('Q>', pack('H16', "$digits[0]$digits[1]$digits[2]0")) + (hex($digits[3]) >> 2 & 15);
}

1;
