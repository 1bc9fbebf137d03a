# A centre that does not tell which database cluster it is, because the role of
# the nodes must not call the functions for that, or there are none, is as good
# as another one: its blocks are looked at all the same. So they are without the
# library preloaded, and what one session has received another one knows.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use FakeCentre;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
$centre->safe_psql('postgres', q{
	INSERT INTO id_sequences VALUES ('x', 1, 10), ('w', 1, 10);
	CREATE ROLE node LOGIN;
	GRANT SELECT, UPDATE (next_block_start, exhausted) ON id_sequences TO node;
	REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC});
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{idgen.worker_timeout = '100s'});
$node->safe_psql('postgres', q{ALTER USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (ADD user 'node')});
create_remote('x', '', $node);
create_remote('w', q{refill => 'worker'}, $node);

sub next_id
{
	my ($session, $name) = @_;
	return answer($session, "SELECT idgen_next('$name') FROM pg_sleep(0)");
}

sub new_session
{
	my ($from) = @_;
	my $session = $from->background_psql('postgres', on_error_stop => 0);

	$session->query_safe('\set VERBOSITY sqlstate');
	return $session;
}

my $session = new_session($node);
my $offset = -s $centre->logfile;
is(answer($session, q{SELECT max(idgen_next('x')) FROM generate_series(1, 30)}), '30', 'ids');
is(() = slurp_file($centre->logfile, $offset) =~ /permission denied for function pg_control_system/g, 1, 'it was asked for that once');
is(next_id($session, 'w'), '1', 'by the worker');
is($node->safe_psql('postgres', q{SELECT name, last_id, system_identifier, timeline FROM idgen_centre_marks WHERE name = 'x'}), 'x|30||', 'it was not told');
$centre->safe_psql('postgres', q{UPDATE id_sequences SET next_block_start = 1 WHERE name = 'x'});
is(next_id($session, 'x'), '55000', 'it has gone back');
$centre->safe_psql('postgres', q{REVOKE UPDATE (next_block_start) ON id_sequences FROM node});
is(next_id($session, 'x'), '42501', 'what else it does not permit');
$centre->safe_psql('postgres', q{
	GRANT UPDATE (next_block_start) ON id_sequences TO node;
	UPDATE id_sequences SET next_block_start = 101;
	GRANT EXECUTE ON FUNCTION pg_control_system() TO node});
is(next_id($session, 'x'), '101', 'raised');
is( $node->safe_psql('postgres', q{SELECT timeline FROM idgen_centre_marks WHERE name = 'x'}),
	'1', 'which one it is was asked again after another error');
$session->quit;
$node->stop;

# Another kind of database
my $fake = FakeCentre->new(unknown => qr/pg_control_system/);
my $other = idgen_server('other');
$other->safe_psql('postgres', sprintf(q{
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (%s);
	CREATE USER MAPPING FOR CURRENT_USER SERVER central}, server_options($fake)));
create_remote('x', '', $other);
is($other->safe_psql('postgres', q{SELECT max(idgen_next('x')) FROM generate_series(1, 30)}), '30', 'one that does not know the function');
$other->stop;

# Without the library preloaded
my $alone = idgen_server('alone', preload => 0);
$alone->safe_psql('postgres', sprintf(q{
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (%s);
	CREATE USER MAPPING FOR CURRENT_USER SERVER central}, server_options($centre)));
create_remote('x', '', $alone);
my ($a, $b) = map { new_session($alone) } (1, 2);
is(answer($a, q{SELECT max(idgen_next('x')) FROM generate_series(1, 10)}), '120', 'a session without the cache of all');
is(answer($a, q{SELECT last_id FROM idgen_centre_marks}), '120', 'remembers');
is(answer($b, q{SELECT last_id FROM idgen_centre_marks}), '120', 'for all');
$centre->safe_psql('postgres', q{UPDATE id_sequences SET next_block_start = 1 WHERE name = 'x'});
is(next_id($a, 'x'), '55000', 'it notices');
is(next_id($b, 'x'), '55000', 'so does another one');
is(answer($a, q{SELECT idgen_accept_centre('central')}), '1', 'accepted');
is(next_id($b, 'x'), '1', 'by all sessions');
is(next_id($a, 'x'), '11', 'each with a cache of its own');
$_->quit foreach ($a, $b);

$_->stop foreach ($alone, $centre);
done_testing();
