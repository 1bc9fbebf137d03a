# The library of one version, and the extension of another in the database:
# nothing crashes, nothing is issued, and the error says what to do.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Copy qw(copy);
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = plain_server('server', conf => "shared_preload_libraries = 'idgen'\n");
my ($version) = slurp_file("$FindBin::RealBin/../../../idgen.control") =~ /^default_version = '(.*)'$/m;

# What becomes of a statement: its result, or its SQLSTATE. If it is refused for
# the version, the hint.
sub outcome
{
	my ($statement) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$statement");

	return $out if $ret == 0;
	return $1 if $err =~ /ERROR:  55000: extension "idgen" has version \S+ in this database, but the library that is loaded is of version \Q$version\E\nHINT:  (.*)/;
	return $err =~ /ERROR:  (\w{5}):/ ? $1 : $err;
}

sub check
{
	my ($what, @calls) = @_;
	my @outcomes = map { [ $_->[0], outcome($_->[0]) ] } @calls;

	is(join("\n", map { "$_->[0] -> $_->[1]" } @outcomes), join("\n", map { "$_->[0] -> $_->[1]" } @calls), $what);
	return;
}

# The database has version 1.0: all functions that it declares.
my $update = 'Run ALTER EXTENSION idgen UPDATE.';
my @drawing = map { [ "SELECT $_", $update ] } (
	q{idgen_next('x')}, q{idgen_next('x', 'table')}, q{idgen_next('native', 'sequence')},
	q{idgen_next_big('x')}, q{idgen_next_big('x', 'table')}, q{idgen_next_range('x', 3)},
	q{idgen_next_range('x', 3, 'table')}, q{idgen_peek('x')}, q{idgen_peek('x', 'table')},
	q{idgen_peek_big('x')}, q{idgen_peek_big('x', 'table')}, q{idgen_restart('x', 1)},
	q{idgen_restart('x', 1, 'table')}, q{idgen_last('x')}, q{idgen_last('x', 'table')}, q{idgen_last_big('x')},
	q{idgen_last_big('x', 'table')}, q{* FROM idgen_blocks()}, q{* FROM idgen_cache});
my @changed = map { [ "SELECT $_", $update ] } (
	q{idgen_create('y')}, q{idgen_create('y', 1, 1, 0, 9, 'table', NULL, 'transaction', 'plain', 0)},
	q{idgen_adopt('orders', 'id')}, q{idgen_adopt('orders', 'id', 'orders')}, q{idgen_release('orders', 'id')},
	q{* FROM idgen_entries()}, q{* FROM idgen_totals()}, q{* FROM idgen_stats}, q{* FROM idgen_cache_totals});
my @rows = map { [ $_, $update ] } (
	q{INSERT INTO id_sequences (name, next_block_start) VALUES ('y', 1)}, q{UPDATE id_sequences SET next_block_start = 9},
	q{DELETE FROM id_sequences}, q{TRUNCATE id_sequences}, q{COPY id_sequences (name, next_block_start) FROM PROGRAM 'echo y 1' (DELIMITER ' ')},
	q{INSERT INTO orders DEFAULT VALUES});
my @others = (
	[ q{SELECT idgen_parts(2023400000989780816, 'prefixed')}, '(2,0,234,989780816)' ],
	[ q{SELECT idgen_parts(2023400000989780816::numeric, 'prefixed')}, '22003' ],
	[ q{SELECT idgen_parts(3, 'plain')}, '(,,,3)' ],
	[ q{SELECT idgen_unique_id() > 0}, 't' ], [ q{SELECT (idgen_unique_id_parts(4097)).counter}, '1' ],
	[ q{SELECT idgen_stats_reset()}, '' ],
	[ q{SELECT idgen_fdw_validator('{}', 'pg_foreign_server'::regclass)}, '' ],
	[ q{SELECT idgen_check_row()}, '39P01' ], [ q{SELECT idgen_row_changed()}, '39P01' ],
	[ q{CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host 'h')}, '' ],
	[ q{ALTER TABLE orders ALTER id TYPE bigint; DROP TABLE orders}, '' ]);

$node->safe_psql('postgres', q{
	CREATE EXTENSION idgen VERSION '1.0';
	CREATE SEQUENCE native_seq;
	CREATE TABLE orders (id integer DEFAULT idgen_next('x'));
	ALTER TABLE id_sequences DISABLE TRIGGER USER;
	INSERT INTO id_sequences (name, next_block_start) VALUES ('x', 41);
	ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_check_row;
	ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_row_changed;
	ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_truncated});
check('version 1.0: drawing', @drawing);
check('what has other arguments or columns now', @changed);
check('rows', @rows);
check('what needs no row', @others);
my $script = slurp_file("$FindBin::RealBin/../../../sql/idgen--1.0.sql");
my $calls = join("\n", map { $_->[0] } @drawing, @changed, @others);
is(join(' ', grep { $calls !~ /\b$_\(/ } $script =~ /^CREATE FUNCTION (\w+)/mg), '', 'these are all functions that it had');
like($node->safe_psql('postgres', q{SELECT name, next_block_start FROM id_sequences}), qr/^x\|41$/, 'nothing has changed');
$node->safe_psql('postgres', 'ALTER EXTENSION idgen UPDATE');
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '41', 'after the update, it goes on');

# The database has a newer version than the library. A session that has drawn
# before notices it, too.
my $restart = qr/Restart the server to load the library of version 9\.10; without shared_preload_libraries, connecting again is enough\./;
my $session = $node->background_psql('postgres', on_error_stop => 0);
is($session->query_safe(q{SELECT idgen_next('x')}), '42', 'a session that draws');
my $dropper = $node->background_psql('postgres', on_error_stop => 0);
$dropper->query_safe('CREATE TABLE none (id integer); DROP TABLE none');
$node->safe_psql('postgres', q{
	CREATE TABLE parcels (id integer, other integer);
	SELECT idgen_adopt('parcels', 'id'), idgen_adopt('parcels', 'other');
	UPDATE pg_extension SET extversion = '9.10' WHERE extname = 'idgen';
	ALTER TABLE id_sequences RENAME pooling TO pool;
	ALTER TABLE id_sequences RENAME pool TO pooling});
$session->query(q{SELECT idgen_next('x')});
like($session->{stderr}, qr/has version 9\.10 in this database, .*\n.*$restart/, 'a newer version: the library is to be loaded');
like(outcome(q{SELECT idgen_next('x')}), $restart, 'a new session is told the same');
like(outcome(q{SELECT idgen_create('y')}), $restart, 'and who changes rows');
is(outcome('ALTER TABLE parcels ALTER other TYPE bigint, DROP id; DROP TABLE parcels'), '', 'who alters or drops a table that idgen has adopted, may do so');
$session->quit;
$dropper->query(q{SELECT idgen_next('x')});
like($dropper->{stderr}, $restart, 'so is one that has only dropped a table before');
$dropper->quit;
$node->safe_psql('postgres', qq{
	UPDATE pg_extension SET extversion = '$version' WHERE extname = 'idgen';
	ALTER TABLE id_sequences RENAME pooling TO pool;
	ALTER TABLE id_sequences RENAME pool TO pooling});
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '43', 'nothing is lost by that');

# DROP EXTENSION needs no update.
$node->safe_psql('postgres', q{DROP EXTENSION idgen CASCADE; CREATE EXTENSION idgen VERSION '1.0'; DROP EXTENSION idgen});

# The server has loaded an older library: it says which one it lacks.
SKIP:
{
	my $library = build_library('no_functions', '-isystem', $node->config_data('--includedir-server'));
	my $old = PostgreSQL::Test::Utils::tempdir();

	skip 'the server finds extensions only in its own directories', 3 unless defined install_root($node);
	skip 'there is no compiler', 3 unless defined $library;
	$node->safe_psql('postgres', 'CREATE DATABASE old');
	$node->safe_psql('old', q{CREATE EXTENSION idgen VERSION '1.0'});
	copy_install($node, install_root($node), $old);
	copy($library, $old . $node->config_data('--pkglibdir') . '/idgen.so') or die $!;
	find_in($node, $old);
	$node->append_conf('postgresql.conf', q{shared_preload_libraries = ''});
	$node->restart;
	my $lacks = qr/could not find function "idgen_version_\d+_\d+" in file ".*idgen\.so"/;
	like(($node->psql('postgres', 'CREATE EXTENSION idgen'))[2], $lacks, 'an older library: the new version cannot be created');
	like(($node->psql('old', 'ALTER EXTENSION idgen UPDATE'))[2], $lacks, 'nor updated to');
	is($node->safe_psql('old', q{SELECT extversion FROM pg_extension WHERE extname = 'idgen'}), '1.0', 'and nothing has changed');
}

$node->stop;
done_testing();
