# A restart file that is not, to the byte, what the server has written is ignored and
# removed, whatever is wrong with it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('damaged');
my $file = restart_file($node);

$node->safe_psql('postgres', q{SELECT idgen_create('x'); SELECT idgen_next('x')});
$node->stop;
my $good = slurp_file($file);

sub write_file
{
	my ($contents) = @_;

	open(my $out, '>:raw', $file) or die "could not write $file: $!";
	print $out $contents;
	close($out) or die "could not write $file: $!";
	return;
}

# What a server makes of such a file, that reads it and then, without having done
# anything to the database cluster, does not start: why it ignores the file, or how
# many ids are back.
sub try_file
{
	my ($contents) = @_;
	my $stderr;

	write_file($contents);
	IPC::Run::run(
		[
			$node->installed_command('postgres'), '-D', $node->data_dir,
			'-c', 'hba_file=/nonexistent', '-c', 'log_min_messages=debug1',
			'-c', 'shared_buffers=128kB', '-c', 'max_connections=5', '-c', 'max_wal_senders=0'
		],
		'>', \my $stdout,
		'2>', \$stderr);
	return 'not removed' if -e $file;
	return $1 if $stderr =~ m{LOG:  ignoring file "pg_stat/idgen\.cache"\n.*DETAIL:  (.*)};
	return $1 if $stderr =~ m{(\d+ cached ids are back)};
	return $stderr;
}

sub check
{
	my ($contents, $reason, $what) = @_;
	is(try_file($contents), $reason, $what);
	return;
}

sub with
{
	my ($offset, $bytes) = @_;
	my $contents = $good;

	substr($contents, $offset, length($bytes)) = $bytes;
	return $contents;
}

check($good, '19 cached ids are back', 'what the server has written');

# Its beginning is a magic number, the version and the system identifier.
my $too_short = 'It is too short.';
my $not_such = 'It is no such file.';
my $checksum = 'Its checksum is wrong.';
check('', $too_short, 'empty');
check("no\n", $too_short, 'a short text');
check("none\n" x 100, $not_such, 'a long text');
check("\0" x length($good), $not_such, 'zeros');
check(with(0, reverse(substr($good, 0, 4)) . ''), $not_such, 'the other byte order')
  if reverse(substr($good, 0, 4)) ne substr($good, 0, 4);
check(with(4, pack('L', 0)), 'It is from another version.', 'an older version');
check(with(4, pack('L', 2)), 'It is from another version.', 'a later version');
check($good . "\0", $checksum, 'one byte more');
check($good . $good, $checksum, 'twice the same');
check(substr($good, 1), $not_such, 'without its first byte');

# Every length, ...
my %reasons;
$reasons{ try_file(substr($good, 0, $_)) }++ foreach 0 .. length($good) - 1;
is(join('|', sort keys %reasons), "$checksum|$too_short", 'cut short');

# ... and every byte
%reasons = ();
$reasons{ try_file(with($_, ~substr($good, $_, 1) & "\xff")) }++ foreach 0 .. length($good) - 1;
is(join('|', sort keys %reasons), "It is from another version.|$not_such|$checksum", 'one byte changed');
is($reasons{$not_such} . ' ' . $reasons{'It is from another version.'}, '4 4', 'four of these each');

# Things that are no files
