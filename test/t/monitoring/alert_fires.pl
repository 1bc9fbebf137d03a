# Prometheus, which asks the exporter and has the rules of monitoring/, has an
# alert for an id sequence that is nearly used up, and none for others; it is
# over when there are ids again.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use Monitoring;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

foreach my $program ('prometheus-postgres-exporter', 'prometheus')
{
	plan skip_all => "$program is not here" unless Monitoring::program($program);
}

my $node = idgen_server('server');
my ($role) = Monitoring::setup_sql();

$node->safe_psql(
	'postgres', qq{
	$role
	SELECT idgen_create('low', max_value => 1000, block_size => 475);
	SELECT idgen_create('fine', max_value => 1000, block_size => 475);
	SELECT idgen_next('low'), idgen_next('fine')});

my $exporter = Monitoring->exporter($node, 'idgen_monitor', 'postgres');
my $prometheus = Monitoring->prometheus($exporter);

# Prometheus looks once a second, so this does, too.
sub wait_for
{
	my ($condition, $what) = @_;

	wait_until(sub {
		return 1 if $condition->();
		sleep 1;
		return 0;
	}, $what);
	return;
}

# Waits until these alerts fire, and no others.
sub fires
{
	my (@alerts) = @_;
	my @seen;

	wait_for(sub { @seen = $prometheus->alerts; "@seen" eq "@alerts" }, "alerts (@alerts)");
	return;
}

wait_for(sub { $prometheus->value('idgen_sequence_left_ratio{name="low"}') == 0.525 }, 'metrics');
wait_for(sub { join(' ', $prometheus->rules_health) eq 'ok' }, 'rules');
is_deeply([ $prometheus->alerts ], [], 'no alert');

$node->safe_psql('postgres', q{SELECT count(idgen_next('low')) FROM generate_series(2, 476)});
fires('IdgenLittleLeft low warning');
pass('little is left');

$node->safe_psql('postgres', q{SELECT count(idgen_next('low')) FROM generate_series(477, 951)});
fires('IdgenUsedUp low critical');
pass('nothing is left');

$node->safe_psql('postgres', q{UPDATE id_sequences SET max_value = 100000, exhausted = 0 WHERE name = 'low'});
fires();
pass('there are ids again');

$prometheus->stop;
$exporter->stop;
$node->stop;
done_testing();
