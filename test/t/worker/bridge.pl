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

# Draws, some hundred times a second, for a while.
sub draw_for
{
	my ($name, $seconds) = @_;

	return $node->safe_psql('postgres', qq{
		CREATE TEMP TABLE drawn (id bigint);
		DO \$\$
		DECLARE
			until timestamptz := clock_timestamp() + interval '$seconds s';
		BEGIN
			WHILE clock_timestamp() < until LOOP
				INSERT INTO drawn VALUES (idgen_next('$name'));
				COMMIT;
				PERFORM pg_sleep(0.002);
			END LOOP;
		END\$\$;
		SELECT count(*) FROM drawn});
}

sub cached
{
	my ($name) = @_;
	return $node->safe_psql('postgres', "SELECT coalesce(sum(last_id - first_id + 1), 0) FROM idgen_cache WHERE name = '$name'");
}

my $drawn = draw_for('x', 4);
cmp_ok(cached('x'), '<', $drawn, 'without the setting, little is cached');

$node->append_conf('postgresql.conf', 'idgen.bridge_seconds = 60');
$node->reload;
$drawn = draw_for('x', 8);
cmp_ok(cached('x'), '>', 2 * $drawn, 'ids for much longer than that are cached');
cmp_ok(cached('x'), '<', 15 * $drawn, 'and not for ever');

# The centre is away: nobody notices.
my $next = $centre->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences WHERE name = 'x'});
$centre->stop('immediate');
my $ids = $node->safe_psql('postgres', "SELECT count(DISTINCT idgen_next('x')) FROM generate_series(1, $drawn)");
is($ids, $drawn, 'no call fails');
is(sqlstate($node, q{SELECT idgen_next('y')}), '08001', 'as it does where there is no reserve');
$centre->start;

# It is filled up again, without waiting until half of it is used.
draw_for('x', 4);
cmp_ok($centre->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences WHERE name = 'x'}), '>', $next, 'the reserve is refilled');

# An outage that outlasts the reserve does not make the next one smaller.
$node->append_conf('postgresql.conf', 'idgen.bridge_seconds = 1');
$node->reload;
draw_for('z', 4);
my $reserve = cached('z');
$centre->stop('immediate');
$node->safe_psql('postgres', "SELECT count(idgen_next('z')) FROM generate_series(1, $reserve)");
is(join(' ', map { sqlstate($node, q{SELECT idgen_next('z')}) } 1 .. 30), join(' ', ('08001') x 30), 'no id is left');
$centre->start;
like($node->safe_psql('postgres', q{SELECT idgen_next('z')}), qr/^\d+$/, 'an id after the outage');
cmp_ok(cached('z'), '>', 0.7 * $reserve, 'the first refill brings a reserve as large as before');

# Of a small range, a small part is kept; of what is here, nothing.
$drawn = draw_for('small', 3);
cmp_ok(cached('small'), '<', 400, "after $drawn ids, a node does not take all of a small range");
draw_for('own', 3);
cmp_ok(cached('own'), '<', 1000, 'nothing is kept of what comes from this server');

$node->stop;
$centre->stop;
done_testing();
