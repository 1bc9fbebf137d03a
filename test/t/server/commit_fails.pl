# What counts is the centre's commit: if a trigger there raises an error as late
# as that, the caller gets this error, and the ids go to a later call.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my @nodes = idgen_nodes(2, centres => [$centre]);
my @names = ('own', 'worker');

# It refuses that number of commits in a hundred.
$centre->safe_psql('postgres', q{
	CREATE TABLE refused (percent integer);
	INSERT INTO refused VALUES (100);
	CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF random() * 100 < (SELECT percent FROM refused) THEN
			RAISE 'not now' USING ERRCODE = 'UX001', DETAIL = 'It is late.', HINT = 'Ask again.';
		END IF;
		RETURN NULL;
	END$$;
	INSERT INTO id_sequences VALUES ('own', 1, 3), ('worker', 1, 3);
	CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON id_sequences
		DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()});
create_remote('own', '', @nodes);
create_remote('worker', q{refill => 'worker'}, @nodes);

foreach my $name (@names)
{
	my $session = $nodes[0]->background_psql('postgres', on_error_stop => 0);

	$session->query_safe('\set VERBOSITY verbose');
	foreach my $try (1, 2)
	{
		$session->query("SELECT idgen_next('$name')");
		like($session->{stderr}, qr/ERROR:  UX001: not now\nDETAIL:  It is late\.\nHINT:  Ask again\.\n/,
			"$name: the error of the commit");
		like($session->{stderr}, qr/CONTEXT:  on server "central"\nwhile refilling id sequence "$name"\n/, "$name: with a context");
		$session->{stderr} = '';
	}
	is(answer($session, q{SELECT count(*) FROM idgen_cache}), '0', "$name: nothing is cached");
	$session->quit;
}
is($centre->safe_psql('postgres', 'SELECT name, next_block_start FROM id_sequences ORDER BY name'),
	"own|1\nworker|1", 'the centre has allocated nothing');

# Under load
$centre->safe_psql('postgres', 'UPDATE refused SET percent = 30');
my @clients = map {
	start_clients(
		$_, 3, q{
\set VERBOSITY verbose
SELECT 'own ' || idgen_next('own');
SELECT 'worker ' || idgen_next('worker');
BEGIN;
SELECT 'own ' || idgen_next('own');
ROLLBACK;
}, on_error_stop => 0, times => 40)
} @nodes;
finish_clients(@clients);

my @errors = client_errors(@clients);
my @ids = seen_ids(@clients);

is(join("\n", grep { $_ ne 'UX001: not now' } @errors), '', 'load: no other errors');
cmp_ok(scalar @errors, '>', 0, 'load: but these');
is(scalar @ids + @errors, @clients * 120, 'load: everybody got either an id or an error');
is(duplicates(@ids), '', 'load: no id was issued twice');
foreach my $name (@names)
{
	is(missing_ids($name, scalar(grep { /^$name / } @ids), $centre, @nodes), 0, "load: no id of $name is missing");
}

$_->stop foreach (@nodes, $centre);
done_testing();
