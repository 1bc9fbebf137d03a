# At a standby that has the settings for logical replication, each function of
# the extension either works or is refused with the words that nextval has for
# it. There, a transaction that leaves word of a change, as writing does, fails
# with an internal error.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = idgen_server('primary', init => [ allows_streaming => 1 ], conf => "wal_level = logical\n");
my $standby = start_standby($primary, 'standby');

$primary->safe_psql(
	'postgres', q{
	CREATE SEQUENCE native_seq;
	CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
		LANGUAGE sql AS 'SELECT 1::bigint, 2::bigint';
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '127.0.0.1', port '1');
	CREATE USER MAPPING FOR CURRENT_USER SERVER central;
	SELECT idgen_create('tenant/*'), idgen_create('x'), idgen_create('gapless', block_size => 1), idgen_create('worker', refill => 'worker'),
		idgen_create('scrambled', layout => 'scrambled'),
		idgen_create('row', source => 'sequence', source_name => 'native_seq'),
		idgen_create('function', source => 'function', source_name => 'allocate'),
		idgen_create('remote', source => 'server', source_name => 'central');
	CREATE TABLE orders (id serial);
	CREATE TABLE adopted (id serial);
	SELECT idgen_adopt('adopted', 'id')});
$primary->wait_for_catchup($standby);

# In place of a result, the SQLSTATE, or "refused" for 25006 in nextval's words.
my @calls = (
	[ q{nextval('native_seq')}, 'refused' ],
	(map { [ qq{idgen_next('$_')}, 'refused' ] } qw(x gapless worker scrambled row function remote public.adopted.id)),
	[ q{idgen_next('x', 'table')}, 'refused' ],
	[ q{idgen_next('native', 'sequence')}, 'refused' ],
	[ q{idgen_next('unknown')}, '42704' ],
	[ q{idgen_next('tenant/new')}, 'refused' ],
	[ q{idgen_next('tenant/*')}, '22023' ],
	[ q{idgen_next_big('x')}, 'refused' ],
	[ q{idgen_next_big('native', 'sequence')}, 'refused' ],
	[ q{idgen_next_text('x')}, 'refused' ],
	[ q{idgen_next_text('x', '2026-11-22')}, 'refused' ],
	[ q{idgen_text_value('x', '42')}, '42' ],
	[ q{idgen_next_range('x', 3)}, 'refused' ],
	[ q{idgen_next_range('native', 3, 'sequence')}, 'refused' ],
	[ q{idgen_last('x')}, '55000' ],
	[ q{idgen_last('row')}, '55000' ],
	[ q{idgen_watermark('x')}, '0A000' ],
	[ q{idgen_peek('x')}, '1' ],
	[ q{idgen_peek('worker')}, '1' ],
	[ q{idgen_peek('tenant/new')}, '1' ],
	[ q{idgen_peek('row')}, '1' ],
	[ q{idgen_peek('native')}, '42704' ],
	[ q{idgen_peek('function')}, '55000' ],
	[ q{idgen_peek('remote')}, '08001' ],
	[ q{idgen_peek('gapless')}, '1' ],
	[ q{idgen_create('new')}, 'refused' ],
	[ q{idgen_create('new', source => 'sequence', source_name => 'native_seq')}, 'refused' ],
	[ q{idgen_create('new', source => 'function', source_name => 'allocate')}, 'refused' ],
	[ q{idgen_create('new', source => 'server', source_name => 'central')}, 'refused' ],
	(map { [ qq{idgen_restart('$_', 4)}, 'refused' ] } qw(x gapless worker row)),
	[ q{idgen_restart('native', 4)}, '42704' ],
	[ q{idgen_restart('function', 4)}, 'refused' ],
	[ q{idgen_restart('remote', 4)}, 'refused' ],
	[ q{idgen_apply_template('tenant/*')}, 'refused' ],
	[ q{idgen_adopt('orders', 'id')}, 'refused' ],
	[ q{idgen_release('adopted', 'id')}, 'refused' ],
	[ q{idgen_sync('adopted', 'id')}, 'refused' ],
	[ q{idgen_sync()}, 'refused' ],
	[ q{idgen_accept_centre('central')}, 'refused' ],
	[ q{idgen_parts(2023400000989780816, 'prefixed')}, '(2,0,234,989780816)' ],
	[ q{idgen_unscramble('scrambled', idgen_peek('scrambled'))}, '1' ],
	[ q{idgen_unique_id() > 0}, 't' ],
	[ q{(idgen_unique_id_parts(4097)).counter}, '1' ],
	[ q{idgen_unique_id_min('2024-01-01 00:00+00')}, '0' ],
	[ q{idgen_unique_uuid_created_at(idgen_unique_uuid()) > '2024-01-01'}, 't' ],
	[ q{idgen_unique_uuid_min('1970-01-01 00:00+00')}, '00000000-0000-7000-8000-000000000000' ],
	[ q{percent_left FROM idgen_stats WHERE name = 'x'}, '100.00' ],
	[ q{limited_by FROM idgen_health WHERE name = 'x'}, 'max_value' ],
	[ q{count(*) FROM idgen_cache}, '0' ],
	[ q{cache FROM idgen_server}, 'server' ],
	[ q{kind FROM idgen_columns WHERE relation = 'adopted'::regclass}, 'idgen' ],
	[ q{name FROM idgen_centre_marks}, 'remote' ],
	[ q{node_setting FROM idgen_server}, '0' ],
	[ q{idgen_stats_reset()}, '' ],
	[ q{idgen_wait_durable()}, '' ],
	[ q{count(*) FROM idgen_gaps('adopted', 'id')}, '0' ],
	[ q{idgen_version() ~ '^\d'}, 't' ],
	[ q{idgen_reserve_node(1, NULL)}, 'refused' ],
	[ q{idgen_reserve_node(1, 'x')}, 'refused' ],
);

my $session = $standby->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY verbose');

sub outcome
{
	my ($call) = @_;
	my $answer = answer($session, "SELECT $call");

	return 'refused' if $answer =~ /^ERROR:  25006: cannot execute (?:(\w+)\(\)|[A-Z ]+) (?:in a read-only transaction|during recovery)/ && (!$1 || $call =~ /^$1\(/);
	return $answer =~ /^ERROR:  (\w{5}):/ ? $1 : $answer;
}

is(outcome($_->[0]), $_->[1], $_->[0]) foreach @calls;

# None is forgotten that people call.
foreach my $function (
	split /\n/, $standby->safe_psql(
		'postgres', q{
		SELECT DISTINCT p.proname FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
		WHERE obj_description(p.oid, 'pg_proc') NOT LIKE 'internal: %' AND p.prorettype <> 'trigger'::regtype AND
			d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND
			d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idgen')}))
{
	ok((grep { $_->[0] =~ /\b\Q$function\E\(/ } @calls), "$function was tried");
}

$session->quit;
$standby->stop;
$primary->stop;
done_testing();
