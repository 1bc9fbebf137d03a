# What is made of a base backup taken under load, started by itself or recovered
# to a point in time, issues no id that a transaction holds which is in it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('original', init => [ has_archiving => 1, allows_streaming => 1 ]);
create_all_kinds($node);
my @clients = start_all_kinds($node, 3);
wait_for_ids(100, @clients);
my %issued = (backup => [ issued_ids(@clients) ]);
$node->backup('backup');

# Points in time, with the ids that had been issued by then. The clients go on.
my %target;

sub point
{
	my ($kind, $sql) = @_;

	wait_for_ids(200, @clients);
	$issued{$kind} = [ issued_ids(@clients) ];
	my @lines = split /\n/, $node->safe_psql('postgres', $sql);
	$target{$kind} = $lines[-1];
	return;
}

point('lsn', 'SELECT pg_current_wal_insert_lsn()');
point(
	'xid', q{
	BEGIN;
	INSERT INTO drawn SELECT 'own', idgen_next('own') FROM generate_series(1, 30);
	SELECT pg_current_xact_id();
	COMMIT});
point('name', q{SELECT pg_create_restore_point('here'); SELECT 'here'});
wait_for_ids(200, @clients);
terminate_clients($node, @clients);
my $all = drawn_ids($node);
my $last = $node->safe_psql('postgres', 'SELECT pg_walfile_name(pg_switch_wal())');
$node->poll_query_until('postgres', "SELECT last_archived_wal >= '$last' FROM pg_stat_archiver") or die 'WAL is not archived';
$node->stop;

foreach my $kind ('backup', sort keys %target)
{
	my $copy = PostgreSQL::Test::Cluster->new($kind);

	$copy->init_from_backup($node, 'backup', $kind eq 'backup' ? () : (has_restoring => 1, standby => 0));
	$copy->append_conf('postgresql.conf', "archive_mode = off\n");
	$copy->append_conf('postgresql.conf', "recovery_target_$kind = '$target{$kind}'\nrecovery_target_action = promote\n")
	  if $kind ne 'backup';
	$copy->start;
	$copy->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'still in recovery';

	my @drawn = drawn_ids($copy);
	cmp_ok(scalar @drawn, '<', $all, "$kind: not all that was drawn is there");
	is($copy->safe_psql('postgres', 'SELECT count(*) FROM idgen_cache'), '0', "$kind: nothing is cached");
	goes_on($copy, $kind, [ @{ $issued{$kind} }, @drawn ]);
	is(scalar(() = drawn_ids($copy)), @drawn + 50 * keys %{ { all_kinds() } }, "$kind: next to all that is there");
	$copy->stop('immediate');
}

done_testing();
