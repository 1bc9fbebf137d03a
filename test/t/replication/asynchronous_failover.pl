# With an asynchronous standby, ids that it had not heard of are issued again
# after a failover, and no others: each id sequence goes on exactly where
# replication had got to.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = idgen_server('primary', init => [ allows_streaming => 1 ]);
create_all_kinds($primary);
$primary->safe_psql('postgres', q{SELECT idgen_create('idle'), idgen_next('idle')});
my $standby = start_standby($primary, 'standby');

# What the standby hears of, ...
my @clients = start_all_kinds($primary, 3);
wait_for_ids(300, @clients);
my @before = issued_ids(@clients);
$primary->wait_for_catchup($standby);

# ... the last of which comes while clients go on, ...
$standby->safe_psql('postgres', q{ALTER SYSTEM SET primary_conninfo = ''; SELECT pg_reload_conf()});
$primary->poll_query_until('postgres', 'SELECT count(*) = 0 FROM pg_stat_replication') or die 'the standby still listens';

# ... and what it does not.
wait_for_ids(500, @clients);
my $unique = $primary->safe_psql('postgres', 'SELECT idgen_unique_id()');
kill_server($primary);
finish_clients(@clients);
my @ids = issued_ids(@clients);
is(duplicates(@ids), '', 'no id twice before the failover');

# So far has the standby got, once it has replayed all that it had received.
$standby->promote;
my %place = map { split / / } split /\n/, $standby->safe_psql('postgres', q{
	SELECT name || ' ' || next_block_start FROM id_sequences WHERE source = 'table' AND name <> 'idle'
	UNION ALL SELECT 'fun ' || next FROM counter
	UNION ALL SELECT 'native ' || last_value + 20 FROM native_seq
	UNION ALL SELECT 'native_worker ' || last_value + 5 FROM native_worker_seq
	UNION ALL SELECT 'runs ' || last_value + 1 FROM runs_seq});
my @received = drawn_ids($standby);

my %kinds = all_kinds();
my %first = map { $_ => $standby->safe_psql('postgres', "SELECT $kinds{$_}") } sort keys %kinds;
is_deeply(\%first, \%place, 'every id sequence goes on where replication was');
goes_on($standby, 'failover', [ @before, @received, map { "$_ $first{$_}" } keys %first ]);
is(duplicates(@received, drawn_ids($standby)), join(' ', sort @received), 'rows that were received are there');

# Of the ids of before, those behind that are issued again, and no others.
@clients = start_all_kinds($standby, 3);
wait_for_ids(500, @clients);
terminate_clients($standby, @clients);
my %new = map { $_ => 1 } issued_ids(@clients);
my @again = grep { $new{$_} } @ids;
cmp_ok(scalar @again, '>', 0, 'ids are issued a second time');
is(join(' ', grep { /(\w+) (\d+)/ && $2 < $place{$1} } @again), '', 'only such as were not received');

is($standby->safe_psql('postgres', q{SELECT idgen_next('idle')}), '21', 'what nobody has used since');
cmp_ok($standby->safe_psql('postgres', 'SELECT idgen_unique_id()'), '>', $unique, 'time-ordered ids go on');

$standby->stop;
done_testing();
