# Local rows on two servers that pg_auto_failover keeps available: the primary
# crashes, is switched, and is lost. idgen issues no id twice; a sequence of
# PostgreSQL's own may, since what a client sees of it need not be on the
# standby, nor on any disk.
#
# A part of "make test-cluster".
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib", "$FindBin::RealBin/../../cluster";

use IdgenTest;
use PgAutoFailover;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Trial;

plan skip_all => 'make test-cluster runs it' unless $ENV{CLUSTER};

my @missing = PgAutoFailover::missing();

plan skip_all => "not here: @missing" if @missing;

my $pair = PgAutoFailover->new(slurp_file($ENV{TEMP_CONFIG}) . q{
shared_preload_libraries = 'idgen'
shared_buffers = 32MB
max_connections = 60
});

$pair->psql(q{
	CREATE EXTENSION idgen;
	SELECT idgen_create('own'), idgen_create('worker', refill => 'worker');
	CREATE TABLE made (id bigint PRIMARY KEY DEFAULT idgen_next('own'));
	CREATE TABLE adopted (id bigserial PRIMARY KEY);
	SELECT idgen_adopt('adopted', 'id');
	CREATE SEQUENCE native});
$pair->wait_until_healthy;

my $trial = Trial->new('pg_auto_failover');
my %streams = (
	'own' => [ own => "SELECT idgen_next('own')" ],
	'own, rows' => [ own => 'INSERT INTO made DEFAULT VALUES RETURNING id' ],
	'adopted' => [ adopted => 'INSERT INTO adopted DEFAULT VALUES RETURNING id' ],
	'worker' => [ worker => "SELECT idgen_next('worker')" ],
	'nextval' => [ native => "SELECT nextval('native')" ]);

$trial->draw($_, $streams{$_}[0], $pair->connstr, $streams{$_}[1], pause => 5) foreach sort keys %streams;

sub run
{
	my ($event, $what) = @_;

	$trial->event($event);
	$what->();
	$pair->wait_until_healthy;
	my @without = $trial->wait_for_ids(200, 60);
	is("@without", '', "$event: ids again");
	return;
}

run('nothing happens', sub { });
run("primary's server: kill -9", sub { $pair->crash_server($pair->primary) });
run('planned switchover', sub { $pair->switch_over });
run("primary's host lost", sub {
	my $primary = $pair->primary;

	$pair->lose_host($primary);
	$pair->wait_for_another_primary($primary);
	$trial->wait_for_ids(200, 60);
	$pair->run($primary);
});

foreach my $event ($trial->end)
{
	is($event->{duplicates_of}{$_} // 0, 0, "$event->{text}: no id of $_ was issued twice") foreach qw(own adopted worker);
}
$trial->report;
done_testing();
