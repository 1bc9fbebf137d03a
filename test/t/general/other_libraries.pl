# Other preloaded libraries that use the same hooks of the server, before idgen
# and after it
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('libraries');
plan skip_all => 'pg_stat_statements is not here'
  if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_stat_statements'}) == 0;

$node->safe_psql('postgres', q{CREATE EXTENSION pg_stat_statements; SELECT idgen_create('x')});
my $last = 0;
foreach my $libraries ('pg_stat_statements, idgen', 'idgen, pg_stat_statements')
{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$libraries'");
	$node->restart;
	$node->safe_psql('postgres', 'SELECT pg_stat_statements_reset()');
	is($node->safe_psql('postgres', q{SELECT max(idgen_next('x')) FROM generate_series(1, 5)}), $last += 5, "$libraries: ids");
	is($node->safe_psql('postgres', q{SELECT cache FROM idgen_server}), 'server', "$libraries: in the server's cache");
	is($node->safe_psql('postgres', q{SELECT sum(calls) FROM pg_stat_statements WHERE query LIKE '%idgen_next%'}),
		'1', "$libraries: statements are counted");
}

$node->stop;
done_testing();
