# A pooler in front of the centre that asks for passwords, and gives each
# connection of a node a session of the centre's, as long as it lasts: a node
# whose id_sequences belongs to an ordinary role may connect so, with the right
# password only, by its sessions and by its worker.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use Pooler;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'pgbouncer is not here' unless Pooler::is_here();

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{
idgen.worker_timeout = '100s'
idgen.server_timeout = '1s'
});

$centre->safe_psql(
	'postgres', q{
	INSERT INTO id_sequences VALUES ('x', 1, 2), ('w', 1, 2);
	SET password_encryption = 'scram-sha-256';
	CREATE ROLE app LOGIN PASSWORD 'Opensesame1';
	GRANT SELECT, UPDATE ON id_sequences TO app});
unlink($centre->data_dir . '/pg_hba.conf');
$centre->append_conf('pg_hba.conf', "local all app scram-sha-256\nlocal all all trust\n");
$centre->reload;

my $pooler = Pooler->new($centre, 'session', tcp => 1, passwords => { app => 'Opensesame1' });
my ($host, $port) = ($pooler->host, $pooler->port);

create_remote('x', '', $node);
create_remote('w', q{refill => 'worker'}, $node);
$node->safe_psql(
	'postgres', qq{
	ALTER SERVER central OPTIONS (SET host '$host', SET port '$port');
	CREATE ROLE alice LOGIN;
	GRANT USAGE ON FOREIGN SERVER central TO PUBLIC;
	ALTER TABLE id_sequences OWNER TO alice});

# What draws by others end with while that is alice's mapping
sub draws_with
{
	my ($options) = @_;

	$node->safe_psql('postgres', qq{
		DROP USER MAPPING IF EXISTS FOR alice SERVER central;
		CREATE USER MAPPING FOR alice SERVER central OPTIONS ($options)});
	return join(' ', map { sqlstate($node, "SELECT idgen_next('$_') FROM generate_series(1, 100)") || 'ok' } ('x', 'w'));
}

is(draws_with(q{user 'app', password 'Opensesame2'}), '08001 08001', 'a wrong password');
$node->append_conf('postgresql.conf', q{idgen.server_timeout = '100s'});
$node->reload;
wait_for_true($node, q{SELECT current_setting('idgen.server_timeout') = '100s'}, 'the reload');
is(draws_with(q{user 'app', password 'Opensesame1'}), 'ok ok', 'the right password');
is( $node->safe_psql('postgres', q{SELECT idgen_next('x'), idgen_next('w')}),
	'101|101', 'ids go on');
is( $centre->safe_psql('postgres', q{SELECT DISTINCT usename FROM pg_stat_activity WHERE query LIKE 'WITH central%'}),
	'app', 'the pooler connects as that role');

# The pooler's session stays when the node's connection ends, and serves others.
$node->restart;
is($node->safe_psql('postgres', q{SELECT idgen_next('x') > 100, idgen_next('w') > 100}), 't|t', 'after a restart of the node');

$pooler->stop;
$_->stop foreach ($node, $centre);
done_testing();
