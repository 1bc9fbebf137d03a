# The documents have a statement that puts idgen into shared_preload_libraries,
# and one that takes it out. What else the next start would load stays in the
# list, also what nobody has restarted the server for yet.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib", "$FindBin::RealBin/../../lint";

use Examples;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $tree = "$FindBin::RealBin/../../..";
my $setting = 'shared_preload_libraries';

# All statements of a page, or of a script, that change the list
sub statements_in
{
	my ($file) = @_;
	my $text = slurp_file("$tree/$file");
	my @parts = $file =~ /\.md$/ ? map { $_->{sql} } examples_of($text) : $text =~ /^(SELECT.*?\\gexec\n)/ms;

	return grep { /ALTER SYSTEM SET $setting/ } @parts;
}

my @adding = map { statements_in($_) } 'README.md', 'container/preload.sh';
my ($of_page, $removing) = statements_in('docs/installation.md');
push @adding, $of_page;
is(scalar @adding, 3, 'two pages and the container add idgen');
is(join("\n", grep { $_ ne $of_page } @adding), '', 'by the same statement');

my $node = plain_server('server');
my $conf = slurp_file($node->data_dir . '/postgresql.conf');
my $auto_conf = $node->data_dir . '/postgresql.auto.conf';

# What the next start would load
sub next_list
{
	return $node->safe_psql('postgres',
		"SELECT setting FROM pg_file_settings WHERE lower(name) = '$setting' ORDER BY seqno DESC LIMIT 1");
}

# run, statement: as a reader does, who copies it
sub run
{
	my ($statement) = @_;

	return $node->safe_psql('postgres', $statement);
}

# in postgresql.conf, then set by ALTER SYSTEM; what becomes of both when idgen
# is added, and when it is removed
my $hooks = '$libdir/my-hooks';
foreach my $case (
	[ undef, undef, 'idgen', '' ],
	[ undef, 'pg_stat_statements', 'pg_stat_statements, idgen', 'pg_stat_statements' ],
	[ 'auto_explain', undef, 'auto_explain, idgen', 'auto_explain' ],
	[ 'auto_explain', q{pg_stat_statements, "My hooks"}, 'pg_stat_statements, "My hooks", idgen', 'pg_stat_statements, "My hooks"' ],
	[ qq{ auto_explain,\t"$hooks" }, undef, qq{auto_explain, "$hooks", idgen}, qq{auto_explain, "$hooks"} ],
	[ '', undef, 'idgen', '' ])
{
	my ($in_file, $by_system, $with, $without) = @$case;
	my $what = join(', ', map { $_->[1] // '' } grep { defined $_->[1] } [ 'file', $in_file ], [ 'system', $by_system ]);

	write_file($node->data_dir . '/postgresql.conf', $conf . (defined $in_file ? "\nShared_Preload_Libraries = '$in_file'\n" : ''));
	write_file($auto_conf, defined $by_system ? "$setting = '$by_system'\n" : '');
	run($of_page);
	is(next_list(), $with, "idgen is added to \"$what\"");
	my $before = slurp_file($auto_conf);
	run($of_page);
	is(slurp_file($auto_conf), $before, 'it is added once');
	run($removing);
	is(next_list(), $without, 'and removed');
	$before = slurp_file($auto_conf);
	run($removing);
	is(slurp_file($auto_conf), $before, 'once');
}

# The same for a server that is restarted, and has to come up.
write_file($node->data_dir . '/postgresql.conf', $conf);
write_file($auto_conf, '');
run(qq{ALTER SYSTEM SET $setting = '\$libdir/plpgsql'});
run($of_page);
$node->restart;
is(run("SHOW $setting"), '"$libdir/plpgsql", idgen', 'the server comes up with both');
run(qq{ALTER SYSTEM SET $setting = '\$libdir/plpgsql', idgen, plpgsql});
run($removing);
$node->restart;
is(run("SHOW $setting"), '"$libdir/plpgsql", plpgsql', 'and without idgen');

$node->stop;
done_testing();
