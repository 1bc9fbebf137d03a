# Sessions that have waited for another's refill look at what it has left before
# they refill themselves. The one that refills then does it for all that still
# wait.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('waiting');

$node->safe_psql('postgres',
	"SELECT idgen_create('large', block_size => 100), idgen_create('small', block_size => 2)");

# Twelve sessions wait for a thirteenth. Answers the ids that they get.
sub draw_after_waiting
{
	my ($sequence) = @_;
	my $refiller = $node->background_psql('postgres');
	my @waiters = map { $node->background_psql('postgres') } 1 .. 12;

	is($refiller->query_safe("BEGIN; SELECT idgen_next('$sequence')"), '1', "$sequence: a refill is pending");
	$_->query_until(qr/waiting/, "\\echo waiting\nSELECT idgen_next('$sequence');\n") for @waiters;
	$node->poll_query_until(
		'postgres', q{
		SELECT count(*) = 12 FROM pg_stat_activity
		WHERE wait_event_type = 'Lock' AND wait_event = 'transactionid' AND query ~ 'idgen_next'})
	  or die 'not all of them wait';
	is($node->safe_psql('postgres', "SELECT waits FROM idgen_stats WHERE name = '$sequence'"),
		'12', "$sequence: all of them wait for the transaction");
	$refiller->query_safe('COMMIT');
	my @ids = sort { $a <=> $b } map { $_->query_safe('') } @waiters;
	$_->quit for ($refiller, @waiters);
	return join(' ', @ids);
}

is(draw_after_waiting('large'), join(' ', 2 .. 13), 'large: what the refill has left is enough for all');
is($node->safe_psql('postgres', "SELECT refills, blocks_taken FROM idgen_stats WHERE name = 'large'"),
	'1|1', 'large: nobody else refilled');

# How many still wait when the next one refills, nobody can say: some have just
# been woken up. But it is more than one, and a refill is for all of them.
my $ids = draw_after_waiting('small');
is(duplicates(split / /, $ids), '', 'small: no id is issued twice');
is( $node->safe_psql(
		'postgres', q{
		SELECT refills < 7, blocks_taken > refills FROM idgen_stats WHERE name = 'small'}),
	't|t', 'small: few sessions refilled, for the others too');
is( $node->safe_psql(
		'postgres', q{
		SELECT blocks_taken * 2 = ids_issued + ids_cached + ids_lost FROM idgen_stats WHERE name = 'small'}),
	't', 'small: all ids are accounted for');

$node->stop;
done_testing();
