# With idgen.bridge_seconds, the worker keeps as many ids cached of another
# server as last for that time: an outage is not noticed for longer than
# idgen.server_timeout. It never takes more than a small part of what there is.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my $rate = 200;

# The worker goes between two refills, as it would do in practice.
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{
idgen.server_timeout = '300ms'
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100ms'
});

$centre->safe_psql('postgres', q{
	ALTER TABLE id_sequences ADD max_value bigint NOT NULL DEFAULT 9223372036854775807;
	INSERT INTO id_sequences VALUES ('x', 1, 2), ('y', 1, 2), ('z', 1, 2);
	INSERT INTO id_sequences VALUES ('small', 1, 2, 0, 3000)});
create_remote($_, q{refill => 'worker'}, $node) for ('x', 'z', 'small');
create_remote('y', '', $node);
$node->safe_psql('postgres', q{SELECT idgen_create('own', block_size => 2, refill => 'worker')});

# For how many seconds lasts what is cached of an id sequence?
my $seconds = "(SELECT coalesce(sum(last_id - first_id + 1), 0) / $rate.0 FROM idgen_cache WHERE name = '%s')";

# A session draws ids of some id sequences, of each $rate a second, until a
# condition is true, in which LASTS(name) is for how long there are some cached.
# It goes on where a centre that has just been started does not answer in time.
sub draw_until
{
	my ($condition, @names) = @_;
	my $script = join('', map { "DO \$\$BEGIN PERFORM idgen_next('$_'); EXCEPTION WHEN connection_exception THEN NULL; END\$\$;\n" } @names);
	my $client = do
	{
		local $ENV{PGAPPNAME} = 'client';
		start_pgbench($node, "draw_@names", $script, '-R', $rate, '-T', 1000);
	};

	$condition =~ s/LASTS\((\w+)\)/sprintf($seconds, $1)/eg;
	ok($node->poll_query_until('postgres', "SELECT $condition"), "drawn from: @names");
	terminate_clients($node, $client);
	return;
}

sub lasts
{
	my ($name) = @_;
	return $node->safe_psql('postgres', 'SELECT ' . sprintf($seconds, $name));
}

sub drawn
{
	my ($name, $number) = @_;
	return "(SELECT ids_issued >= $number FROM idgen_stats WHERE name = '$name')";
}

draw_until(drawn('x', 400), 'x');
cmp_ok(lasts('x'), '<', 2, 'without the setting, little is cached');

$node->append_conf('postgresql.conf', 'idgen.bridge_seconds = 60');
$node->reload;
draw_until('LASTS(x) > 20', 'x');
cmp_ok(lasts('x'), '<', 150, 'with it, not much more than asked for');

# The centre is away: nobody notices.
my $next = $centre->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences WHERE name = 'x'});
$centre->stop('immediate');
my $half = int(lasts('x') * $rate / 2);
is($node->safe_psql('postgres', "SELECT count(DISTINCT idgen_next('x')) FROM generate_series(1, $half)"), $half, 'no call fails');
is(sqlstate($node, q{SELECT idgen_next('y')}), '08001', 'as it does where there is no reserve');
$centre->start;

# It is filled up again. Of a small range, a small part is kept. Nothing is kept
# of what is here.
draw_until('LASTS(x) > 30 AND ' . drawn('small', 400) . ' AND ' . drawn('own', 400), 'x', 'small', 'own');
cmp_ok($centre->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences WHERE name = 'x'}), '>', $next, 'the reserve is refilled');
cmp_ok(lasts('small'), '<', 2, 'a node does not take all of a small range');
cmp_ok(lasts('own'), '<', 5, 'nothing is kept of what comes from this server');

# An outage that outlasts the reserve does not make the next one smaller.
$node->append_conf('postgresql.conf', 'idgen.bridge_seconds = 2');
$node->reload;
draw_until('LASTS(z) > 1.5', 'z');
$centre->stop('immediate');
my $reserve = int(lasts('z') * $rate);
$node->safe_psql('postgres', "SELECT count(idgen_next('z')) FROM generate_series(1, $reserve)");
# what was on its way then comes, too
$reserve++ while sqlstate($node, q{SELECT idgen_next('z')}) eq '';
is(join(' ', map { sqlstate($node, q{SELECT idgen_next('z')}) } 1 .. 30), join(' ', ('08001') x 30), 'no id is left');
$centre->start;
like($node->safe_psql('postgres', q{SELECT idgen_next('z')}), qr/^\d+$/, 'an id after the outage');
cmp_ok(lasts('z') * $rate, '>', 0.6 * $reserve, 'the first refill brings a reserve as large as before');

$node->stop;
$centre->stop;
done_testing();
