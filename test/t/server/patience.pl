# Sessions that wait for the same refill from a server do not ask that
# themselves, however long it takes, and do not fail one after another if it
# does not answer: here where no worker is asked.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use FakeCentre;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $silent = FakeCentre->new(startup => '');
my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{deadlock_timeout = '10ms'});
my $draw = q{SELECT idgen_next('x')};
my $options = server_options($silent);

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 20)});
create_remote('x', '', $node);
$node->safe_psql('postgres', qq{
	CREATE SERVER silent FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options);
	CREATE USER MAPPING FOR CURRENT_USER SERVER silent;
	SELECT idgen_create('silent', source => 'server', source_name => 'silent');
	CREATE TABLE failed (state text, ms float)});

# Slow: wait until everybody has waited for much longer than deadlock_timeout.
my $holder = $centre->background_psql('postgres');
$holder->query_safe(q{BEGIN; SELECT FROM id_sequences FOR UPDATE});
my @sessions = map { start_statement($node, $draw) } 1 .. 10;
$node->poll_query_until('postgres', q{
	SELECT count(*) = 10 FROM pg_stat_activity
	WHERE query ~ '^SELECT idgen_next' AND wait_event_type IN ('Extension', 'Lock') AND query_start < clock_timestamp() - interval '200ms'})
  or die 'nobody waits';
is($centre->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idgen'}), '1', 'one asks the server');
$holder->query_safe('COMMIT');
is(join(' ', sort { $a <=> $b } map { $_->query_safe('') } @sessions), join(' ', 1 .. 10), 'all of them have ids of one block');
is($node->safe_psql('postgres', q{SELECT refills, blocks_taken FROM idgen_stats WHERE name = 'x'}), '1|1', 'by one refill');
$_->quit for ($holder, @sessions);

# Silent: 30 sessions one after another would take 30 times as long as one.
my $run = start_pgbench($node, 'silent', q{
SET idgen.server_timeout = '500ms';
DO $$
BEGIN
	PERFORM idgen_next('silent');
EXCEPTION WHEN OTHERS THEN
	INSERT INTO failed VALUES (SQLSTATE, extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000);
END$$;
}, '-c', 30, '-t', 1);
$run->{run}->finish;
is($node->safe_psql('postgres', q{SELECT count(*), min(state), max(state) FROM failed}), '30|08001|08001', 'no answer');
cmp_ok($node->safe_psql('postgres', q{SELECT max(ms) FROM failed}), '<', 7000, 'nobody has waited for all the others');

$node->stop;
$centre->stop;
done_testing();
