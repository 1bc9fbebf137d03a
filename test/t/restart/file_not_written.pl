# Where the restart file cannot be written, read or removed, the server stops
# and starts as usual. What was cached is lost, and the log says why; nothing
# is issued twice. Once the obstacle is gone, it works again.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('obstacles');
my $file = restart_file($node);
my $directory = $node->data_dir . '/pg_stat';

$node->safe_psql('postgres', q{SELECT idgen_create('x')});
my $next = 1;

sub draw
{
	my ($when, $lost) = @_;

	$next += (1 - $next) % 20 if $lost;
	my $id = $node->safe_psql('postgres', q{SELECT idgen_next('x')});
	is($id, $next, "$when: id");
	$next = $id + 1;
	return;
}

# Stop and start, with something done before each. Answers what the log says.
sub restart
{
	my ($before_stop, $before_start) = @_;
	my $offset = -s $node->logfile;

	$before_stop->() if $before_stop;
	$node->stop;
	$before_start->() if $before_start;
	$node->start;
	return slurp_file($node->logfile, $offset);
}

sub works_again
{
	my ($after) = @_;

	unlike(restart(), qr{(?:ignoring|could not) .*pg_stat/}, "$after: works again");
	draw("$after, works again");
	return;
}

my $not_written = qr{LOG:  could not write file "pg_stat/idgen\.cache\.tmp": .*\n.*DETAIL:  Cached ids are lost\.};

draw('at first');

# A full disk
like(restart(sub { symlink('/dev/full', "$file.tmp") or die }),
	qr{"pg_stat/idgen\.cache\.tmp": No space left on device}, 'full disk: log');
ok(!-l "$file.tmp" && !-e $file, 'full disk: nothing is left');
draw('full disk', 1);
works_again('full disk');

# A full disk, which is noticed before all has been written
$node->safe_psql('postgres', q{SELECT idgen_create(repeat('long', 50) || i), idgen_next(repeat('long', 50) || i) FROM generate_series(1, 100) i});
like(restart(sub { symlink('/dev/full', "$file.tmp") or die }),
	qr{"pg_stat/idgen\.cache\.tmp": No space left on device}, 'full disk, much to write: log');
ok(!-l "$file.tmp" && !-e $file, 'full disk, much to write: nothing is left');
draw('full disk, much to write', 1);
works_again('full disk, much to write');

# A directory in place of the temporary file
like(restart(sub { mkdir("$file.tmp") or die }), $not_written, 'directory for the temporary file: log');
draw('directory for the temporary file', 1);
rmdir("$file.tmp") or die;
works_again('directory for the temporary file');

# No right to write
like(restart(sub { chmod(0500, $directory) or die }), $not_written, 'no right to write: log');
draw('no right to write', 1);
chmod(0700, $directory) or die;
works_again('no right to write');

# No right to remove what has been written. It is not used, not even later.
my $log = restart(undef, sub { chmod(0500, $directory) or die });
like($log, qr{LOG:  could not remove file "pg_stat/idgen\.cache"}, 'no right to remove: log');
like($log, qr{LOG:  ignoring file .*\n.*DETAIL:  It could not be removed\.}, 'no right to remove: ignored');
draw('no right to remove', 1);
$node->stop('immediate');
chmod(0700, $directory) or die;
is( start_and_read($node), 'The database cluster does not continue from where it was shut down.',
	'no right to remove: refused later');
ok(!-e $file, 'no right to remove: removed later');
draw('no right to remove', 1);
works_again('no right to remove');

# No right to read what has been written
like(restart(undef, sub { chmod(0, $file) or die }),
	qr{LOG:  could not read file "pg_stat/idgen\.cache": Permission denied}, 'no right to read: log');
ok(!-e $file, 'no right to read: removed all the same');
draw('no right to read', 1);
works_again('no right to read');

# A directory in its place
like( restart(undef, sub { unlink($file) or die; mkdir($file) or die }),
	qr{could not read file "pg_stat/idgen\.cache": Is a directory}, 'directory: log');
draw('directory', 1);
like(restart(), qr{could not .*"pg_stat/idgen\.cache"}, 'directory: log when it is to be written');
draw('directory', 1);
ok(!-e "$file.tmp", 'directory: no temporary file is left');
rmdir($file) or die;
works_again('directory');

# A server that does not start, because of something else, has used nothing.
$node->stop;
rename($node->data_dir . '/pg_hba.conf', $node->data_dir . '/away') or die;
ok(!$node->start(fail_ok => 1), 'failed start');
rename($node->data_dir . '/away', $node->data_dir . '/pg_hba.conf') or die;
$node->start;
draw('failed start');

$node->stop;
done_testing();
