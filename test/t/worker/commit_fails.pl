# The worker's transaction fails at its commit: nothing that it has allocated is
# issued, whoever waits for the row that is to blame is told, all others get
# their ids, and the worker goes on.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
idgen.max_prefetch_blocks = 1
idgen.prefetch_threshold = 0
});
plan skip_all => 'postgres_fdw is not here'
  if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'}) == 0;

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('far', 1, 1)});
create_remote('far', q{refill => 'worker'}, $node);

# An update of the row writes to a foreign table, by an index. That one's
# transaction commits when ours does, and can fail then, since a trigger of it
# is deferred.
my $options = server_options($node);
$node->safe_psql(
	'postgres', qq{
	SELECT idgen_create('x', block_size => 1, refill => 'worker'), idgen_create('locked', refill => 'worker');
	CREATE TABLE written (next_block_start bigint);
	CREATE TABLE refused (message text);
	CREATE FUNCTION check_written() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS \$\$
	BEGIN
		IF EXISTS (SELECT FROM public.refused) THEN
			RAISE 'refused' USING ERRCODE = 'XY123';
		END IF;
		RETURN NULL;
	END\$\$;
	CREATE CONSTRAINT TRIGGER check_written AFTER INSERT ON written DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION check_written();
	CREATE EXTENSION postgres_fdw;
	CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($options);
	CREATE USER MAPPING FOR CURRENT_USER SERVER itself;
	CREATE FOREIGN TABLE written_there (next_block_start bigint) SERVER itself OPTIONS (table_name 'written');
	CREATE FUNCTION write_there(bigint) RETURNS bigint LANGUAGE sql AS 'INSERT INTO public.written_there VALUES (\$1); SELECT \$1';
	CREATE FUNCTION write_down(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN public.write_there(\$1); END';
	CREATE INDEX ON id_sequences (write_down(next_block_start)) WHERE name = 'x'});

my $draw = q{SELECT idgen_next('x')};
is(join(' ', map { $node->safe_psql('postgres', $draw) } 1 .. 4), '1 2 3 4', 'at first');
my $pid = worker_pid($node, 'postgres');

# Two that wait for others, and one that fails
my $holder = $node->background_psql('postgres');
my $far_holder = $centre->background_psql('postgres');
$holder->query_safe(q{BEGIN; SELECT FROM id_sequences WHERE name = 'locked' FOR UPDATE});
$far_holder->query_safe(q{BEGIN; SELECT FROM id_sequences WHERE name = 'far' FOR UPDATE});
my @waiting = map { start_statement($node, "SELECT idgen_next('$_')", '\set VERBOSITY sqlstate') } ('locked', 'far');
wait_for_waiters($node, 2, '^SELECT idgen_next', 'Extension');
wait_for_waiters($centre, 1, 'id_sequences');
my $offset = -s $node->logfile;
$node->safe_psql('postgres', q{INSERT INTO refused VALUES ('yes')});
is(sqlstate($node, $draw), 'XY123', 'who waits for it');
like(slurp_file($node->logfile, $offset), qr/ERROR:  refused/, 'the log says it');
is($node->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences WHERE name = 'x'}), '5', 'nothing is allocated');
is(sqlstate($node, $draw), 'XY123', 'again');

$node->safe_psql('postgres', 'TRUNCATE refused');
is(join(' ', map { $node->safe_psql('postgres', $draw) } 1 .. 4), '5 6 7 8', 'it goes on where it was');
$_->query_safe('COMMIT') for ($holder, $far_holder);
is(join(' ', map { answer($_, '') } @waiting), '1 1', 'the others have waited on');
is(worker_pid($node, 'postgres'), $pid, 'it is the same worker');
is($centre->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idgen'}), '1', 'with one connection');
$_->quit for ($holder, $far_holder, @waiting);

$node->stop;
$centre->stop;
done_testing();
