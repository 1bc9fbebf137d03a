# Without shared memory there are no time-ordered ids, since sessions could not
# keep them in order; but ids can be taken apart.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('not_preloaded', preload => 0);

foreach my $function ('idgen_unique_id', 'idgen_unique_uuid')
{
	my (undef, undef, $stderr) = $node->psql('postgres', "SELECT $function()", extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	like(
		$stderr,
		qr/ERROR:  55000: time-ordered ids need shared memory\nHINT:  Add "idgen" to shared_preload_libraries\.\n/,
		"$function is refused");
}
is($node->safe_psql('postgres', 'SELECT node, counter FROM idgen_unique_id_parts(4198401)'), '1|1', 'parts');
is($node->safe_psql('postgres', q{SELECT idgen_unique_uuid_created_at(idgen_unique_uuid_min('2026-11-22')) = '2026-11-22'}), 't', 'the time in a UUID');
is($node->safe_psql('postgres', "SELECT idgen_create('x'); SELECT idgen_next('x')"), "\n1", 'id sequences work');

$node->stop;
done_testing();
