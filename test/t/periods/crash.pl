# The server crashes while clients draw gapless numbers of many tenants for the
# first time in a year: a child is there with all its numbers, or not at all.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('crash', conf => "synchronous_commit = off\nmax_connections = 30\n");
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('bill/*', period => 'year', block_size => 1);
	CREATE TABLE bill (sequence text, number bigint, PRIMARY KEY (sequence, number))});

# Numbers with a hole, or that are not those that come next
my $holes = q{
SELECT b.sequence, count(*), max(number), next_block_start
	FROM bill b LEFT JOIN id_sequences s ON s.name = b.sequence
	GROUP BY b.sequence, next_block_start
	HAVING count(*) <> max(number) OR max(number) + 1 IS DISTINCT FROM next_block_start
		OR min(number) <> 1};
my $draw = q{
\set tenant random(1, 30)
\set year random(2001, 2020)
BEGIN;
INSERT INTO bill VALUES ('bill/' || :tenant || '/' || :year, idgen_next('bill/' || :tenant || '/' || :year));
INSERT INTO bill VALUES ('bill/' || :tenant || to_char(now() AT TIME ZONE 'UTC', '/YYYY'), idgen_next('bill/' || :tenant));
END;
};

foreach my $round (1 .. 3)
{
	my $before = $node->safe_psql('postgres', 'SELECT count(*) FROM bill');
	my @clients = map {
		start_pgbench($node, "draw$_", $_ % 3 == 0 ? $draw =~ s/END/ROLLBACK/r : $draw, qw(-n -c 2 -T 100))
	} 1 .. 4;
	$node->poll_query_until('postgres', "SELECT count(*) > $before + 300 FROM bill") or die 'no numbers';
	$node->stop('immediate');
	$_->{run}->finish for @clients;
	$node->start;
	is($node->safe_psql('postgres', $holes), '', "round $round: no number is missing");
	cmp_ok($node->safe_psql('postgres', 'SELECT count(DISTINCT sequence) FROM bill'),
		'>', 30, "round $round: there were many id sequences");
}
is( $node->safe_psql('postgres', q{
	SELECT count(*) FROM id_sequences WHERE name ~ '^bill/\d+/\d{4}$' AND (template <> regexp_replace(name, '/\d{4}$', '') OR period IS NOT NULL)}),
	'0', 'each child says what it was made from');
$node->stop;
done_testing();
