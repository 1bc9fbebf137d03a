# An update leads through versions between, for which the library is not made:
# the scripts need nothing of it that only its own version has.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Copy qw(move);
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('server');

init_server($node);
plan skip_all => q{the server finds an extension only in its own directories} unless defined install_root($node);

# Each version that is updated from leads to one between first, and that one to
# the next one.
my $installed = PostgreSQL::Test::Utils::tempdir();
copy_install($node, install_root($node), $installed);
find_in($node, $installed);
my $scripts = $installed . $node->config_data('--sharedir') . '/extension';
foreach my $script (glob("$scripts/idgen--*--*.sql"))
{
	my ($to) = $script =~ /--([^-]+)\.sql$/;
	my $between = $script =~ s/--[^-]+\.sql$/--$to.between.sql/r;

	move($script, $between) or die $!;
	append_to_file("$scripts/idgen--$to.between--$to.sql", "COMMENT ON EXTENSION idgen IS 'updated in steps';\n");
}
$node->start;

$node->safe_psql('postgres', q{CREATE EXTENSION idgen VERSION '1.0'});
$node->safe_psql('postgres', q{ALTER EXTENSION idgen UPDATE});
is($node->safe_psql('postgres', q{SELECT idgen_create('x'); SELECT idgen_next('x')}), "\n1", 'after all steps, ids are issued');

is($node->safe_psql('postgres', q{SELECT obj_description(oid, 'pg_extension') FROM pg_extension WHERE extname = 'idgen'}),
	'updated in steps', 'and there were steps');

$node->stop;
done_testing();
