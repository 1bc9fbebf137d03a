# nextval() writes no WAL as long as it believes that an earlier record covers
# the value. There is none if the sequence came with a copied database, or was
# unlogged; nor, with wal_level minimal, if it was made or restarted by the
# transaction that drew from it. After a crash, no id that was drawn is issued
# again even so.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('crash', conf => "checkpoint_timeout = 1h\n");

# Have sessions run these statements, one session each, crash, and draw again.
# What a statement returns are ids, of one id sequence.
sub is_safe
{
	my ($database, $draw, $name, @sessions) = @_;
	my @ids = map { split /\n/, $node->safe_psql($database, $_) } @sessions;

	$node->stop('immediate');
	$node->start;
	push @ids, split /\n/, $node->safe_psql($database, $draw);
	cmp_ok(scalar @ids, '>', 100, "$name: ids were drawn");
	is(duplicates(@ids), '', "$name: no id is issued twice");
	return;
}

$node->safe_psql('postgres', 'CREATE DATABASE original');
$node->safe_psql(
	'original', q{
	CREATE EXTENSION idgen;
	CREATE SEQUENCE x_seq INCREMENT BY 20;
	SELECT idgen_next('x', 'sequence'), nextval('x_seq');
	SELECT idgen_create('worker', source => 'sequence', source_name => 'x_seq', refill => 'worker')});

my $draw = q{SELECT idgen_next('x', 'sequence') FROM generate_series(1, 120)};
my $by_worker = q{SELECT idgen_next('worker') FROM generate_series(1, 120)};

foreach my $strategy ($node->pg_version >= 15 ? ('wal_log', 'file_copy') : ())
{
	$node->safe_psql('postgres', "CREATE DATABASE $strategy TEMPLATE original STRATEGY $strategy");
	is_safe($strategy, $draw, "copied by $strategy", $draw);
	is_safe($strategy, $draw, "again", $draw, $draw);
	$node->safe_psql('postgres', "CREATE DATABASE worker_$strategy TEMPLATE original STRATEGY $strategy");
	is_safe("worker_$strategy", $by_worker, "by the worker, copied by $strategy", $by_worker);
}

# A checkpoint between the copy and the first draw changes nothing.
$node->safe_psql('postgres', 'CREATE DATABASE checkpoint TEMPLATE original');
$node->safe_psql('postgres', 'CHECKPOINT');
is_safe('checkpoint', $draw, 'copied before a checkpoint', $draw);

my $few = q{SELECT idgen_next('x', 'sequence') FROM generate_series(1, 3);};

is_safe('original', $draw, 'unlogged before',
	"DROP SEQUENCE x_seq; CREATE UNLOGGED SEQUENCE x_seq START 50001 INCREMENT BY 20; $few ALTER SEQUENCE x_seq SET LOGGED; $draw", $draw);

$node->append_conf('postgresql.conf', "wal_level = minimal\nmax_wal_senders = 0\n");
$node->restart;

my %changes = (
	'made' => 'DROP SEQUENCE x_seq; CREATE SEQUENCE x_seq START 100001 INCREMENT BY 20',
	'restarted' => 'ALTER SEQUENCE x_seq RESTART 200001',
	'altered' => 'ALTER SEQUENCE x_seq INCREMENT BY 30 RESTART 300001');

foreach my $change (sort keys %changes)
{
	is_safe('original', $draw, $change, "BEGIN; $changes{$change}; $few COMMIT; $draw", $draw);
}

done_testing();
