# When the disk is full, a refill that needs more of it fails with an error that
# says so, and what is cached can be drawn. When there is room again, so can
# everything else. If it is the WAL's disk, the server stops. Nothing is
# issued twice, and nothing is skipped that must not be.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $library = build_library('full_disk');
plan skip_all => 'there is no compiler' unless defined $library;

my $switch = PostgreSQL::Test::Utils::tempdir() . '/switch';
$ENV{LD_PRELOAD} = $library;
$ENV{FULL_DISK_SWITCH} = $switch;
my $node = idgen_server('disk', init => [ extra => ['--wal-segsize=1'] ], conf => q{
restart_after_crash = on
autovacuum = off
max_wal_size = 1GB
checkpoint_timeout = 1h
min_wal_size = 2MB
idgen.worker_idle_timeout = '1000s'
});
delete $ENV{LD_PRELOAD};

$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('table', block_size => 2), idgen_create('gapless', block_size => 1),
		idgen_create('worker', block_size => 2, refill => 'worker'), idgen_create('cached', block_size => 1000);
	CREATE SEQUENCE sequence_seq INCREMENT BY 2;
	SELECT idgen_create('sequence', source => 'sequence');
	SELECT idgen_next('cached'), idgen_next('worker');
	CREATE TABLE filler (v text)});

# Since 19, even to read a table may take a visibility map. VACUUM makes one.
$node->safe_psql('postgres', 'VACUUM id_sequences');

my @names = ('table', 'gapless', 'worker', 'sequence');
my @ids;

# No file can grow whose path has this in it.
sub fill_disk
{
	my ($part) = @_;
	write_file("$switch.new", $part);
	rename("$switch.new", $switch) or die;
	return;
}

sub make_room
{
	unlink $switch or die;
	return;
}

# Draw, which must work.
sub draw
{
	foreach my $name (@_)
	{
		push @ids, "$name " . $node->safe_psql('postgres', "SELECT idgen_next('$name')");
	}
	return;
}

# While nothing can be removed from the table, refills make it larger.
my $old_snapshot = $node->background_psql('postgres');
$old_snapshot->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY sqlstate');

draw(@names);
fill_disk($node->safe_psql('postgres', q{SELECT pg_relation_filepath('id_sequences')}));
foreach my $name ('table', 'gapless', 'worker')
{
	my ($answer, $drawn) = ('', 0);

	# The table can still be written to where it is.
	while ($drawn < 2000)
	{
		$answer = answer($session, "SELECT idgen_next('$name')");
		last if $answer !~ /^\d{1,4}$/;
		push @ids, "$name $answer";
		$drawn++;
	}
	is($answer, '53100', "$name: the disk is full");
	is(answer($session, "SELECT idgen_next('$name')"), '53100', "$name: it is full every time");
}
draw('cached', 'sequence');
pass('others are not concerned');
make_room();
draw(@names, @names, 'cached');
is(duplicates(@ids), '', 'no id was issued twice');
is(scalar(grep { /^gapless/ } @ids), (split / /, (grep { /^gapless/ } @ids)[-1])[1], 'there is no gap in the gapless ones');
$_->quit for ($session, $old_snapshot);

# What is kept while the server is stopped cannot be written.
fill_disk('/pg_stat/');
$node->stop;
make_room();
{
	local $ENV{LD_PRELOAD} = $library;
	$node->start;
}
draw(@names, 'cached') for 1 .. 3;
is(duplicates(@ids), '', 'no id was issued twice after a restart');

# The WAL's disk. Clients go on drawing until there is no server any more.
my $statements = join('', map { "SELECT '$_ ' || idgen_next('$_');\n" } @names, 'cached');
my @clients = start_clients($node, 3, $statements);
wait_for_lines(50, @clients);
fill_disk('/pg_wal/');
my $offset = -s $node->logfile;
my ($status, undef, $stderr) = $node->psql(
	'postgres', q{INSERT INTO filler SELECT repeat('x', 1000) FROM generate_series(1, 20000)});
isnt($status, 0, 'there is no more room for WAL');
finish_clients(@clients);
push @ids, seen_ids(@clients);
like(slurp_file($node->logfile, $offset), qr/PANIC:  could not write to file "pg_wal\/xlogtemp\.\d+": No space left on device/,
	'the server has stopped');

# It tries to start again, for which it may need more WAL itself.
my $pid_file = $node->data_dir . '/postmaster.pid';
wait_until(sub { !-e $pid_file || slurp_file($node->logfile, $offset) =~ /ready to accept connections/ },
	'the server to start or to give up');
make_room();
wait_until(sub { !-e $pid_file || $node->psql('postgres', 'SELECT 1') == 0 }, 'the server to start or to give up');
unless (-e $pid_file)
{
	$node->_update_pid(0);
	$node->start;
}
draw(@names, 'cached') for 1 .. 3;
is(duplicates(@ids), '', 'no id was issued twice');

$node->stop;
done_testing();
