# What else is done to a database cluster between a stop and a start: if it goes
# on from where it was, nothing is lost; if not, nothing is issued twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('other_use', conf => "idgen.max_sequences = 100\n");
my $file = restart_file($node);
my $in_use_since = 'The database cluster has been in use since.';
my $not_going_on = 'The database cluster does not continue from where it was shut down.';

$node->safe_psql('postgres', q{SELECT idgen_create('x'), idgen_create('worker', refill => 'worker')});

sub draw
{
	return $node->safe_psql('postgres', q{SELECT idgen_next('x'), idgen_next('worker')});
}

sub set
{
	my ($setting) = @_;
	$node->append_conf('postgresql.conf', $setting);
	return;
}

# The answers of a server in single-user mode
sub single_user
{
	my ($sql, @options) = @_;
	my ($stdout, $stderr);

	IPC::Run::run(
		[
			$node->installed_command('postgres'), '--single', '-D', $node->data_dir,
			@options, 'postgres'
		],
		'<', \"$sql\n",
		'>', \$stdout,
		'2>', \$stderr) or die "single-user mode failed: $stderr";
	return join(' ', $stdout =~ /idgen_next = "(-?\d+)"/g, $stderr =~ /(ERROR:  .*)/g);
}

is(draw(), '1|1', 'at first');

# A start without the library, whether it is used or not
foreach my $round ([ 'fast', $in_use_since, '41|21' ], [ 'immediate', $not_going_on, '81|41' ])
{
	my ($mode, $reason, $next) = @$round;

	$node->stop;
	set("shared_preload_libraries = ''");
	$node->start;
	ok(-e $file, 'without the library: the file is left alone');
	cmp_ok($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '>', 20, 'without the library: another id');
	$node->stop($mode);
	set("shared_preload_libraries = 'idgen'");
	is(start_and_read($node), $reason, 'with it again: the file is refused');
	ok(!-e $file, 'with it again: removed');
	is(draw(), $next, 'with it again: ids');
}
$node->stop;
set("shared_preload_libraries = ''");
$node->restart;
$node->stop;
set("shared_preload_libraries = 'idgen'");
is(start_and_read($node), $in_use_since, 'idle without the library: the file is refused');
is(draw(), '101|61', 'idle without the library: ids');

# Single-user mode is one more start; but without a worker.
$node->stop;
is(single_user("SELECT idgen_next('x')\nSELECT idgen_next('worker')"), '102 62', 'single-user mode: the next ids');
is( single_user("BEGIN\nSELECT idgen_next('x')\nSELECT count(idgen_next('worker')) FROM generate_series(1, 100)\n"),
	'103 ERROR:  out of background worker slots', 'single-user mode: a transaction that fails');
is(start_and_read($node), '', 'after single-user mode: the file is used');
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '104', 'after single-user mode: the next id');
is($node->safe_psql('postgres', q{SELECT idgen_next('worker')}), '81', 'of the others nothing was left');

$node->stop;
is(single_user("SELECT idgen_next('x')", '-c', 'shared_preload_libraries='), '121', 'single-user mode without the library');
is(start_and_read($node), $in_use_since, 'single-user mode without the library: the file is refused');
is(draw(), '141|101', 'single-user mode without the library: ids');

# Programs that work on a cluster that is shut down
my $checksums = $node->safe_psql('postgres', 'SHOW data_checksums') eq 'on' ? '--disable' : '--enable';
$node->stop;
$node->command_ok([ 'pg_checksums', '--no-sync', $checksums, '-D', $node->data_dir ], "pg_checksums $checksums");
is(start_and_read($node), $in_use_since, 'after pg_checksums: the file is refused');
is(draw(), '161|121', 'after pg_checksums: ids');

$node->stop;
$node->command_ok([ 'pg_resetwal', '-D', $node->data_dir ], 'pg_resetwal');
is(start_and_read($node), $in_use_since, 'after pg_resetwal: the file is refused');
is(draw(), '181|141', 'after pg_resetwal: ids');

# Less room than there was
$node->safe_psql('postgres', q{SELECT idgen_create('n' || i) FROM generate_series(1, 8) i});
$node->safe_psql('postgres', q{SELECT idgen_next('n' || i) FROM generate_series(1, 8) i});
$node->stop;
set("idgen.max_sequences = 3\nidgen.max_idle_sequences = 2");
my $offset = -s $node->logfile;
is(start_and_read($node), '', 'less room: the file is used');
my @cached = split /\n/, $node->safe_psql('postgres', q{SELECT name, last_id - first_id + 1 FROM idgen_cache ORDER BY 1});
is(join(' ', map { /\|(.*)/ } @cached), '19 19 19 19 19', 'less room: three id sequences, and two idle ones');
like(slurp_file($node->logfile, $offset),
	qr{LOG:  95 cached ids are lost\n.*DETAIL:  There is no room for them in the cache\.\n.*HINT:  .*idgen\.max_idle_sequences},
	'less room: the log says how many ids are lost');
my @kept = map { /(.*)\|/ } @cached;
my %kept = map { ($_, 1) } @kept;
my %next = (x => [ 182, 201 ], worker => [ 142, 161 ], map { ("n$_", [ 2, 21 ]) } 1 .. 8);
foreach my $name (@kept, grep { !$kept{$_} } sort keys %next)
{
	is($node->safe_psql('postgres', "SELECT idgen_next('$name')"),
		$next{$name}[ $kept{$name} ? 0 : 1 ],
		"less room: $name " . ($kept{$name} ? 'goes on' : 'goes on with the next block'));
}

# A crash, after which the cluster is made to look as if it had been shut down
$node->stop;
rename($file, "$file.away") or die;
$node->start;
$node->stop('immediate');
rename("$file.away", $file) or die;
$node->command_ok([ 'pg_resetwal', '-f', '-D', $node->data_dir ], 'pg_resetwal -f');
is(start_and_read($node), $in_use_since, 'after pg_resetwal -f: the file is refused');

$node->stop;
done_testing();
