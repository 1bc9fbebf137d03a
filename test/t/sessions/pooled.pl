# What is cached of a native sequence belongs to the server: sessions that end,
# or that a pooler cleans with DISCARD ALL, do not take it along. Only of a
# temporary sequence is the cache the session's own.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('pooled');

$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE gen_seq INCREMENT BY 20;
	CREATE SEQUENCE native CACHE 20;
	CREATE SEQUENCE fun_seq INCREMENT BY 20;
	CREATE FUNCTION allocate(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint)
	BEGIN ATOMIC
		SELECT n, n + 19 FROM (SELECT nextval('fun_seq') FROM generate_series(1, blocks)) AS s(n);
	END;
	SELECT idgen_create('fun', source => 'function', source_name => 'allocate')});

my $draw = q{idgen_next('gen', 'sequence'), idgen_next('fun')};

# Sessions of one statement each
is( join(' ', map { $node->safe_psql('postgres', "SELECT $draw, nextval('native')") } 1 .. 4),
	'1|1|1 2|2|21 3|3|41 4|4|61', 'sessions that end');

# One that is cleaned after each, as by a pooler, and one that is not
my $pooled = $node->background_psql('postgres');
my $other = $node->background_psql('postgres');
my @answers;
foreach my $round (1 .. 3)
{
	push @answers, $pooled->query_safe("SELECT $draw, nextval('native')");
	$pooled->query_safe('DISCARD ALL');
	push @answers, $other->query_safe("SELECT $draw");
}
is(join(' ', @answers), '5|5|81 6|6 7|7|101 8|8 9|9|121 10|10', 'sessions that are cleaned');
is( $node->safe_psql('postgres', q{SELECT name, ids_issued, ids_cached, refills FROM idgen_stats ORDER BY name}),
	"fun|10|10|1\ngen|10|10|1", 'one refill was enough');

# A client whose settings lead to another sequence, and the next one
$node->safe_psql('postgres', 'CREATE SCHEMA tenant; CREATE SEQUENCE tenant.gen_seq START 1001 INCREMENT BY 20');
foreach my $round (1, 2)
{
	$pooled->query_safe('SET search_path = tenant, public');
	is($pooled->query_safe("SELECT $draw"), 1000 + $round . '|' . (9 + 2 * $round), "search_path $round");
	$pooled->query_safe('DISCARD ALL');
	is($pooled->query_safe("SELECT $draw"), 10 + $round . '|' . (10 + 2 * $round), "search_path $round: reset");
}
$node->safe_psql('postgres', 'DROP SCHEMA tenant CASCADE');

# DISCARD ALL drops temporary sequences, and their ids with them.
foreach my $round (1, 2)
{
	$pooled->query_safe('CREATE TEMPORARY SEQUENCE gen_seq INCREMENT BY 20; SET search_path = pg_temp, public');
	is($pooled->query_safe(q{SELECT idgen_next('gen', 'sequence') FROM generate_series(1, 2)}),
		"1\n2", "temporary sequence $round");
	is( $pooled->query_safe(q{SELECT cache, ids_cached FROM idgen_stats WHERE name = 'gen' ORDER BY cache}),
		sprintf("server|%d\nsession|18", 10 - 2 * $round), "temporary sequence $round: cached by the session");
	is( $other->query_safe(
			q{SELECT idgen_next('gen', 'sequence'), count(*) FROM idgen_stats WHERE name = 'gen'}),
		11 + 2 * $round . '|1', "temporary sequence $round: nothing to others");
	$pooled->query_safe('DISCARD ALL');
	is($pooled->query_safe(q{SELECT idgen_next('gen', 'sequence')}),
		12 + 2 * $round, "temporary sequence $round: discarded");
}

$_->quit for ($pooled, $other);
$node->stop;
done_testing();
