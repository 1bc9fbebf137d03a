# pg_upgrade takes the id sequences along: the new cluster goes on behind all
# that the old one has issued. What was cached there stays there.
#
# It is upgraded to the same version, or from that in IDGEN_OLD_INSTALL, a
# directory with bin and lib of another PostgreSQL. Then idgen must be installed
# in the directories of both: 18 has pg_upgrade look nowhere else.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Cwd;
use File::Basename;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $old_install = $ENV{IDGEN_OLD_INSTALL};
my $preload = "shared_preload_libraries = 'idgen'\n";

delete $ENV{TEMP_CONFIG} if $old_install;
my $old = idgen_server('old', $old_install ? (install_path => $old_install) : ());
plan skip_all => q{pg_upgrade finds a library only in the server's own directory}
  if !$old_install && $old->safe_psql('postgres', q{SELECT current_setting('extension_destdir', true) IS NULL}) eq 't';
my $new = PostgreSQL::Test::Cluster->new('new');

# Since 18, clusters have checksums unless they are made without.
init_server($new, force_initdb => 1, extra => $new->pg_version >= 18 && $old->pg_version < 18 ? ['--no-data-checksums'] : []);
$new->append_conf('postgresql.conf', $preload);

create_all_kinds($old);
$old->safe_psql('postgres', q{
	CREATE TABLE owning (gone text, id serial);
	ALTER TABLE owning DROP gone;
	SELECT idgen_adopt('owning', 'id')});

# Keys of scrambled ids, and children of templates
$old->safe_psql(
	'postgres', q{
	SELECT idgen_create('scrambled', layout => 'scrambled', max_value => 100000), idgen_create('bill/*'),
		idgen_create('text', format => 'B-{id:4}')});
my @scrambled = split /\n/, $old->safe_psql('postgres', q{SELECT idgen_next('scrambled') FROM generate_series(1, 50)});
my $bill = $old->safe_psql('postgres', q{SELECT idgen_next('bill/acme')});
my $keys = q{SELECT name, salt FROM id_sequences WHERE salt IS NOT NULL UNION ALL SELECT NULL, secret FROM idgen_secrets};
my $old_keys = $old->safe_psql('postgres', $keys);

# What was received from a centre
my $centre = central_server('centre');
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('remote', 1001, 10)});
$old->safe_psql('postgres', sprintf(q{
	CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw OPTIONS (%s);
	CREATE USER MAPPING FOR CURRENT_USER SERVER idgen_default;
	SELECT idgen_create('remote', source => 'server'), idgen_next('remote')}, server_options($centre)));
$centre->safe_psql('postgres', q{UPDATE id_sequences SET next_block_start = 1});

my @clients = start_all_kinds($old, 3);
wait_for_ids(300, @clients);
my $unique = $old->safe_psql('postgres', 'SELECT idgen_unique_id()');
terminate_clients($old, @clients);
my @ids = (issued_ids(@clients), drawn_ids($old));

# (Of some, the worker may still be about to bring more. What comes from a
# centre is not kept.)
my $cached = q{SELECT count(*), min(first_id), sum(last_id) FROM idgen_cache WHERE name !~ 'worker|remote'};
my $old_cached = $old->safe_psql('postgres', $cached);
my $rows = q{SELECT * FROM id_sequences WHERE name !~ 'worker' ORDER BY name};
my $old_rows = $old->safe_psql('postgres', $rows);
cmp_ok($old_cached =~ s/\|.*//r, '>', 0, 'the old cluster has ids cached');
$old->stop;

# The programs that the PATH leads to, which may be wrapped.
my $bindir = dirname((run_command([ 'sh', '-c', 'command -v pg_upgrade' ]))[0]);
my $dir = getcwd();
chdir $new->basedir or die "could not change to the directory: $!";
$new->command_ok(
	[
		'pg_upgrade', '--no-sync',
		'-d', $old->data_dir, '-D', $new->data_dir,
		'-b', $old_install ? "$old_install/bin" : $bindir, '-B', $bindir,
		'-s', $new->host, '-p', $old->port, '-P', $new->port
	],
	'pg_upgrade');
chdir $dir or die "could not change to the directory: $!";

$new->start;
is($new->safe_psql('postgres', $rows), $old_rows, 'the rows are there');
is($new->safe_psql('postgres', 'SELECT count(*) FROM idgen_cache'), '0', 'nothing is cached');
goes_on($new, 'upgraded', \@ids);
cmp_ok($new->safe_psql('postgres', 'SELECT idgen_unique_id()'), '>', $unique, 'time-ordered ids go on');
@clients = start_all_kinds($new, 3);
wait_for_ids(100, @clients);
terminate_clients($new, @clients);
is(duplicates(keys %{ { map { $_ => 1 } @ids } }, issued_ids(@clients)), '', 'under load as well');

# Keys came along.
is($new->safe_psql('postgres', $keys), $old_keys, 'keys of scrambled ids');
push @scrambled, split /\n/, $new->safe_psql('postgres', q{SELECT idgen_next('scrambled') FROM generate_series(1, 50)});
is(scalar(@scrambled), 100, 'scrambled ids');
is(duplicates(@scrambled), '', 'go on');
cmp_ok($new->safe_psql('postgres', q{SELECT idgen_next('bill/acme')}), '>', $bill, 'so does a child of a template');
like($new->safe_psql('postgres', q{SELECT idgen_next_text('text')}), qr/^B-\d{4}$/, 'text ids');

# A centre that has gone back is noticed.
my $refused = ($new->psql('postgres', q{SELECT idgen_next('remote')}))[2];
like($refused, qr/DETAIL:  It would go on at 1, and has given 1010 before\./, 'what was received from a centre');

# It is the same extension.
is( $new->safe_psql('postgres', q{
		SELECT (SELECT string_agg(tgenabled, '' ORDER BY tgname) FROM pg_trigger WHERE tgrelid = 'id_sequences'::regclass AND NOT tgisinternal),
			(SELECT extconfig[1]::regclass FROM pg_extension WHERE extname = 'idgen')}),
	'AOAA|id_sequences', 'triggers fire always where they must, and a dump has the rows');
is($new->safe_psql('postgres', q{SELECT idgen_restart('own', 5); SELECT idgen_next('own')}),
	"\n5", 'changes are noticed');
$new->safe_psql('postgres', 'DROP TABLE owning');
is( $new->safe_psql('postgres', q{
		SELECT (SELECT count(*) FROM id_sequences WHERE name = 'public.owning.id'),
			(SELECT string_agg(evtenabled, '') FROM pg_event_trigger)}),
	'0|AA', 'a column takes its id sequence along');
$new->stop;

# The old cluster can be started again, if it is to be that one after all.
$old->start;
is($old->safe_psql('postgres', $cached), $old_cached, 'the old cluster has the same ids cached');

$_->stop foreach ($old, $centre);
done_testing();
