# Time-ordered ids go on in order after a restart, whatever the clock says then;
# if it is far behind, they are refused until it has caught up.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Basename qw(dirname);
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

my $node = idgen_server('restart');
my $file = time_file($node);
my ($last, $last_uuid) = (0, '');

# Draw ids of both kinds, and see that they are greater than all before; false
# if they are refused since it cannot be written how far they have got.
sub drawn
{
	my ($what) = @_;
	my ($ret, $out, $stderr) = $node->psql('postgres', 'SELECT idgen_unique_id(), idgen_unique_uuid() FROM generate_series(1, 3)',
		extra_params => [ '-v', 'VERBOSITY=sqlstate' ]);
	return 0 if $stderr =~ /ERROR:  42501/;
	my $in_order = $out =~ tr/\n// == 2;

	foreach (split /\n/, $out)
	{
		my ($id, $uuid) = split /\|/;
		$in_order &&= $id > $last && $uuid gt $last_uuid;
		($last, $last_uuid) = ($id, $uuid);
	}
	ok($in_order, "$what: in order") or diag($stderr);
	return 1;
}

sub draw
{
	my ($what) = @_;
	drawn($what) or die "$what: refused";
	return;
}

sub refused
{
	my ($what) = @_;
	is(sqlstate($node, "SELECT $_"), '55000', "$what: $_ refused") foreach ('idgen_unique_id()', 'idgen_unique_uuid()');
	return;
}

# As long as no id was drawn, nothing depends on the clock that there was.
$node->stop;
start_with_clock($node, '+172800');
$node->stop;
start_with_clock($node, '+0');
draw('at first, after a start with a clock ahead');
$node->stop;
$node->start;
$node->restart;
draw('a clean restart');

# Nor does it on a clock that no id was drawn with.
foreach my $clock ('+172800', '+0', '+86400')
{
	$node->stop;
	start_with_clock($node, $clock);
}
$node->stop;
start_with_clock($node, '+0');
draw('after starts with a clock ahead');
$node->stop('immediate');
$node->start;
draw('an immediate shutdown');

# The clock is behind by two seconds.
foreach my $mode ('fast', 'immediate')
{
	$node->stop($mode);
	start_with_clock($node, '-2');
	draw("$mode, two seconds back");
	$node->stop($mode);
	start_with_clock($node, '-2');
	draw("$mode, once more");
	$node->stop;
	start_with_clock($node, '+0');
	draw("$mode, the true time");
}

# Ids of the next hour, drawn after the last checkpoint: after the crash,
# nothing but the file knows of them.
set_clock($node, '+3600');
draw('an hour on');
$node->stop('immediate');
start_with_clock($node, '+0');
refused('crash, an hour back');
$node->stop;
start_with_clock($node, '+0');
refused('the next start');
set_clock($node, '+3598');
draw('nearly caught up');

# Without a good file, the time of the last checkpoint is known, and that ids
# may have been ahead of it.
my $good = slurp_file($file);
foreach my $contents ($good . 'x', $good)
{
	set_clock($node, '+3603');
	draw('before the clock is set back');
	set_clock($node, '+3600');
	draw('ahead of the clock');
	$node->stop;
	open my $handle, '>', $file or die "could not open $file: $!";
	binmode $handle;
	print $handle $contents;
	close $handle;
	start_with_clock($node, '+3600');
	draw($contents eq $good ? 'with an older file' : 'with a damaged file');
}
$node->stop;
append_to_file($file, 'x');
start_with_clock($node, '+7200');
$node->stop;
start_with_clock($node, '+0');
my (undef, undef, $error) = $node->psql('postgres', 'SELECT idgen_unique_id()');
like($error, qr/ERROR:  the clock is 7\d\d\d s behind the last checkpoint\n.*HINT:  .* restart the server/s, 'two hours behind the last checkpoint: refused');
set_clock($node, '+7205');
draw('a second behind what ids may have had then');

# While it cannot be written how far they have got, they end after a while, so
# that after a crash none is issued a second time.
my $directory = dirname($file);
my $second = 7300;

sub draw_until_refused
{
	my ($what) = @_;
	my $begin = $second;

	chmod(0500, $directory) or die "could not change $directory: $!";
	while (drawn("$what, second $second"))
	{
		set_clock($node, sprintf('%+d', ++$second));
		die 'it is never refused' if $second > $begin + 20;
	}
	return;
}

set_clock($node, "+$second");
draw('before');
draw_until_refused('not written');
chmod(0700, $directory) or die "could not change $directory: $!";
draw('it can be written again');
draw_until_refused('not written, once more');
$node->stop('immediate');
chmod(0700, $directory) or die "could not change $directory: $!";
start_with_clock($node, sprintf('%+d', $second - 3));
draw('a crash, and the clock a little back');

$node->stop;
done_testing();
