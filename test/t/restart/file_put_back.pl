# The restart file is good for one start, of the very server that wrote it,
# right after it did. Put back later, however the server has ended meanwhile, it
# is refused.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Copy;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('put_back');
my $file = restart_file($node);
my $copies = PostgreSQL::Test::Utils::tempdir();

my $in_use_since = 'The database cluster has been in use since.';
my $not_going_on = 'The database cluster does not continue from where it was shut down.';

$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE native_seq INCREMENT BY 20;
	SELECT idgen_create('x'), idgen_create('worker', refill => 'worker')});

# Draw three ids of each kind. Without a loss, "x" goes on with the very next
# one, else with the next block.
my @seen;
my $next = 1;

sub draw
{
	my ($when, $lost) = @_;

	$next += (1 - $next) % 20 if $lost;
	my ($x, @others) = split /\|/, $node->safe_psql(
		'postgres', q{
		SELECT string_agg(idgen_next('x')::text, ' '),
			string_agg('worker ' || idgen_next('worker'), '|'),
			string_agg('native ' || idgen_next('native', 'sequence'), '|')
		FROM generate_series(1, 3)});
	is($x, join(' ', $next .. $next + 2), "$when: ids");
	$next += 3;
	push @seen, (split / /, $x), @others;
	return;
}

sub save
{
	my ($copy) = @_;
	copy($file, "$copies/$copy") or die "copy failed: $!";
	return;
}

sub put_back
{
	my ($copy) = @_;
	copy("$copies/$copy", $file) or die "copy failed: $!";
	return;
}

sub restart_with_file
{
	my ($copy) = @_;

	$node->stop;
	save($copy);
	is(start_and_read($node), '', "$copy: used");
	return;
}

# What some shutdowns have left
draw('at first');
foreach my $copy ('first file', 'second file')
{
	restart_with_file($copy);
	draw($copy);
}

# Ends that leave no file, and what is put there then: also the file with which
# the server was started that has ended, with ids drawn since or not.
my @ends = (
	[
		'immediate shutdown', sub { $node->stop('immediate') },
		$not_going_on, undef, 'first file', 'second file', 'last file'
	],
	[ 'kill -9', sub { kill_server($node) }, $not_going_on, 'last file' ],
	[
		'clean stop', sub { $node->stop; unlink $file or die },
		$in_use_since, undef, 'first file', 'second file', 'last file'
	]);

foreach my $end (@ends)
{
	my ($name, $stop, $reason, @copies) = @$end;

	foreach my $copy (@copies)
	{
		my $when = $name . ($copy ? ", $copy" : '');

		if ($when =~ 'last')
		{
			restart_with_file($copy);
			draw($copy) if $name eq 'kill -9';
		}
		$stop->();
		ok(!-e $file, "$name: no file");
		put_back($copy) if $copy;
		is(start_and_read($node), $copy ? $reason : '', "$when: " . ($copy ? 'refused' : 'nothing to use'));
		ok(!-e $file, "$when: no file after start");
		draw($when, 1);
	}
}

# Put there while the server is running, it is overwritten, ...
put_back('first file');
restart_with_file('last file');
draw('put there while running');

# ... or, when there is nothing to write, still refused, ...
put_back('last file');
$node->safe_psql(
	'postgres', q{
	CREATE TABLE saved AS SELECT name, next_block_start, refill FROM id_sequences;
	DROP EXTENSION idgen;
	CREATE EXTENSION idgen;
	INSERT INTO id_sequences (name, next_block_start, refill) SELECT * FROM saved;
	DROP TABLE saved;
	DROP SEQUENCE native_seq;
	CREATE SEQUENCE native_seq INCREMENT BY 20 START 100001});
$node->stop;
ok(-e $file, 'nothing cached: the file stays');
is(start_and_read($node), $in_use_since, 'nothing cached: it is refused');
ok(!-e $file, 'nothing cached: removed');
draw('nothing cached', 1);

# ... and so it is by a server that starts again by itself.
restart_with_file('last file');
$node->safe_psql('postgres', 'ALTER SYSTEM SET restart_after_crash = on; SELECT pg_reload_conf()');
put_back('last file');
my $offset = -s $node->logfile;
my $session = $node->background_psql('postgres', on_error_stop => 0);
kill 'KILL', $session->query_safe('SELECT pg_backend_pid()');
$session->{run}->finish;
wait_for_restart($node, $offset);
is(file_ignored($node, $offset), $not_going_on, 'killed session: refused');
ok(!-e $file, 'killed session: removed');
draw('killed session', 1);

# What is written after a crash is good.
restart_with_file('last file');
draw('killed session, then a clean stop');

is(duplicates(@seen), '', 'no id was issued twice');

$node->stop;
done_testing();
