# Files that idgen keeps beside the tables are not, to the byte, what the server
# has written. It starts all the same, and its log names them. What they held is
# a gap at most: no id is issued twice, and none that nobody has allocated.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Basename qw(basename);
use IdgenTest;
use List::Util qw(max);
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes ();

my $node = idgen_server('damaged', conf => q{
shared_buffers = '1MB'
max_connections = 10
max_wal_senders = 0
});
my ($last, $last_unique) = (0, 0);

$node->safe_psql('postgres', q{SELECT idgen_create('x', block_size => 100)});

# Draw. Answers whether ids go on where they had come to, or with a new block.
sub draw
{
	my ($block, $id, $unique) = split /\n/, $node->safe_psql(
		'postgres', q{
		SELECT next_block_start FROM id_sequences;
		SELECT idgen_next('x');
		SELECT idgen_unique_id()});
	my $how = $id == $last + 1 ? 'kept' : $id == $block && $id > $last ? 'gap' : "$id after $last, where $block was next";

	$how = "time-ordered: $unique after $last_unique" if $unique <= $last_unique;
	($last, $last_unique) = ($id, $unique);
	return $how;
}

is(draw(), 'kept', 'at first');
$node->stop;
my @files = state_files($node);
my $size = max(map { -s } @files);

sub flip
{
	my ($contents, $offset) = @_;

	$offset %= length($contents);
	substr($contents, $offset, 1) = ~substr($contents, $offset, 1) & "\xff";
	return $contents;
}

# What is done to each file; without an answer, it has been done.
my @damages = (
	[ 'nothing', sub { return $_[0] } ],
	(map { my $offset = 16 * $_ + $_ % 16; [ "byte $offset changed", sub { return flip($_[0], $offset) } ] } 0 .. ($size - 1) / 16),
	(map { my $part = $_ / 12; [ "cut after $_/12", sub { return substr($_[0], 0, $part * length($_[0])) } ] } 0 .. 11),
	[ 'its beginning is missing', sub { return substr($_[0], 1) } ],
	[ 'one byte more', sub { return "$_[0]\0" } ],
	[ 'twice the same', sub { return $_[0] x 2 } ],
	[ 'zeros', sub { return "\0" x length($_[0]) } ],
	[ 'a text', sub { return "nothing\n" x 100 } ],
	[ 'no right to read', sub { chmod(0, $_[1]) or die; return } ],
	[ 'a directory', sub { unlink($_[1]) or die; mkdir($_[1]) or die; return } ]);

foreach my $damage (@damages)
{
	my ($what, $change) = @$damage;
	my $offset = -s $node->logfile;
	my @silent;

	foreach my $file (@files)
	{
		my $contents = $change->(slurp_file($file), $file);
		write_file($file, $contents) if defined $contents;
	}

	# Without the file, time-ordered ids begin with the clock, which may be
	# behind those of a server that has just been started.
	wait_until(sub { Time::HiRes::time * 1000 > id_time($last_unique) + 1 }, 'the clock');
	$node->start;
	my $log = slurp_file($node->logfile, $offset);
	push @silent, grep { $log !~ /LOG:  .*\Q$_\E/ } map { basename($_) } @files;
	-d $_ ? rmdir $_ : chmod 0600, $_ foreach @files;
	my $how = draw();
	if ($what eq 'nothing')
	{
		is($how, 'kept', 'files as they were are used');
		is(scalar @silent, scalar @files, 'and the log says nothing');
	}
	else
	{
		like($how, qr/^(?:kept|gap)$/, "$what: no id twice");
		is("@silent", '', "$what: the log");
	}
	$node->stop;
}

# Something else is where the file of the cache should be: a fifo, which nobody
# writes to, or a link to a file as it was. The next shutdown writes it anew.
foreach my $other ('fifo', 'link')
{
	my $file = restart_file($node);
	my $offset = -s $node->logfile;

	rename($file, "$file.other") or die "rename failed: $!";
	$other eq 'fifo' ? POSIX::mkfifo($file, 0600) : symlink("$file.other", $file);
	$node->start;
	like(slurp_file($node->logfile, $offset), qr/LOG:  could not read file ".*idgen\.cache"/, "a $other: the log");
	is(draw(), 'gap', "a $other: no id twice");
	$node->stop;
	ok(-f $file && !-l $file, "a $other: written anew");
	unlink("$file.other");
}

$node->start;
is(draw(), 'kept', 'after all that');

$node->stop;
done_testing();
