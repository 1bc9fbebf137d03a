# The library of one version, and the objects of another in the database, whose
# second number differs: nothing crashes, nothing is issued, and the error says
# what to do.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use NextVersions;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'a PostgreSQL of its own does not have the runtime of the sanitizer' if is_sanitized();

my ($this, undef, $wider) = next_versions();
my ($dest, $path) = own_postgres();
my ($old_source, $new_source) = (publish($this), publish($wider));
install_version($old_source, $dest);
my $node = idgen_server('server', install_path => $path);

# What becomes of a statement: its result, or its SQLSTATE. If it is refused for
# the version, the hint.
sub outcome
{
	my ($statement) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$statement");

	return $out if $ret == 0;
	return $1 if $err =~ /ERROR:  55000: extension "idgen" has version \S+ in this database, but the library that is loaded is of version \S+\nHINT:  (.*)/;
	return $err =~ /ERROR:  (\w{5}):/ ? $1 : $err;
}

sub check
{
	my ($what, @calls) = @_;
	my @outcomes = map { [ $_->[0], outcome($_->[0]) ] } @calls;

	is(join("\n", map { "$_->[0] -> $_->[1]" } @outcomes), join("\n", map { "$_->[0] -> $_->[1]" } @calls), $what);
	return;
}

sub version
{
	return $node->safe_psql('postgres', q{SELECT extversion FROM pg_extension WHERE extname = 'idgen'});
}

my $lacks = qr/could not find function "idgen_version_\d+_\d+" in file ".*idgen\.so"/;
my $update = 'Run ALTER EXTENSION idgen UPDATE.';
my $restart = qr/Restart the server to load the library of version \Q$wider\E; without shared_preload_libraries, connecting again is enough\./;

$node->safe_psql('postgres', q{
	CREATE SEQUENCE native_seq;
	SELECT idgen_create('x', block_size => 10), idgen_create('text', format => 'T-{id}');
	CREATE TABLE orders (id integer DEFAULT idgen_next('x'));
	CREATE TABLE parcels (id serial, other serial, plain serial);
	SELECT idgen_adopt('parcels', 'id'), idgen_adopt('parcels', 'other');
	SELECT idgen_next('x')});
$node->safe_psql('postgres', "CREATE DATABASE $_") foreach 'other', 'dropped';
$node->safe_psql('dropped', 'CREATE EXTENSION idgen');

# The new version is installed, and the server has the old library loaded.
install_version($new_source, $dest);
like(($node->psql('other', 'CREATE EXTENSION idgen'))[2], $lacks, 'the new version cannot be created');
like(($node->psql('postgres', 'ALTER EXTENSION idgen UPDATE'))[2], $lacks, 'nor updated to');
is(version(), $this, 'and nothing has changed');
is(outcome(q{SELECT idgen_next('x')}), '2', 'ids are drawn on');

# The new library is loaded, and the database is not updated.
$node->restart;
check('drawing', map { [ "SELECT $_", $update ] } (
	q{idgen_next('x')}, q{idgen_next('x', 'table')}, q{idgen_next('native', 'sequence')}, q{idgen_next_big('x')},
	q{idgen_next_range('x', 3)}, q{idgen_next_text('text')}, q{idgen_peek('x')}, q{idgen_last('x')}));
check('what makes or changes id sequences', map { [ "SELECT $_", $update ] } (
	q{idgen_create('y')}, q{idgen_restart('x', 1)}, q{idgen_adopt('parcels', 'plain')}, q{idgen_release('parcels', 'id')},
	q{idgen_sync('parcels', 'id')}, q{idgen_sync('orders')}));
check('views', map { [ "SELECT count(*) FROM $_", $update ] } qw(idgen_stats idgen_cache idgen_health));
check('rows', map { [ $_, $update ] } (
	q{INSERT INTO id_sequences (name, next_block_start) VALUES ('y', 1)}, q{UPDATE id_sequences SET next_block_start = 9},
	q{DELETE FROM id_sequences}, q{TRUNCATE id_sequences CASCADE},
	q{COPY id_sequences (name, next_block_start) FROM PROGRAM 'echo y 1' (DELIMITER ' ')}, q{INSERT INTO orders DEFAULT VALUES}));
check('what needs no row',
	[ q{SELECT idgen_parts(2023400000989780816, 'prefixed')}, '(2,0,234,989780816)' ],
	[ q{SELECT idgen_unique_id() > 0}, 't' ], [ q{SELECT length(idgen_unique_uuid()::text)}, '36' ],
	[ q{CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host 'h')}, '' ],
	[ q{ALTER TABLE orders ALTER id TYPE bigint}, '' ],
	[ q{ALTER TABLE parcels ALTER other TYPE bigint, DROP id; DROP TABLE parcels}, '' ]);
is($node->safe_psql('postgres', q{SELECT name, next_block_start FROM id_sequences WHERE name = 'x'}), 'x|11', 'nothing has changed');
is($node->safe_psql('dropped', 'DROP EXTENSION idgen; SELECT count(*) FROM pg_extension'), '1', 'the extension can be dropped');
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query(q{SELECT idgen_next('x')});
like($session->{stderr}, qr/$update/, 'a session is refused');
$node->safe_psql('postgres', 'ALTER EXTENSION idgen UPDATE');
is(version(), $wider, 'it is updated');
$session->{stderr} = '';
is($session->query_safe(q{SELECT idgen_next('x')}), '3', 'the session goes on, with what is cached');
$session->quit;
is(outcome(q{INSERT INTO orders DEFAULT VALUES RETURNING id}), '4', 'so does a default');

# Without preload, a session has the library that was there when it began.
$node->safe_psql('postgres', 'DROP EXTENSION idgen CASCADE; DROP TABLE orders');
$node->append_conf('postgresql.conf', q{shared_preload_libraries = ''});
install_version($old_source, $dest);
$node->restart;
$node->safe_psql('postgres', qq{
	CREATE EXTENSION idgen VERSION '$this';
	SELECT idgen_create('x');
	CREATE TABLE orders (id serial);
	SELECT idgen_adopt('orders', 'id')});
my ($drawer, $dropper) = map { $node->background_psql('postgres', on_error_stop => 0) } 1, 2;
is($drawer->query_safe(q{SELECT idgen_next('x')}), '1', 'a session draws');
$dropper->query_safe('CREATE TABLE none (id integer); DROP TABLE none');
install_version($new_source, $dest);
is(outcome(q{SELECT idgen_next('x')}), $update, 'a new session has the new library');
is($drawer->query_safe(q{SELECT idgen_next('x')}), '2', 'the old one draws as long as the database is of its version');
$node->safe_psql('postgres', 'ALTER EXTENSION idgen UPDATE');
foreach my $statement (q{SELECT idgen_next('x')}, q{SELECT idgen_create('y')}, 'INSERT INTO orders DEFAULT VALUES')
{
	$drawer->{stderr} = '';
	$drawer->query($statement);
	like($drawer->{stderr}, qr/has version \Q$wider\E in this database, .*\n.*$restart/, "after the update: $statement");
}
$dropper->query(q{SELECT idgen_next('x')});
like($dropper->{stderr}, $restart, 'so is one that has only dropped a table before');
$dropper->{stderr} = '';
is($dropper->query_safe('DROP TABLE orders'), '', 'who drops a table that idgen has adopted, may do so');
$_->quit foreach $drawer, $dropper;
cmp_ok(outcome(q{SELECT idgen_next('x')}), '>', 2, 'a new session draws');

$node->stop;
done_testing();
