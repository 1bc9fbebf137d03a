# The file that says how far time-ordered ids may have gone: one that is damaged
# is ignored, with a line in the log; when it cannot be written, ids go on as
# far as was reserved, then drawing fails, and works again as soon as it can.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

my $node = idgen_server('file');
my $file = $node->data_dir . '/pg_stat/idgen.unique_id';

sub draw
{
	return $node->safe_psql('postgres', 'SELECT idgen_unique_id()');
}

sub refused
{
	my ($sqlstate, $what) = @_;
	is(sqlstate($node, 'SELECT idgen_unique_id()'), $sqlstate, $what);
	return;
}

sub changed
{
	my ($contents, $offset) = @_;

	substr($contents, $offset, 1) = ~substr($contents, $offset, 1) & "\xff";
	return $contents;
}

# What a server says of the file that then, without having done anything to the
# database cluster, does not start: why it ignores it, if it does.
sub try_file
{
	my $stderr;

	IPC::Run::run(
		[
			$node->installed_command('postgres'), '-D', $node->data_dir,
			'-c', 'hba_file=/nonexistent', '-c', 'shared_buffers=128kB', '-c', 'max_connections=5', '-c', 'max_wal_senders=0'
		],
		'>', \my $stdout,
		'2>', \$stderr);
	return $stderr =~ m{LOG:  ignoring file "pg_stat/idgen\.unique_id"\n.*DETAIL:  (.*)} ? $1 : '';
}

# Ids of the next hour, of which the last checkpoint does not know
$node->stop;
start_with_clock($node, '+3600');
set_clock($node, '+0');
$node->safe_psql('postgres', 'CHECKPOINT');
set_clock($node, '+3600');
my $last = draw();
$node->stop('immediate');
my $good = slurp_file($file);
is(try_file(), '', 'what the server has written');

my ($size, $not_such, $checksum) = ('Its size is wrong.', 'It has another format, or is from another version.', 'Its checksum is wrong.');
foreach my $case (
	[ $size, 'empty', '' ],
	[ $size, 'cut short', substr($good, 0, -1) ],
	[ $size, 'one byte more', "$good\0" ],
	[ $size, 'twice the same', $good x 2 ],
	[ $size, 'long', $good x 1000 ],
	[ $not_such, 'zeros', "\0" x length($good) ],
	[ $not_such, 'beginning changed', changed($good, 0) ],
	(map { [ $checksum, "byte $_ changed", changed($good, $_) ] } 4, 7, 8, 11, 15))
{
	my ($reason, $what, $contents) = @$case;

	write_file($file, $contents);
	is(try_file(), $reason, "$what: ignored");
}
unlink $file or die "could not remove $file: $!";
mkdir $file or die "could not create $file: $!";
is(try_file(), 'It cannot be read.', 'a directory: ignored');
rmdir $file or die "could not remove $file: $!";
write_file($file, $good);
chmod(0, $file) or die "could not change $file: $!";
is(try_file(), 'It cannot be read.', 'no right to read: ignored');
unlink $file or die "could not remove $file: $!";

# It is ignored indeed: what it said is not known any more, as without a file.
foreach my $contents (changed($good, 8), undef)
{
	my $what = defined $contents ? 'damaged' : 'removed';

	defined $contents ? write_file($file, $contents) : unlink $file;
	start_with_clock($node, '+0');
	refused('', "$what: the clock is believed");
	ok(slurp_file($file) ne ($contents // ''), "$what: written again");
	$node->stop;
	write_file($file, $good);
	start_with_clock($node, '+0');
	refused('55000', "$what: not with the good one");
	$node->stop('immediate');
}

# Two seconds are reserved, and half-way through the next ones.
my $start = time + 7200;
start_with_clock($node, '+7000');
set_clock($node, $start);
$last = draw();
my $reserved = slurp_file($file);
set_clock($node, $start - 1);
cmp_ok(draw(), '==', $last + 1, 'reserved');
ok(slurp_file($file) eq $reserved, 'the file stays');
set_clock($node, $start + 1);
cmp_ok(draw(), '>', $last, 'half-way');
ok(slurp_file($file) ne $reserved, 'the file is written ahead');

# It cannot be written.
mkdir "$file.tmp" or die "could not create $file.tmp: $!";
my $offset = -s $node->logfile;
foreach my $second (2, 2, 3, 3)
{
	set_clock($node, $start + $second);
	my $id = draw();
	cmp_ok($id, '>', $last, "second $second: reserved");
	$last = $id;
}
is(scalar(() = slurp_file($node->logfile, $offset) =~ /LOG:  could not write file "pg_stat\/idgen\.unique_id\.tmp"/g),
	1, 'one line in the log');
foreach my $second (4, 4, 5)
{
	set_clock($node, $start + $second);
	refused('42809', "second $second: not reserved");
}
rmdir "$file.tmp" or die "could not remove $file.tmp: $!";
symlink('/dev/full', "$file.tmp") or die "could not create $file.tmp: $!";
refused('53100', 'a full disk');
unlink "$file.tmp" or die "could not remove $file.tmp: $!";
cmp_ok(draw(), '>', $last, 'it can be written again');

# All that was reserved has been drawn; after a crash nothing of it is drawn
# again.
$start += 10;
set_clock($node, $start);
draw();
mkdir "$file.tmp" or die "could not create $file.tmp: $!";
set_clock($node, $start + 2);
$last = (draw(), draw())[1];
$node->stop('immediate');
rmdir "$file.tmp" or die "could not remove $file.tmp: $!";
start_with_clock($node, sprintf('%+d', $start - time));
cmp_ok(draw(), '>', $last, 'after the last that was reserved');

$node->stop;
done_testing();
