# The account of ids: what rows and native sequences have given is issued,
# cached, or lost, each id once. And servers on which the cache is small.
package IdgenTest::Account;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(few_places account ids_lost unaccounted account_is);

# few_places(number): the configuration of a server whose cache has room for
# that many id sequences. What is left of others is a gap.
sub few_places
{
	my ($number) = @_;
	return "idgen.max_sequences = $number\n";
}

# What rows of source table and those of source sequence have taken. Nobody
# knows that of a function or of another server: there must be no ids of these.
my $taken = q{
	coalesce((SELECT sum(next_block_start - start_value) FROM id_sequences WHERE source = 'table'), 0) +
	coalesce((SELECT sum(abs(last_value - s.start_value) + abs(increment_by)) FROM pg_sequences s
		WHERE last_value IS NOT NULL AND sequencename IN (
			SELECT coalesce(source_name, name || '_seq') FROM id_sequences WHERE source = 'sequence')), 0)};

# What was cached, and is a gap now: of id sequences that are in the cache, in
# each database, and of others, in the whole server. Only here stands under
# which names a version counts them.
my $lost_here = q{coalesce((SELECT sum(ids_lost) FROM idgen_stats), 0)};
my $lost_besides = q{(SELECT ids_lost + ids_evicted FROM idgen_server)};

my $cached = q{
	coalesce((SELECT sum(abs(last_id - first_id) + 1) FROM idgen_cache WHERE state <> 'pending'), 0)};

# account(server or session, database, ...): the numbers of ids that are taken,
# cached and lost, of these databases together; of "postgres" if none is named.
# A session is asked for what it sees. Whoever draws counts what is issued, as
# the counters of an id sequence may go with its place.
sub account
{
	my ($node, @databases) = @_;
	my %account = (taken => 0, cached => 0, lost => 0);
	my $besides;

	foreach my $database (@databases ? @databases : 'postgres')
	{
		my $query = "SELECT $taken, $cached, $lost_here, $lost_besides";
		my ($n_taken, $n_cached, $n_lost);

		($n_taken, $n_cached, $n_lost, $besides) = split /\|/,
		  $node->can('query_safe') ? $node->query_safe($query) : $node->safe_psql($database, $query);
		$account{taken} += $n_taken;
		$account{cached} += $n_cached;
		$account{lost} += $n_lost;
	}
	$account{lost} += $besides;
	return %account;
}

# ids_lost(server, database, ...): how many ids are lost
sub ids_lost
{
	my %account = account(@_);
	return $account{lost};
}

# unaccounted(server, issued, database, ...): how many ids were taken and are
# not among that number of issued ones, nor cached, nor lost
sub unaccounted
{
	my ($node, $issued, @databases) = @_;
	my %account = account($node, @databases);

	return $account{taken} - $issued - $account{cached} - $account{lost};
}

# account_is(server, issued, when, database, ...): is every id accounted for?
sub account_is
{
	my ($node, $issued, $when, @databases) = @_;
	return is(unaccounted($node, $issued, @databases), 0, "$when: taken = issued + cached + lost");
}

1;
