# However many sessions of a node wait for the central server, one of them asks
# it for all, or the worker does. What it asks for is as much as all of them
# need.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{
deadlock_timeout = '100s'
idgen.worker_timeout = '100s'
idgen.max_prefetch_blocks = 1
});

$centre->safe_psql('postgres', q{
	INSERT INTO id_sequences VALUES ('large', 1, 20), ('small', 1, 1), ('cancelled', 1, 20), ('worker', 1, 20);
	CREATE TABLE asked (name text);
	CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO asked VALUES (NEW.name);
		RETURN NEW;
	END$$;
	CREATE TRIGGER note BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION note()});
create_remote($_, '', $node) foreach ('large', 'small', 'cancelled');
create_remote('worker', q{refill => 'worker'}, $node);

# The processes of the centre that are asked for a block
sub asking
{
	return $centre->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE application_name = 'idgen' AND state = 'active'});
}

# Somebody at the centre keeps the row while seven sessions want an id, one of
# which asks for it.
my $holder = $centre->background_psql('postgres');

sub start_waiting
{
	my ($sequence) = @_;
	my $draw = "SELECT idgen_next('$sequence')";

	$holder->query_safe("BEGIN; SELECT FROM id_sequences WHERE name = '$sequence' FOR UPDATE");
	my @sessions = (start_statement($node, $draw));
	wait_for_waiters($centre, 1, 'id_sequences');
	push @sessions, map { start_statement($node, $draw) } 1 .. 6;
	wait_for_waiters($node, $sequence eq 'worker' ? (7, '^SELECT idgen_next', 'Extension') : (6, '^SELECT idgen_next', 'Lock'));
	like(asking(), qr/^\d+$/, "$sequence: one asks the centre");
	return @sessions;
}

# What they all get
sub ids
{
	my (@sessions) = @_;
	my @ids = sort map { $_->query_safe('') } @sessions;

	$_->quit foreach @sessions;
	return "@ids";
}

# How often the centre was asked
sub asked
{
	my ($sequence) = @_;
	return $centre->safe_psql('postgres', "SELECT count(*) FROM asked WHERE name = '$sequence'");
}

# A block is enough for all.
my @sessions = start_waiting('large');
$holder->query_safe('COMMIT');
is(ids(@sessions), '1 2 3 4 5 6 7', 'all have an id');
is(asked('large'), '1', 'at once');
is( $node->safe_psql('postgres', q{SELECT refills, blocks_taken, waits FROM idgen_stats WHERE name = 'large'}),
	'1|1|6', 'from one block, for which the others have waited');

# It is enough for the session that has asked. How many still wait when the next
# one asks, nobody can say: some have just got up.
@sessions = start_waiting('small');
$holder->query_safe('COMMIT');
is(ids(@sessions), '1 2 3 4 5 6 7', 'all have an id');
cmp_ok(asked('small'), '<', 7, 'some of them at once');

# The session that asks gives up: another one asks again.
@sessions = start_waiting('cancelled');
my $first = asking();
$node->safe_psql('postgres', q{
	SELECT pg_cancel_backend(pid) FROM pg_stat_activity
	WHERE query ~ '^SELECT idgen_next' ORDER BY backend_start LIMIT 1});
my $cancelled = shift @sessions;
$cancelled->query('');
like($cancelled->{stderr}, qr/canceling statement/, 'one gives up');
$cancelled->quit;
wait_until(sub { asking() =~ /^(\d+)$/ && $1 != $first }, 'another one to ask');
$holder->query_safe('COMMIT');
is(ids(@sessions), '1 2 3 4 5 6', 'all others have an id');
is(asked('cancelled'), '1', 'at once');

# The worker asks.
@sessions = start_waiting('worker');
$holder->query_safe('COMMIT');
is(ids(@sessions), '1 2 3 4 5 6 7', 'all have an id');
is(asked('worker'), '1', 'at once');

$holder->quit;
$_->stop foreach ($node, $centre);
done_testing();
