# A node that does not preload the library has a cache for each session, which
# blocks from the central server go to as well.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Proxy;
use Test::More;

my $centre = central_server('centre');
my $proxy = Proxy->new($centre);
my ($node) = idgen_nodes(1, centres => [$proxy], preload => 0, conf => 'max_prepared_transactions = 10');

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 10), ('other', 1001, 10)});
create_remote('x', '', $node);
create_remote('w', q{refill => 'worker'}, $node);

my $a = $node->background_psql('postgres', on_error_stop => 0);
my $b = $node->background_psql('postgres', on_error_stop => 0);
$_->query_safe('\set VERBOSITY sqlstate') for ($a, $b);

sub draw
{
	return join(' ', map { answer($_, q{SELECT idgen_next('x')}) } @_);
}

sub by_others
{
	my ($sql) = @_;
	$node->safe_psql('postgres', $sql);
	return;
}

is(draw($a, $b, $a, $b), '1 11 2 12', 'each session has a block of its own');
is($a->query_safe(q{SELECT source, source_name, cache, ids_cached, percent_left IS NULL FROM idgen_stats}),
	'server|central|session|8|t', 'and says so');
is(answer($a, q{SELECT idgen_next('w')}), '55000', 'without the library there is no worker');

# Transactions
$a->query_safe('BEGIN');
is(draw($a), '3', 'in a transaction');
is($a->query_safe(q{SELECT max(idgen_next('x')) FROM generate_series(1, 10)}), '23', 'from the next block');
$a->query_safe('ROLLBACK');
is(draw($a), '24', 'a rollback gives nothing back');
$a->query_safe(q{BEGIN; SELECT max(idgen_next('x')) FROM generate_series(1, 10); PREPARE TRANSACTION 'p'});
is(draw($a, $b), '35 13', 'nor does PREPARE TRANSACTION take something away');
$a->query_safe(q{COMMIT PREPARED 'p'});

# Errors
$proxy->hold;
$a->query_safe(q{SET idgen.server_timeout = '200ms'});
is(answer($a, q{SELECT max(idgen_next('x')) FROM generate_series(1, 10)}), '08006', 'a silent server');
is(draw($b), '14', 'others have their ids');
$proxy->pass;
$a->query_safe('RESET idgen.server_timeout');
my $id = draw($a);
cmp_ok($id, '>', 40, 'it works again');
$proxy->cut;
is(answer($a, q{SELECT max(idgen_next('x')) FROM generate_series(1, 10)}), $id + 10, 'an idle connection was cut');

# Changes by others
by_others(q{ALTER SERVER central OPTIONS (ADD remote_name 'other')});
is(answer($a, q{SELECT max(idgen_next('x')) FROM generate_series(1, 10)}), '1001', 'another id sequence at the server');
by_others(q{CREATE ROLE somebody});
$a->query_safe('SET ROLE somebody');
is(draw($a), '42501', 'no privilege');
by_others(q{GRANT USAGE ON FOREIGN SERVER central TO somebody});
is(draw($a), '1002', 'GRANT');
by_others(q{REVOKE USAGE ON FOREIGN SERVER central FROM somebody});
is(draw($a), '42501', 'REVOKE');
$a->query_safe('RESET ROLE');
by_others(q{DELETE FROM id_sequences WHERE name = 'x'});
is(draw($a), '42704', 'no row any more');
create_remote('x', '', $node);
is(draw($a), '1011', 'a new row: what was cached is dropped');
by_others('DROP SERVER central CASCADE');
is(draw($a), '42704', 'no server any more');

$_->quit for ($a, $b);
$_->stop for ($node, $centre);
done_testing();
