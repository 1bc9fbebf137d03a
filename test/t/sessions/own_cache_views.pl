# Without the library preloaded, the views do not show ids of the session's
# cache that another session has made void, even if this one has not drawn
# since.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('views', preload => 0);
my $session = $node->background_psql('postgres', on_error_stop => 0);
my $other = $node->background_psql('postgres');

$other->query_safe(
	q{
	CREATE SEQUENCE gen_seq INCREMENT BY 20;
	SELECT idgen_create('row')});

# Draw, have the other session do something, and look at both views.
sub cached_after
{
	my ($draw, $statement) = @_;

	$session->query_safe($draw);
	$other->query_safe($statement);
	return cached();
}

sub cached
{
	return $session->query_safe(
		q{
		SELECT (SELECT sum(ids_cached) FROM idgen_stats), (SELECT sum(last_id - first_id + 1) FROM idgen_cache)}) =~ s/^\n//r;
}

my $draw = q{SELECT idgen_next('row')};

is(cached_after($draw, 'SELECT 1'), '19|19', 'ids from a row');
is(cached_after('SELECT 1', q{UPDATE id_sequences SET next_block_start = 1000}), '19|19', 'are good after another allocation');
is(cached_after('SELECT 1', q{BEGIN; SELECT idgen_restart('row', 501)}), '19|19', 'and while the row is being changed');
is(cached_after('SELECT 1', 'COMMIT'), '0|', 'but not when it is');
is(cached_after("$draw; BEGIN; SELECT FROM idgen_stats", q{SELECT idgen_restart('row', 301)}), '0|', 'in the middle of a transaction');
is(cached_after("COMMIT; $draw", q{UPDATE id_sequences SET block_size = 30}), '0|', 'any change of the table counts');
is(cached_after($draw, 'DELETE FROM id_sequences'), '|', 'the row is gone');

$draw = q{SELECT idgen_next('gen', 'sequence')};
is(cached_after($draw, 'SELECT 1'), '19|19', 'ids from a native sequence');
is(cached_after('SELECT 1', 'BEGIN; ALTER SEQUENCE gen_seq RESTART'), '19|19', 'are good while it is being restarted');
is(cached_after('SELECT 1', 'COMMIT'), '0|', 'but not when it is');
is(cached_after("$draw; BEGIN; ALTER SEQUENCE gen_seq RESTART", 'SELECT 1'), '19|19', 'or in the transaction that does it');
is(cached_after('ROLLBACK', 'SELECT 1'), '19|19', 'which may be rolled back');
is(cached_after('SELECT 1', 'DROP SEQUENCE gen_seq'), '|', 'the sequence is gone');

$_->quit for ($session, $other);
$node->stop;
done_testing();
