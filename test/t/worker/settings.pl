# Settings of the database or of roles do not get into the worker's way, and
# what users have put on the table runs as the table's owner. Without the
# library preloaded there is no worker.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('settings');

# With an index on an expression of its owner's: it is evaluated at every
# refill, and may not do what must not outlast it.
$node->safe_psql(
	'postgres', q{
	CREATE SCHEMA evil;
	CREATE FUNCTION evil.int8pl(bigint, bigint) RETURNS bigint
		LANGUAGE plpgsql AS $$BEGIN RAISE 'evil'; END$$;
	CREATE OPERATOR evil.+ (FUNCTION = evil.int8pl, LEFTARG = bigint, RIGHTARG = bigint);
	CREATE ROLE nobody;
	CREATE ROLE keeper;
	GRANT CREATE ON SCHEMA public TO keeper;
	CREATE SEQUENCE s_seq INCREMENT BY 3;
	SELECT idgen_create('x', block_size => 3, refill => 'worker'),
		idgen_create('s', source => 'sequence', refill => 'worker');
	ALTER TABLE id_sequences OWNER TO keeper;
	ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
	ALTER TABLE id_sequences FORCE ROW LEVEL SECURITY;
	CREATE FUNCTION hold() RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		CREATE TEMPORARY TABLE held ();
	END$$;
	CREATE FUNCTION who(id bigint) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
	BEGIN
		IF current_user <> 'keeper' OR current_setting('search_path') LIKE '%evil%' THEN
			RAISE 'evaluated by % with search_path %', current_user, current_setting('search_path');
		END IF;
		BEGIN
			PERFORM public.hold();
		EXCEPTION WHEN insufficient_privilege THEN
			RETURN '';
		END;
		RAISE 'not restricted';
	END$$;
	SET ROLE keeper;
	CREATE INDEX ON id_sequences (who(next_block_start + 1));
	RESET ROLE;
	ALTER DATABASE postgres SET search_path = evil, pg_catalog, public;
	ALTER DATABASE postgres SET default_transaction_read_only = on;
	ALTER DATABASE postgres SET default_transaction_isolation = 'serializable';
	ALTER DATABASE postgres SET default_transaction_deferrable = on;
	ALTER DATABASE postgres SET statement_timeout = '1ms';
	ALTER DATABASE postgres SET lock_timeout = '1ms';
	ALTER DATABASE postgres SET idle_in_transaction_session_timeout = '1ms';
	ALTER DATABASE postgres SET row_security = off;
	ALTER DATABASE postgres SET session_replication_role = replica;
	ALTER DATABASE postgres SET role = nobody;
	ALTER DATABASE postgres SET idgen.worker_timeout = '50s';
	ALTER ROLE ALL SET client_min_messages = error});

$ENV{PGOPTIONS} = join(' ', map { "-c $_" } 'search_path=public', 'default_transaction_read_only=off',
	'default_transaction_isolation=read\ committed', 'default_transaction_deferrable=off',
	'statement_timeout=0', 'lock_timeout=0', 'idle_in_transaction_session_timeout=0', 'row_security=on',
	'session_replication_role=origin', 'role=postgres');
is( $node->safe_psql('postgres', q{SELECT max(idgen_next('x')), max(idgen_next('s')) FROM generate_series(1, 100)}),
	'100|100', 'the worker refills, whatever the database has set');

delete $ENV{PGOPTIONS};
$node->stop;

$node = idgen_server('alone', preload => 0);
$node->safe_psql('postgres', q{SELECT idgen_create('x', refill => 'worker')});
is(sqlstate($node, q{SELECT idgen_next('x')}), '55000', 'there is no worker without the preloaded library');
$node->safe_psql('postgres', q{UPDATE id_sequences SET refill = 'transaction'});
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '1', 'the row is good for the other mode');
$node->stop;
done_testing();
