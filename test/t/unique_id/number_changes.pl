# When a server has to give its node number up for another one, sessions that
# know the old one do not draw with it in turn with others: each id would have
# to wait for the next millisecond.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = idgen_server('centre');
my $node = leasing_server('node', $centre, 12);
my $number = 'SELECT (idgen_unique_id_parts(idgen_unique_id())).node';
my $session = $node->background_psql('postgres');

is($session->query_safe($number), '1', 'the first number');

# Somebody at the centre gives it to another server.
run_sql($centre, q{
	UPDATE idgen_node_numbers SET leased_until = clock_timestamp() WHERE number = 1;
	SELECT idgen_reserve_node(1, NULL);
	SELECT idgen_reserve_node(1, 'another server')});
wait_for_true($node, 'SELECT node_id = 2 FROM idgen_server', 'the next renewal');
is(run_sql($node, $number), '2', 'a new session');
is($session->query_safe($number), '2', 'a session that has drawn before');
$session->quit;

$_->stop foreach ($node, $centre);
done_testing();
