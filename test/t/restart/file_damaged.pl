# A restart file that is not, to the byte, what the server has written is
# ignored and removed, whatever is wrong with it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('damaged');
my $file = restart_file($node);

$node->safe_psql('postgres', q{SELECT idgen_create('x'); SELECT idgen_next('x')});
$node->stop;
my $good = slurp_file($file);

# What a server makes of such a file, that reads it and then, without having
# done anything to the database cluster, does not start: why it ignores the
# file, or how many ids are back.
sub try_file
{
	my ($contents) = @_;
	my $stderr;

	write_file($file, $contents);
	IPC::Run::run(
		[
			$node->installed_command('postgres'), '-D', $node->data_dir,
			'-c', 'hba_file=/nonexistent', '-c', 'shared_buffers=128kB', '-c', 'max_connections=5', '-c', 'max_wal_senders=0'
		],
		'>', \my $stdout,
		'2>', \$stderr);
	return 'used' if $stderr !~ /ignoring/ && -e $file; # and written again, since nothing was drawn
	return 'not removed' if -e $file;
	return $1 if $stderr =~ m{LOG:  ignoring file "pg_stat/idgen\.cache"\n.*DETAIL:  (.*)};
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

check($good, 'used', 'what the server has written');

my $too_short = 'It is too short.';
my $not_such = 'It has another format.';
my $other_version = 'It is from another version.';
my $wrong_checksum = 'Its checksum is wrong.';
my $other_cluster = 'It is from another database cluster.';
my $in_use_since = 'The database cluster has been in use since.';
my $damaged = 'It is damaged.';

check('', $too_short, 'empty');
check("nothing\n" x 3, $too_short, 'a short text');
check("nothing\n" x 100, $not_such, 'a long text');
check("\0" x length($good), $not_such, 'zeros');
check($good . "\0", $wrong_checksum, 'one byte more');
check($good . $good, $wrong_checksum, 'twice the same');
check(substr($good, 1), $not_such, 'its beginning is missing');

# Cut short, among others at the end of each part, ...
my %reasons;
$reasons{ try_file(substr($good, 0, $_)) }++
  foreach grep { $_ % 4 == 0 || $_ > length($good) - 4 } 1 .. length($good) - 1;
is(join('|', sort keys %reasons), "$too_short|$wrong_checksum", 'cut short');

# ... and with another byte in each part. The first two are a magic number and
# the version.
%reasons = ();
for my $part (0 .. length($good) / 4 - 1)
{
	my $offset = $part * 4 + $part % 4;
	$reasons{ try_file(with($offset, ~substr($good, $offset, 1) & "\xff")) }++;
}
is( join('|', map { "$_ $reasons{$_}" } sort keys %reasons),
	"$not_such 1|$other_version 1|$wrong_checksum " . (int(length($good) / 4) - 2),
	'one byte changed');

# With the right checksum: "template" is that of pack() for what is at that
# offset.
sub crc32c
{
	my $crc = 0xFFFFFFFF;

	foreach my $byte (unpack('C*', shift))
	{
		$crc ^= $byte;
		$crc = ($crc >> 1) ^ ($crc & 1 ? 0x82F63B78 : 0) for 1 .. 8;
	}
	return $crc ^ 0xFFFFFFFF;
}

sub with_checksum
{
	my ($contents) = @_;
	$contents = substr($contents, 0, -4);
	return $contents . pack('L', crc32c($contents));
}

sub with_value
{
	my ($offset, $template, $value) = @_;
	return with_checksum(with($offset, pack($template, $value)));
}

sub with_other_value
{
	my ($offset, $template) = @_;
	return with_value($offset, $template, 1 + unpack($template, substr($good, $offset)));
}

is(with_checksum($good), $good, 'this test makes the same checksum as the server');
check(with_other_value(4, 'L'), $other_version, 'another version');
check(with_other_value(8, 'Q'), $other_cluster, 'another system identifier');
check(with_other_value(16, 'Q'), $in_use_since, 'another place of the checkpoint');
check(with_other_value(24, 'q'), $in_use_since, 'another time of the checkpoint');
check(with_other_value(32, 'Q'), $in_use_since, 'another timeline');
check(with_other_value(40, 'q'), $in_use_since, 'another second when pg_control was written');
check(with_other_value(48, 'q'), $in_use_since, 'another nanosecond');
check(with_other_value(56, 'Q'), $damaged, 'one id sequence more');
check(with_value(56, 'Q', ~0), $damaged, 'many more');
check(with_value(84, 's', $_), $damaged, "a name of $_ bytes") foreach (-1, 0, 2, 1024, 0x7FFF);
check(with_value(86, 'C', $_), $damaged, "$_ blocks") foreach (0, 2, 9, 255);
check(with_value(87, 'C', $_), $damaged, "counters: $_") foreach (0, 2, 255);
check(with_checksum(substr($good, 0, 84) . pack('sCC', @$_) . "\x01" x 50_000), $damaged, "@$_: too much for one id sequence")
  foreach ([ 1024, 1, 1 ], [ 0x7FFF, 1, 0 ], [ 1, 9, 1 ], [ 1, 255, 0 ]);

# After all that, what the server has written is still good.
write_file($file, $good);
is(start_and_read($node), '', 'what the server has written: used');
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '2', 'and nothing is lost');

# Of a file that is ignored, nothing is used.
$node->stop;
write_file($file, with(60, 'x'));
is(start_and_read($node), $wrong_checksum, 'ignored');
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '21', 'the next block');
$node->restart;
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '22', 'a file as usual');

$node->stop;
done_testing();
