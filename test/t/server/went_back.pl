# The centre is restored from a backup. A node that has received later blocks
# does not use what the restored centre gives, whoever refills, also after it
# was stopped or has crashed; an error says so, and idgen_health. Once the row
# is raised beyond these blocks, the node goes on by itself. Where an id
# sequence begins anew on purpose, a node has to be told.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre', init => [ allows_streaming => 1 ]);
my @names = ('own', 'worker', 'early');

run_sql($centre, q{
	INSERT INTO id_sequences VALUES ('own', 1, 10), ('worker', 1, 10), ('early', 1, 10), ('other', 1, 10), ('composed', 1, 10)});
my @nodes = idgen_nodes(2, centres => [$centre], conf => q{
idgen.worker_timeout = '100s'
idgen.node_id = 2
idgen.prefetch_threshold = 0
restart_after_crash = on
});
my $node = $nodes[0];
create_remote($_, '', @nodes) foreach ('own', 'early', 'other');
create_remote('worker', q{refill => 'worker'}, @nodes);
create_remote('composed', q{layout => 'session_reversed'}, @nodes);

sub draw
{
	my ($name, $from) = @_;
	return ($from // $node)->safe_psql('postgres', "SELECT idgen_next('$name')");
}

# What an error says, from beginning to end
sub refused
{
	my ($name) = @_;
	my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT idgen_next('$name')");
	return $err;
}

sub problem
{
	my ($name) = @_;
	return run_sql($node, "SELECT problem_kind || ': ' || problem FROM idgen_health WHERE name = '$name'");
}

sub central
{
	return run_sql($centre, $_[0]);
}

# Drop what is cached, so that the next draw asks the centre.
sub drop_cached
{
	my ($name) = @_;
	run_sql($node, qq{
		BEGIN;
		UPDATE id_sequences SET name = 'away' WHERE name = '$name';
		UPDATE id_sequences SET name = '$name' WHERE name = 'away';
		COMMIT});
	return;
}

is(join(' ', map { draw($_) } @names), '1 1 1', 'ids');
$centre->backup('early');
central(q{UPDATE id_sequences SET next_block_start = 1001 WHERE name IN ('own', 'worker')});
drop_cached($_) foreach ('own', 'worker');
is(join(' ', map { draw($_) } @names), '1001 1001 2', 'later ones');
is(run_sql($node, q{SELECT name, server, last_id, went_back FROM idgen_centre_marks}),
	"composed|central||\nearly|central|10|\nother|central||\nown|central|1010|\nworker|central|1010|", 'what is remembered');
is( run_sql($node, q{SELECT DISTINCT system_identifier, timeline FROM idgen_centre_marks}),
	central(q{SELECT system_identifier, timeline_id FROM pg_control_system(), pg_control_checkpoint()}),
	'and of which centre');

# Back to the backup, under the same address
$centre->stop;
restore($centre, 'early');
is(central(q{SELECT next_block_start FROM id_sequences WHERE name = 'own'}), '11', 'the centre has gone back');
drop_cached($_) foreach ('own', 'worker');
is(run_sql($node, q{SELECT count(*) FROM idgen_health WHERE problem IS NOT NULL}), '0', 'nobody has asked it yet');

sub is_refused
{
	my ($when) = @_;

	for my $name ('own', 'worker')
	{
		like(refused($name), qr/ERROR:  55000: server "central" has gone back with id sequence "$name"
DETAIL:  It would go on at 11, and has given 1010 before\.
HINT:  Raise next_block_start there .* call (?:public\.)?idgen_accept_centre\('central', '$name'\)\.
CONTEXT:  while refilling id sequence "$name"/, "$when: $name is refused");
		like(problem($name), qr/^went_back: Server central has gone back, .* It would go on at 11, and has given 1010 before\. Raise next_block_start there/,
			'and idgen_health says so');
		like(refused($name), qr/ERROR:  55000: server "central" has gone back/, 'it stays so');
	}
	is(central(q{SELECT string_agg(next_block_start::text, ' ' ORDER BY name) FROM id_sequences WHERE name IN ('own', 'worker')}),
		'11 11', 'nothing was allocated in vain');
	return;
}

is_refused('in the same session of the server');
is(run_sql($node, q{SELECT went_back FROM idgen_centre_marks WHERE name = 'own'}),
	'It would go on at 11, and has given 1010 before.', 'the view of marks says it, too');
is(sqlstate($node, q{SELECT idgen_peek('own')}), '55000', 'idgen_peek');
is(sqlstate($node, q{SELECT idgen_next_range('own', 5)}), '55000', 'a range');
$node->restart;
is_refused('after a restart');
$node->stop('immediate');
$node->start;
is_refused('after an immediate shutdown');
kill_server($node);
$node->start;
is_refused('after kill -9');
my ($pid) = split /\n/, run_sql($node, 'SELECT pid FROM pg_stat_activity WHERE backend_type = \'walwriter\'');
my $offset = -s $node->logfile;
kill 'KILL', $pid;
wait_for_restart($node, $offset);
is_refused('after a crash of another process');

# What was not drawn since the backup goes on. That the other node has drawn
# less, it does not notice.
is(draw('early'), '11', 'what nobody has drawn since goes on');
is(draw('own', $nodes[1]), '11', 'a node that had received nothing later notices nothing');

# An operator steps over.
central(q{UPDATE id_sequences SET next_block_start = 5001 WHERE name IN ('own', 'worker')});
is(join(' ', map { draw($_) } ('own', 'worker')), '5001 5001', 'the row is raised: the node goes on');
is(run_sql($node, q{SELECT count(*) FROM idgen_health WHERE problem IS NOT NULL}), '0', 'and there is no problem any more');

# Lowering the row, and dropping and making it anew
central(q{UPDATE id_sequences SET next_block_start = 1 WHERE name = 'own'});
drop_cached('own');
like(refused('own'), qr/55000: .*\nDETAIL:  It would go on at 1, and has given 5010 before\./, 'a row that was lowered');
central(q{DELETE FROM id_sequences WHERE name = 'own'; INSERT INTO id_sequences VALUES ('own', 1, 10)});
like(refused('own'), qr/55000: .*\nDETAIL:  It would go on at 1, and has given 5010 before\./, 'a row that was made anew');
is(draw('worker'), '5002', 'others are not concerned');
is(run_sql($node, q{SELECT idgen_accept_centre('central', 'own')}), '1', 'accepted');
is(draw('own'), '1', 'and it begins anew');
is(run_sql($node, q{SELECT idgen_accept_centre('central', 'own'), idgen_accept_centre('central', 'own')}), '1|0', 'only what is remembered counts');
is(run_sql($node, q{SELECT idgen_accept_centre('central')}), '2', 'all of a server');
central(q{UPDATE id_sequences SET next_block_start = 1});
drop_cached('worker');
is(draw('worker'), '1', 'so all may begin anew');
kill_server($node);
$node->start;
central(q{UPDATE id_sequences SET next_block_start = 5 WHERE name = 'worker'});
like(refused('worker'), qr/It would go on at 5, and has given 10 before/, 'what was forgotten stays so, also after kill -9');

# Sequence values count, whatever ids are composed of them.
is(run_sql($node, q{SELECT count(DISTINCT idgen_next('composed')) FROM generate_series(1, 10)}), '10', 'composed ids');
central(q{UPDATE id_sequences SET next_block_start = 10 WHERE name = 'composed'});
like(refused('composed'), qr/It would go on at 10, and has given 10 before/, 'of composed ids');

# A server that is renamed is the same one; one that is made anew is not.
run_sql($node, q{
	ALTER SERVER central RENAME TO renamed;
	UPDATE id_sequences SET source_name = 'renamed'});
like(refused('worker'), qr/server "renamed" has gone back/, 'a renamed server');
run_sql($node, sprintf(q{
	DROP SERVER renamed CASCADE;
	CREATE SERVER renamed FOREIGN DATA WRAPPER idgen_fdw OPTIONS (%s);
	CREATE USER MAPPING FOR CURRENT_USER SERVER renamed}, server_options($centre)));
is(draw('worker'), '5', 'of a new server nothing is known');

# Two rows that draw from the same one
run_sql($node, sprintf(q{
	CREATE SERVER common FOREIGN DATA WRAPPER idgen_fdw OPTIONS (%s, remote_name 'other');
	CREATE USER MAPPING FOR CURRENT_USER SERVER common;
	SELECT idgen_create(name, source => 'server', source_name => 'common') FROM unnest(ARRAY['a', 'b']) AS name},
		server_options($centre)));
is(draw('a') . ' ' . draw('b'), '1 11', 'two rows share one at the centre');
central(q{UPDATE id_sequences SET next_block_start = 6 WHERE name = 'other'});
drop_cached('a');
like(refused('a'), qr/has gone back with id sequence "other"\nDETAIL:  It would go on at 6, and has given 20 before/, 'and its mark');
is(run_sql($node, q{SELECT idgen_accept_centre('common', 'b')}), '1', 'it is forgotten by the name of either');
is(draw('a'), '6', 'for both');

$_->stop foreach (@nodes, $centre);
done_testing();
