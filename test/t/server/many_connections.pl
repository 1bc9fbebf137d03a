# A session that draws from many servers is connected to one of them at a time,
# and needs no more files for more of them.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my $centre = central_server('centre', conf => 'max_connections = 100');
my $options = server_options($centre);
my $node = idgen_server('node', conf => q{
max_files_per_process = 128
idgen.server_timeout = '100s'
idgen.worker_start_timeout = -1
});
$centre->safe_psql('postgres', q{INSERT INTO id_sequences SELECT 's' || i, 1, 1 FROM generate_series(1, 40) i});
$node->safe_psql(
	'postgres', qq{
	CREATE SERVER s$_ FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options);
	CREATE USER MAPPING FOR CURRENT_USER SERVER s$_;
	SELECT idgen_create('s$_', source => 'server')}) for 1 .. 40;

my $session = $node->background_psql('postgres');
foreach my $id (1, 2)
{
	is(join(' ', map { $session->query_safe("SELECT idgen_next('s$_')") } 1 .. 40), join(' ', ($id) x 40), "id $id of each");
}
is($centre->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idgen'}), '1', 'one connection');
$session->quit;

$node->stop;
$centre->stop;
done_testing();
