# What is done to a database cluster between a stop and a start. If it goes on
# from exactly where it was shut down, it goes on with the very ids that it had
# cached. If not, these may be a gap, and the log says so if there is a file
# that is not used. Whatever was done, no id is issued twice: what one shutdown
# has left is good for one start.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Basename qw(dirname);
use File::Copy;
use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $copies = PostgreSQL::Test::Utils::tempdir();
my %last; # of each server: the last id of each kind

# A server with an id sequence of each kind
sub new_server
{
	my ($name, %params) = @_;
	my $server = idgen_server($name, %params);

	$server->safe_psql(
		'postgres', q{
		CREATE SEQUENCE native_seq INCREMENT BY 100;
		SELECT idgen_create('own', block_size => 100), idgen_create('worker', block_size => 100, refill => 'worker')});
	$last{$name} = [ 0, 0, 0 ];
	return $server;
}

# Draw a number of ids of each kind. They go on behind the last ones; if it is
# not expected that the cached ones were kept, they may begin with a new block.
sub draw
{
	my ($server, $what, $kept, $number) = @_;
	$number //= 3;
	my $last = $last{ $server->name };
	my ($blocks, @ids) = map { [ split /\|/ ] } split /\n/, $server->safe_psql(
		'postgres', qq{
		SELECT (SELECT next_block_start FROM id_sequences WHERE name = 'own'),
			(SELECT next_block_start FROM id_sequences WHERE name = 'worker'),
			(SELECT last_value + CASE WHEN is_called THEN 100 ELSE 0 END FROM native_seq);
		SELECT idgen_next('own'), idgen_next('worker'), idgen_next('native', 'sequence') FROM generate_series(1, $number)});
	my (@got, @expected);

	foreach my $kind (0 .. 2)
	{
		my @of_kind = map { $_->[$kind] } @ids;
		my $first = $last->[$kind] + 1;

		$first = $of_kind[0] if !$kept && $of_kind[0] == $blocks->[$kind] && $of_kind[0] > $first;
		push @got, "@of_kind";
		push @expected, join(' ', $first .. $first + $number - 1);
		$last->[$kind] = $of_kind[-1];
	}
	is(join(', ', @got), join(', ', @expected), $what . ($kept ? ': the very next ids' : ': no id twice'));
	return;
}

# Start a server, and see whether it says that it ignores a file.
sub start
{
	my ($server, $what, $ignores) = @_;
	my $said = start_and_read($server);

	($ignores ? \&isnt : \&is)->($said, '', "$what: the log");
	return;
}

# What shutdowns of a server have left, which can be put there again: 0 for the
# first, -1 for the last one
my %files;

sub save_file
{
	my ($server) = @_;
	my $files = $files{ $server->name } //= [];

	push @$files, "$copies/" . $server->name . scalar @$files;
	copy(restart_file($server), $files->[-1]) or die "copy failed: $!";
	return;
}

sub put_back
{
	my ($server, $number, $whose) = @_;
	copy($files{ ($whose // $server)->name }[$number], restart_file($server)) or die "copy failed: $!";
	return;
}

# Small files of WAL are copied faster.
my $node = new_server('original', init => [ allows_streaming => 1, has_archiving => 1, extra => ['--wal-segsize=1'] ], conf => q{
restart_after_crash = on
wal_keep_size = 256MB
});
my $directory = dirname(restart_file($node));

sub set
{
	$node->append_conf('postgresql.conf', $_[0]);
	return;
}

# Use it without the library in between.
sub without_library
{
	my ($stop) = @_;

	set("shared_preload_libraries = ''");
	$node->start;
	my $id = $node->safe_psql('postgres', q{SELECT idgen_next('own')});
	cmp_ok($id, '>', $last{original}[0], 'without the library');
	$last{original}[0] = $id;
	$node->stop($stop);
	set("shared_preload_libraries = 'idgen'");
	return;
}

# Draw in single-user mode.
sub single_user
{
	my (@options) = @_;
	my ($stdout, $stderr);

	IPC::Run::run(
		[ $node->installed_command('postgres'), '--single', '-D', $node->data_dir, @options, 'postgres' ],
		'<', \"SELECT idgen_next('own')\n",
		'>', \$stdout,
		'2>', \$stderr) or die "single-user mode failed: $stderr";
	my ($id) = $stdout =~ /idgen_next = "(\d+)"/ or die "no id: $stdout$stderr";
	(@options ? sub { cmp_ok($_[0], '>=', $_[1], $_[2]) } : \&is)->($id, $last{original}[0] + 1, 'in single-user mode');
	$last{original}[0] = $id;
	return;
}

sub on_files
{
	my ($program, @options) = @_;
	$node->command_ok([ $program, @options, '-D', $node->data_dir ], "$program @options");
	return;
}

# A session is killed; the server starts again by itself.
sub kill_session
{
	my $offset = -s $node->logfile;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	kill 'KILL', $session->query_safe('SELECT pg_backend_pid()');
	$session->{run}->finish;
	wait_for_restart($node, $offset);
	return;
}

# What is done, how the server is stopped, what is done before that and between
# stop and start, and what comes of it: cached ids are "kept", or they may be a
# gap, of which the log may have to say why.
my @cases = (
	[ 'nothing', 'fast', undef, undef, 'kept' ],
	[ 'another one', 'smart', undef, undef, 'kept' ],
	[ 'an old file put there while it runs', 'fast', sub { put_back($node, 0) }, undef, 'kept' ],
	[
		'a start that fails',
		'fast', undef,
		sub {
			my $hba = $node->data_dir . '/pg_hba.conf';
			rename($hba, "$hba.away") or die;
			ok(!$node->start(fail_ok => 1), 'it does not start');
			rename("$hba.away", $hba) or die;
		},
		'kept'
	],
	[ 'single-user mode', 'fast', undef, sub { single_user() }, 'kept' ],
	[ 'an immediate shutdown', 'immediate', undef, undef, 'gap' ],
	[ 'immediate, the first file put back', 'immediate', undef, sub { put_back($node, 0) }, 'said' ],
	[ 'before the next one', 'fast', undef, undef, 'kept' ],
	[ 'immediate, the last file put back', 'immediate', undef, sub { put_back($node, -1) }, 'said' ],
	[ 'before kill -9', 'fast', undef, undef, 'kept' ],
	[ 'kill -9, the last file put back', 'kill -9', undef, sub { put_back($node, -1) }, 'said' ],
	[ 'before a killed session', 'fast', undef, undef, 'kept' ],
	[ 'a killed session, the last file put back', \&kill_session, sub { put_back($node, -1) }, undef, 'said' ],
	[ 'the file removed', 'fast', undef, sub { unlink restart_file($node) or die }, 'gap' ],
	[ 'the first file instead', 'fast', undef, sub { put_back($node, 0) }, 'said' ],
	[ 'the file before instead', 'fast', undef, sub { put_back($node, -2) }, 'said' ],
	[ 'use without the library', 'fast', undef, sub { without_library('fast') }, 'said' ],
	[ 'use without the library, and a crash', 'fast', undef, sub { without_library('immediate') }, 'said' ],
	[ 'single-user mode without the library', 'fast', undef, sub { single_user('-c', 'shared_preload_libraries=') }, 'said' ],
	[
		'pg_checksums',
		'fast', undef,
		sub {
			my $off = (run_command([ 'pg_controldata', $node->data_dir ]))[0] =~ /page checksum version: +0/;
			on_files('pg_checksums', '--no-sync', $off ? '--enable' : '--disable');
		},
		'said'
	],
	[ 'pg_resetwal', 'fast', undef, sub { on_files('pg_resetwal') }, 'said' ],
	[ 'before a crash', 'fast', undef, undef, 'kept' ],
	[
		'a crash that is made to look like a shutdown',
		'immediate', undef,
		sub { put_back($node, -1); on_files('pg_resetwal', '-f') }, 'said'
	],
	[ 'no right to write', 'fast', sub { chmod(0500, $directory) or die }, sub { chmod(0700, $directory) or die }, 'said' ],
	[ 'no right to remove', 'fast', undef, sub { chmod(0500, $directory) or die }, 'said' ],
	[ 'what could not be removed', 'immediate', undef, sub { chmod(0700, $directory) or die }, 'said' ],
	[
		'less room',
		'fast',
		sub {
			$node->safe_psql(
				'postgres', q{
				SELECT idgen_create('n' || i) FROM generate_series(1, 10) i;
				SELECT idgen_next('n' || i) FROM generate_series(1, 10) i});
		},
		sub { set('idgen.max_sequences = 4') },
		'gap'
	]);

draw($node, 'at first', 1);
foreach my $case (@cases)
{
	my ($what, $stop, $before, $then, $result) = @$case;
	my $offset = -s $node->logfile;

	$before->() if $before;
	ref $stop ? $stop->() : $stop eq 'kill -9' ? kill_server($node) : $node->stop($stop);
	save_file($node) if ($stop eq 'fast' || $stop eq 'smart') && -e restart_file($node);
	$then->() if $then;
	$node->start unless ref $stop;
	($result eq 'said' ? \&isnt : \&is)->(file_ignored($node, $offset), '', "$what: the log") if $what ne 'less room';
	draw($node, $what, $result eq 'kept');
}
is($node->safe_psql('postgres', q{SELECT min(idgen_next('n' || i)) > 1 FROM generate_series(1, 10) i}), 't', 'less room: no other id twice');
set('idgen.max_sequences = 1000');

# The server is made of a backup of the original, with what that had issued.
sub server_from
{
	my ($name, $backup, %params) = @_;
	my $server = PostgreSQL::Test::Cluster->new($name);

	$server->init_from_backup($node, $backup, %params);
	$server->append_conf('postgresql.conf', "archive_mode = off\n" . ($params{conf} // ''));
	$last{$name} = [ @{ $params{last} // $last{original} } ];
	return $server;
}

# Another cluster of the same contents, each with the file of the other one
my $other = new_server('other', init => [ force_initdb => 1 ]);
draw($other, 'other', 1);
$_->stop foreach ($node, $other);
save_file($_) foreach ($node, $other);
put_back($node, -1, $other);
put_back($other, -1, $node);
foreach ($node, $other)
{
	start($_, 'the file of another cluster, ' . $_->name, 1);
	draw($_, 'the file of another cluster, ' . $_->name);
}
$other->stop;

# A base backup that has found a file
put_back($node, -1);
$node->backup('with_file');
unlink(restart_file($node)) or die;
my $restored = server_from('restored', 'with_file');
start($restored, 'base backup', 1);
draw($restored, 'base backup');
$restored->stop('immediate');

# A copy of a server that is shut down. Each goes its own way then, and has no
# use for the file of the other, though they do the same.
$node->stop;
$node->backup_fs_cold('cold');
my $twin = server_from('twin', 'cold');
my $standby = server_from('standby', 'cold', has_streaming => 1);
start($node, 'original', 0);
draw($node, 'original', 1);
$twin->start;
draw($twin, 'copy');
$_->stop foreach ($node, $twin);
save_file($node);
put_back($twin, -1, $node);
start($twin, 'copy with the file of the original', 1);
draw($twin, 'copy with the file of the original');
$twin->stop;

# Recovery from there, to a point in time and to the end
start($node, 'original', 0);
draw($node, 'original', 1, 200);
$node->safe_psql('postgres', q{SELECT pg_create_restore_point('between')});
my @between = @{ $last{original} };
draw($node, 'original', 1, 200);
$node->stop;
foreach (
	[ 'recovered', $last{original}, '' ],
	[ 'recovered_between', \@between, "recovery_target_name = 'between'\nrecovery_target_action = 'promote'" ])
{
	my ($name, $last, $conf) = @$_;
	my $recovered = server_from($name, 'cold', has_restoring => 1, standby => 0, conf => $conf, last => $last);

	start($recovered, $name, 1);
	$recovered->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'still in recovery';
	draw($recovered, $name);
	$recovered->stop;
}

# A standby that has begun as such a copy, and is stopped with a file of the
# primary. It is promoted, and has files of its own.
start($node, 'original', 0);
draw($node, 'original', 1);
start($standby, 'standby', 1);
$standby->stop;
put_back($standby, -1, $node);
start($standby, 'standby, started again', 1);
$node->wait_for_catchup($standby);
$node->stop;
save_file($node);
$last{standby} = [ @{ $last{original} } ];
$standby->promote;
draw($standby, 'promoted');
put_back($standby, -1, $node);
$standby->stop;
save_file($standby);
start($standby, 'promoted, and started again', 0);
draw($standby, 'promoted, and started again', 1);
$standby->stop('immediate');
put_back($standby, -1, $node);
start($standby, 'promoted, crashed, with the file of the old primary', 1);
draw($standby, 'promoted, crashed, with the file of the old primary');
$standby->stop;

# The old primary follows.
$node->enable_streaming($standby);
$standby->start;
draw($standby, 'new primary', 1);
start($node, 'old primary', 1);
$standby->wait_for_catchup($node);
$standby->stop;
$last{original} = [ @{ $last{standby} } ];
$node->promote;
draw($node, 'old primary, promoted');
$node->stop;

done_testing();
