# A session that uses an idle id sequence looks at the row and gets a slot for
# it. What happens in between to the row, to the native sequence or to the slot
# neither revives void ids nor loses others.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('races', conf => "idgen.max_sequences = 1\n");

# The policy is where a session stops when it looks at the row. It looks at that
# of an idle id sequence once, with a slot. If it knows none, it looks without a
# slot, and again when it has got one.
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION look(name text) RETURNS boolean LANGUAGE plpgsql AS $$
	DECLARE
		looks int := current_setting('test.looks', true)::int + 1;
	BEGIN
		PERFORM set_config('test.looks', looks::text, false);
		IF looks::text = current_setting('test.stop_at', true) THEN
			PERFORM pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1);
		END IF;
		RETURN true;
	END $$;
	ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
	CREATE POLICY look ON id_sequences USING (look(name));
	CREATE ROLE drawing;
	CREATE SEQUENCE seq INCREMENT BY 20;
	GRANT USAGE ON SEQUENCE seq TO drawing;
	SELECT idgen_create('x'), idgen_create('other', block_size => 1000),
		idgen_create('seq', source => 'sequence', source_name => 'seq')});

# stopped(name, look, statement, ...): the id that a session gets that stops at
# that look, while these statements are executed.
sub stopped
{
	my ($name, $look, @statements) = @_;
	my $holder = $node->background_psql('postgres');

	$holder->query_safe('SELECT pg_advisory_lock(1)');
	my $session = start_statement($node, "SELECT idgen_next('$name')",
		"SET test.looks = 0; SET test.stop_at = $look; SET ROLE drawing");
	wait_for_waiters($node, 1, '^SELECT idgen_next');
	$node->safe_psql('postgres', $_) foreach @statements;
	$holder->query_safe('SELECT pg_advisory_unlock(1)');
	my $id = answer($session, '');
	$_->quit for ($session, $holder);
	return $id;
}

my $give_way = q{SELECT idgen_next('other')};

# The same of an id sequence that is idle.
sub stopped_idle
{
	my ($name, @statements) = @_;

	$node->safe_psql('postgres', "SELECT idgen_next('$name'); $give_way");
	return stopped($name, 1, @statements);
}

is(stopped_idle('x', q{SELECT idgen_restart('x', 500)}), '500', 'idgen_restart');
is(stopped_idle('x', q{SELECT idgen_restart('x', 700)}, $give_way), '700', 'idgen_restart, and it gives way');
is(stopped_idle('x', $give_way, q{SELECT idgen_restart('x', 900)}), '900', 'it gives way, and idgen_restart');
is(stopped_idle('x', q{DELETE FROM id_sequences WHERE name = 'x'; SELECT idgen_create('x')}), '1', 'DELETE and INSERT');
is(stopped_idle('x', $give_way), '3', 'it gives way');
is(stopped_idle('seq', 'ALTER SEQUENCE seq RESTART'), '1', 'ALTER SEQUENCE');
is(stopped_idle('seq', $give_way, 'ALTER SEQUENCE seq RESTART'), '1', 'it gives way, and ALTER SEQUENCE');
is(stopped_idle('seq', $give_way), '3', 'it gives way');

foreach my $look (1, 2)
{
	my $when = $look == 1 ? 'before it has a slot' : 'when it has a slot';
	my $draw = q{SELECT idgen_next('new')};

	$node->safe_psql('postgres', q{SELECT idgen_create('new')});
	is(stopped('new', $look, $draw, $give_way), '2', "$when: another session draws, and it gives way");
	$node->safe_psql('postgres', q{DELETE FROM id_sequences WHERE name = 'new'; SELECT idgen_create('new')});
	is(stopped('new', $look, $draw, $give_way, q{SELECT idgen_restart('new', 500)}),
		'500', "$when: and idgen_restart");
	$node->safe_psql('postgres', q{DELETE FROM id_sequences WHERE name = 'new'});
}
is($node->safe_psql('postgres', 'SELECT ids_evicted, ids_uncached FROM idgen_cache_totals'), '0|0', 'nothing is lost besides');

$node->stop;
done_testing();
