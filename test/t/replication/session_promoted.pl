# A session that has looked at id sequences while its server was a standby draws
# after the promotion by what the rows say then, whatever the primary has
# changed meanwhile. Worker and time-ordered ids work without a restart.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = idgen_server('primary', init => [ allows_streaming => 1 ]);

$primary->safe_psql(
	'postgres', q{
	CREATE SEQUENCE alone_seq INCREMENT BY 20;
	CREATE SEQUENCE altered_seq INCREMENT BY 20;
	CREATE SEQUENCE native_seq INCREMENT BY 20;
	CREATE SEQUENCE other_seq INCREMENT BY 20 START 9001;
	SELECT idgen_create(name) FROM unnest('{sized,deleted,renamed,restarted,switched,big,made_again}'::text[]) name;
	SELECT idgen_create('native', source => 'sequence'),
		idgen_create('worker', refill => 'worker')});
my $standby = start_standby($primary, 'standby');
$primary->wait_for_catchup($standby);

my $session = $standby->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY sqlstate');

sub ask
{
	my ($sql) = @_;
	return answer($session, $sql);
}

foreach my $name (qw(sized deleted renamed restarted switched big made_again native worker))
{
	is(ask("SELECT idgen_peek('$name')"), '1', "$name, standby: peek");
}
foreach my $name (qw(alone altered))
{
	is(ask("SELECT idgen_next('$name', 'sequence')"), '25006', "$name, standby: refused");
}
is(ask(q{SELECT idgen_peek('new')}), '42704', 'new, standby: there is none');
is(ask(q{SELECT idgen_next('worker')}), '25006', 'worker, standby: refused');
my $unique = ask('SELECT idgen_unique_id()');
like($unique, qr/^\d+$/, 'a time-ordered id of the standby');

$primary->safe_psql(
	'postgres', q{
	UPDATE id_sequences SET block_size = 1 WHERE name = 'sized';
	DELETE FROM id_sequences WHERE name = 'deleted';
	UPDATE id_sequences SET name = 'moved' WHERE name = 'renamed';
	SELECT idgen_restart('restarted', 101);
	UPDATE id_sequences SET source = 'sequence', source_name = 'other_seq' WHERE name = 'switched';
	UPDATE id_sequences SET big_base = 1000 WHERE name = 'big';
	BEGIN;
	DELETE FROM id_sequences WHERE name = 'made_again';
	SELECT idgen_create('made_again', 501);
	COMMIT;
	ALTER SEQUENCE altered_seq RESTART 301;
	SELECT idgen_next('native') FROM generate_series(1, 3);
	SELECT idgen_create('new', 201);
	SELECT idgen_next('worker') FROM generate_series(1, 3)});
# By itself, so that nothing else makes the session look again
$primary->wait_for_catchup($standby);
is(ask(q{SELECT idgen_next('alone', 'sequence')}), '25006', 'alone, standby: refused again');
$primary->safe_psql('postgres', q{SELECT idgen_create('alone', 401)});
$primary->wait_for_catchup($standby);
is(ask(q{SELECT idgen_next('alone', 'sequence')}), '22023', 'alone, standby: has a row now');

$primary->stop('immediate');
$standby->promote;

is(ask(q{SELECT idgen_next('alone', 'sequence')}), '22023', 'alone: has a row now');
is(ask(q{SELECT idgen_next('alone')}), '401', 'alone: by the row');
is(ask(q{BEGIN; SELECT idgen_next('sized') FROM generate_series(1, 2); ROLLBACK; SELECT idgen_next('sized')}),
	"1\n2\n1", 'sized: gapless');
is(ask(q{SELECT idgen_next('deleted')}), '42704', 'deleted: gone');
is(ask(q{SELECT idgen_next('renamed')}), '42704', 'renamed: the old name is gone');
is(ask(q{SELECT idgen_next('moved')}), '1', 'renamed: the new one works');
is(ask(q{SELECT idgen_next('restarted')}), '101', 'restarted: by the row');
is(ask(q{SELECT idgen_next('switched')}), '9001', 'switched: from the other source');
is(ask(q{SELECT idgen_next_big('big')}), '1001', 'big: by the row');
is(ask(q{SELECT idgen_next('made_again')}), '501', 'made again: by the new row');
is(ask(q{SELECT idgen_next('altered', 'sequence')}), '301', 'altered: by the sequence');
cmp_ok(ask(q{SELECT idgen_next('native')}), '>', 20, 'native: a block that the primary had not');
is(ask(q{SELECT idgen_next('new')}), '201', 'new: it is there');

my $first = ask(q{SELECT idgen_next('worker')});
is($first % 20, 1, 'worker: a new block');
cmp_ok($first, '>', 20, 'worker: that the primary had not');
isnt(worker_pid($standby, 'postgres'), '', 'and a worker that has brought it');
cmp_ok(ask('SELECT idgen_unique_id()'), '>', $unique, 'time-ordered ids go on in the session');

$session->quit;
$standby->stop;
done_testing();
