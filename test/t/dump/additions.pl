# What is put on id_sequences, which no dump has: idgen_health names it, and the
# query in docs/operations.md writes what makes it again. A column of one's own
# does not come in by the back door, either.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('additions', preload => 0);
my $dir = PostgreSQL::Test::Utils::tempdir();
my ($query) = slurp_file("$FindBin::RealBin/../../../docs/operations.md") =~
  /^### What you have put on `id_sequences`\n.*?^```sql\n(.*?)^```\n/ms;

write_file("$dir/additions.sql", $query);

# What idgen_health says of all that
sub not_dumped
{
	my ($database) = @_;

	return $node->safe_psql($database, "SELECT problem FROM idgen.idgen_health WHERE problem_kind = 'not_dumped'");
}

# What the query says
sub made_again
{
	my ($database) = @_;

	my ($out) = run_command([ 'psql', '-XAtf', "$dir/additions.sql", $node->connstr($database) ]);
	return $out;
}

$node->safe_psql('postgres', 'CREATE ROLE app; CREATE ROLE "Other app"; CREATE DATABASE shop');
$node->safe_psql('shop', 'CREATE SCHEMA idgen; CREATE EXTENSION idgen SCHEMA idgen; GRANT USAGE ON SCHEMA idgen TO PUBLIC');
is(not_dumped('shop'), '', 'at first nothing is added');
is(made_again('shop'), '', 'nor need anything be made again');

$node->safe_psql('shop', q{
	CREATE TABLE sizes (id integer PRIMARY KEY);
	INSERT INTO sizes VALUES (20);
	CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS 'BEGIN RETURN NEW; END';
	ALTER TABLE idgen.id_sequences ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY,
		ADD CONSTRAINT low CHECK (next_block_start < 1000),
		ADD CONSTRAINT known FOREIGN KEY (block_size) REFERENCES sizes,
		ADD UNIQUE (next_block_start, name);
	CREATE POLICY own ON idgen.id_sequences TO app, "Other app" USING (name LIKE current_user || '/%');
	CREATE POLICY "none too high" ON idgen.id_sequences AS RESTRICTIVE FOR UPDATE USING (true) WITH CHECK (next_block_start < 900);
	CREATE INDEX ON idgen.id_sequences (layout) WHERE layout <> 'plain';
	CREATE TRIGGER note BEFORE UPDATE ON idgen.id_sequences FOR EACH ROW WHEN (NEW.exhausted = 1) EXECUTE FUNCTION note();
	CREATE RULE deleted AS ON DELETE TO idgen.id_sequences DO ALSO NOTIFY deleted;
	CREATE PUBLICATION ids FOR TABLE idgen.id_sequences;
	SELECT idgen.idgen_create('app/orders'), idgen.idgen_create('others/orders')});

# From PostgreSQL 18 on, a dump has what is published.
my $publication = $node->pg_version < 18 ? ', publication ids' : '';

is( not_dumped('shop'),
	'What was added to idgen.id_sequences is in no dump: row security, policy "none too high", policy own, trigger note, rule deleted, '
	  . 'constraint id_sequences_next_block_start_name_key, constraint known, constraint low, index id_sequences_layout_idx'
	  . "$publication. Keep beside the dump what makes it again.",
	'all that is named');

my $made = made_again('shop');
write_file("$dir/made_again.sql", $made);
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dir/dump", $node->connstr('shop') ], 'dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('restored'), "$dir/dump" ], 'restore');
is(not_dumped('restored'), '', 'what was added is not there');
$node->command_ok([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/made_again.sql", $node->connstr('restored') ], 'made again');
is(not_dumped('restored'), not_dumped('shop'), 'and now all of it is');
is(made_again('restored'), $made, 'as it was');
is($node->safe_psql('restored', 'SELECT pubname FROM pg_publication_tables'), 'ids', 'it is published');
is($node->safe_psql('restored', "SET ROLE app; SELECT idgen.idgen_next('app/orders')"), 1, 'a role draws from its rows');
my ($ret, undef, $error) = $node->psql('restored', "SET ROLE app; SELECT idgen.idgen_next('others/orders')");
like($error, qr/does not exist/, 'and not from others');

# A session that has not loaded the library adds a column.
$node->safe_psql('restored', 'ALTER TABLE idgen.id_sequences ADD COLUMN note text');
foreach my $statement (
	"SELECT idgen.idgen_next('app/orders')",
	"UPDATE idgen.id_sequences SET note = 'x'",
	"SELECT idgen.idgen_create('new')")
{
	($ret, undef, $error) = $node->psql('restored', "\\set VERBOSITY verbose\n$statement");
	like($error, qr/55000.*DETAIL:  Column "note" was added\./s, $statement);
}
$node->safe_psql('restored', 'ALTER TABLE idgen.id_sequences DROP COLUMN note');
is($node->safe_psql('restored', "SELECT idgen.idgen_next('app/orders')"), 21, 'once it is dropped, ids are drawn');
is($node->safe_psql('restored', "SET idgen.auto_create = on; SELECT idgen.idgen_next('by default')"), 1, 'and rows are made by default');
($ret, undef, $error) = $node->psql('restored', "SELECT idgen.idgen_next('app/orders'); ALTER TABLE idgen.id_sequences ADD COLUMN note text");
like($error, qr/cannot add a column to "id_sequences"/, 'a session that has loaded it adds none');

$node->stop;
done_testing();
