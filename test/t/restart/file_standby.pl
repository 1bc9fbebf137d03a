# A standby writes no restart file and uses none. A standby that is promoted
# goes on behind all that the old primary has drawn, and from then on writes and
# uses its own.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Copy;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $not_going_on = 'The database cluster does not continue from where it was shut down.';
my $copies = PostgreSQL::Test::Utils::tempdir();

my $a = idgen_server('a', init => [ allows_streaming => 1 ], conf => q{
wal_log_hints = on
wal_keep_size = 256MB
});

# Draw three ids of each kind; all must be greater than any before.
my %last = (x => 0, worker => 0, native => 0);

sub draw
{
	my ($server, $when, $expected) = @_;
	my $ids = $server->safe_psql(
		'postgres', q{
		SELECT 'x ' || idgen_next('x') || E'\nworker ' || idgen_next('worker') ||
			E'\nnative ' || idgen_next('native', 'sequence')
		FROM generate_series(1, 3)});
	my @late;

	foreach my $id (split /\n/, $ids)
	{
		my ($name, $number) = split / /, $id;
		push @late, "$id after $last{$name}" if $number <= $last{$name};
		$last{$name} = $number;
	}
	is("@late", '', "$when: no id is issued twice");
	is(join(' ', $ids =~ /^x (\d+)/mg), $expected, "$when: ids");
	return;
}

sub save
{
	my ($server) = @_;
	copy(restart_file($server), "$copies/" . $server->name) or die "copy failed: $!";
	return;
}

sub put_back
{
	my ($server, $whose) = @_;
	copy("$copies/" . ($whose // $server)->name, restart_file($server)) or die "copy failed: $!";
	return;
}

$a->safe_psql(
	'postgres', q{
	CREATE SEQUENCE native_seq INCREMENT BY 20;
	SELECT idgen_create('x'), idgen_create('worker', refill => 'worker')});
draw($a, 'primary', '1 2 3');

# A standby that begins as a copy of a server that was shut down, file included
$a->stop;
save($a);
$a->backup_fs_cold('cold');
my $b = PostgreSQL::Test::Cluster->new('b');
$b->init_from_backup($a, 'cold', has_streaming => 1);
is(start_and_read($a), '', 'primary: the file is used');
draw($a, 'primary, restarted', '4 5 6');
is(start_and_read($b), $not_going_on, 'new standby: the file is refused');
ok(!-e restart_file($b), 'new standby: removed');
is($b->safe_psql('postgres', 'SELECT count(*) FROM idgen_cache'), '0', 'new standby: nothing is cached');

# A standby that is stopped
$a->wait_for_catchup($b);
$b->stop;
ok(!-e restart_file($b), 'standby, stopped: no file');
put_back($b, $a);
is(start_and_read($b), $not_going_on, 'standby, restarted: a file is refused');

# Promotion, then a clean stop and start
draw($a, 'primary, at its end', '7 8 9');
$a->stop;
save($a);
$b->promote;
draw($b, 'promoted', '21 22 23');
put_back($b, $a);
$b->stop;
isnt(slurp_file(restart_file($b)), slurp_file("$copies/a"), 'promoted, stopped: it has written its own file');
save($b);
is(start_and_read($b), '', 'promoted, restarted: the file is used');
draw($b, 'promoted, restarted', '24 25 26');

# The old primary becomes a standby. Nothing has to be rewound.
ok(-e restart_file($a), 'old primary: has its file');
$a->enable_streaming($b);
is(start_and_read($a), $not_going_on, 'old primary as standby: the file is refused');
$b->wait_for_catchup($a);

# And is promoted again, without the other one being told. That one does
# something more, is stopped cleanly, and rewound.
$b->wait_for_catchup($a);
draw($b, 'before the second promotion', '27 28 29');
$b->wait_for_catchup($a);
$a->promote;
$b->safe_psql('postgres', 'CREATE TABLE lost ()');
$b->stop;
ok(-e restart_file($b), 'to be rewound: has a file');
save($b);
draw($a, 'second promotion', '41 42 43');
$a->safe_psql('postgres', 'CHECKPOINT');
copy($b->data_dir . '/postgresql.conf', "$copies/conf") or die "copy failed: $!";
$b->command_ok(
	[
		'pg_rewind', '--no-sync', '--target-pgdata', $b->data_dir,
		'--source-server', $a->connstr('postgres')
	],
	'pg_rewind');
ok(!-e restart_file($b), 'rewound: pg_rewind has removed the file');
copy("$copies/conf", $b->data_dir . '/postgresql.conf') or die "copy failed: $!";
put_back($b);
$b->enable_streaming($a);
is(start_and_read($b), $not_going_on, 'rewound: put back, it is refused');
$a->wait_for_catchup($b);
draw($a, 'second promotion', '44 45 46');
$a->stop;
$b->promote;
draw($b, 'third promotion', '61 62 63');
$b->stop;
put_back($b);
is(start_and_read($b), 'The database cluster has been in use since.', 'third promotion: the old file is refused');
draw($b, 'after the old file', '81 82 83');
$b->restart;
draw($b, 'restarted', '84 85 86');
$b->stop;

done_testing();
