# The restart file belongs to one state of one database cluster. With a copy of
# that it is used, but not where recovery brings the copy to another state; and
# not by any other cluster.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Copy;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $in_use_since = 'The database cluster has been in use since.';
my $not_going_on = 'The database cluster does not continue from where it was shut down.';
my $other_cluster = 'It is from another database cluster.';

my $node = idgen_server('original', init => [ allows_streaming => 1, has_archiving => 1 ]);

# Draw three ids.
sub draw
{
	my ($server, $expected, $what) = @_;

	is($server->safe_psql('postgres', q{SELECT string_agg(idgen_next('x')::text, ' ') FROM generate_series(1, 3)}),
		$expected, $what);
	return;
}

# A server made of a backup, not started
sub server_from
{
	my ($name, $backup, %params) = @_;
	my $server = PostgreSQL::Test::Cluster->new($name);

	$server->init_from_backup($node, $backup, %params);
	$server->append_conf('postgresql.conf', 'archive_mode = off');
	return $server;
}

$node->safe_psql('postgres', q{SELECT idgen_create('x')});
draw($node, '1 2 3', 'original: at first');

# Another cluster, of the same contents
my $other = idgen_server('other', init => [ force_initdb => 1 ]);
$other->safe_psql('postgres', q{SELECT idgen_create('x')});
draw($other, '1 2 3', 'other: at first');
$_->stop foreach ($node, $other);
move(restart_file($node), restart_file($node) . '.away') or die "move failed: $!";
move(restart_file($other), restart_file($node)) or die "move failed: $!";
copy(restart_file($node) . '.away', restart_file($other)) or die "copy failed: $!";
is(start_and_read($_), $other_cluster, $_->name . ': the file of another cluster is refused') foreach ($node, $other);
draw($_, '21 22 23', $_->name . ': the next block') foreach ($node, $other);
$other->stop;

# A base backup of a running server holds no such file. One that is put there,
# from before, is refused; so is one that the server has left lying there.
$node->stop;
copy(restart_file($node), restart_file($node) . '.away') or die "copy failed: $!";
is(start_and_read($node), '', 'original: the file is used');
$node->backup('plain');
my $restored = server_from('restored', 'plain');
ok(!-e restart_file($restored), 'base backup: no file');
is(start_and_read($restored), '', 'base backup: nothing to use');
draw($restored, '41 42 43', 'base backup: the next block');
$restored->stop('immediate');
copy(restart_file($node) . '.away', restart_file($node)) or die "copy failed: $!";
$node->backup('with_file');
unlink(restart_file($node)) or die;
$restored = server_from('restored_with_file', 'with_file');
ok(-e restart_file($restored), 'base backup with a file');
is(start_and_read($restored), $not_going_on, 'base backup with a file: it is refused');
draw($restored, '41 42 43', 'base backup with a file: the next block');
$restored->stop('immediate');
draw($node, '24 25 26', 'original: goes on');

# A copy of a server that is shut down, times of files included, is as good as
# that, once. After that, the two have the same name, but not the same state.
$node->stop;
$node->backup_fs_cold('cold');
my $twin = server_from('twin', 'cold');
my $stranger = server_from('stranger', 'cold');
my $control = 'global/pg_control';
system_or_bail('touch', '-r', $node->data_dir . "/$control", $twin->data_dir . "/$control");
is(start_and_read($stranger), $in_use_since, 'a copy that has not kept the time: the file is refused');
draw($stranger, '41 42 43', 'a copy that has not kept the time: the next block');
$stranger->stop;
is(start_and_read($_), '', $_->name . ': the file is used') foreach ($node, $twin);
draw($_, '27 28 29', $_->name . ': the next ids') foreach ($node, $twin);
$twin->safe_psql('postgres', 'CREATE TABLE t ()');
$_->stop foreach ($node, $twin);
copy(restart_file($node), restart_file($twin)) or die "copy failed: $!";
is(start_and_read($twin), $in_use_since, 'twin: the file of the original is refused');
draw($twin, '41 42 43', 'twin: the next block');
$twin->stop;
is(start_and_read($node), '', 'original: the file is used');

# Recovery from that copy, with archived WAL: to the end, and to a point in
# between
draw($node, '30 31 32', 'original: goes on after the copy');
is($node->safe_psql('postgres', q{SELECT count(idgen_next('x')) FROM generate_series(1, 20)}), '20', 'and refills');
$node->safe_psql('postgres', q{SELECT pg_create_restore_point('between')});
is($node->safe_psql('postgres', q{SELECT count(idgen_next('x')) FROM generate_series(1, 20)}), '20', 'and again');
$node->stop;
ok(-e $node->backup_dir . '/cold/pg_stat/idgen.cache', 'the copy has the file');
my $recovered = server_from('recovered', 'cold', has_restoring => 1, standby => 0);
is(start_and_read($recovered), $not_going_on, 'recovered: the file is refused');
$recovered->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'still in recovery';
draw($recovered, '81 82 83', 'recovered: behind all that was drawn');
$recovered->restart;
draw($recovered, '84 85 86', 'recovered: keeps its own ids');
$recovered->stop;

$recovered = server_from('recovered_between', 'cold', has_restoring => 1, standby => 0);
$recovered->append_conf('postgresql.conf', "recovery_target_name = 'between'\nrecovery_target_action = 'promote'");
is(start_and_read($recovered), $not_going_on, 'recovered to a point: the file is refused');
$recovered->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'still in recovery';
draw($recovered, '61 62 63', 'recovered to a point: behind all that was drawn by then');
$recovered->stop;

done_testing();
