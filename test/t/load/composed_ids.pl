# Composed ids as several hundred sessions draw them: each session has a number
# of its own in them, and that of session 234 is the documented example, digit
# for digit. Beyond 1000, numbers repeat, and ids still do not. A new
# idgen.node_id reaches sessions that are there already.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server(
	'composed', conf => q{
max_connections = 1050
idgen.max_sequences = 4000
idgen.node_id = 2
});
my $clients = 240;
my @layouts = ('prefixed', 'session', 'prefixed_reversed', 'session_reversed');

# Each client has id sequences of its own, so that all draw the same value.
$node->safe_psql(
	'postgres', qq{
	CREATE TABLE drawn (client int, layout text, id numeric);
	INSERT INTO id_sequences (name, next_block_start, layout)
		SELECT layout || ' ' || type || ' ' || client, 989780816, layout
		FROM unnest('{@{[join ',', @layouts]}}'::text[]) AS layout, unnest('{bigint,numeric}'::text[]) AS type,
			generate_series(0, $clients - 1) AS client});
$node->pgbench(
	"-n -c $clients -j 2 -t 1", 0,
	[qr{processed: $clients/$clients}], [qr/^$/],
	'all sessions draw',
	{
		'draw' => join ";\n", map {
			(
				"INSERT INTO drawn SELECT :client_id, '$_ bigint', idgen_next('$_ bigint ' || :client_id)",
				"INSERT INTO drawn SELECT :client_id, '$_ numeric', idgen_next_big('$_ numeric ' || :client_id)")
		} @layouts
	});

is( $node->safe_psql(
		'postgres', q{
		SELECT layout, id FROM drawn
		WHERE client = (SELECT client FROM drawn WHERE layout = 'session bigint' AND substr(id::text, 2, 3) = '234')
		ORDER BY layout COLLATE "C"}),
	join("\n",
		'prefixed bigint|2023400000989780816',
		'prefixed numeric|20234000000000000000000000000989780816',
		'prefixed_reversed bigint|2023461808798900000',
		'prefixed_reversed numeric|20234618087989000000000000000000000000',
		'session bigint|2234000000989780816',
		'session numeric|22340000000000000000000000000989780816',
		'session_reversed bigint|2234618087989000000',
		'session_reversed numeric|22346180879890000000000000000000000000'),
	'session 234');
is( $node->safe_psql(
		'postgres', q{
		SELECT DISTINCT count(DISTINCT substr(id::text, CASE WHEN layout ~ '^prefixed' THEN 3 ELSE 2 END, 3)), count(DISTINCT id)
		FROM drawn GROUP BY layout}),
	"$clients|$clients", 'no two sessions have the same number');
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*) FROM (SELECT client FROM drawn GROUP BY client
			HAVING count(DISTINCT substr(id::text, CASE WHEN layout ~ '^prefixed' THEN 3 ELSE 2 END, 3)) > 1) AS s}),
	'0', 'and each has one only');

# More sessions than numbers; pgbench needs a file descriptor for each.
SKIP:
{
	my $many = 1010;

	skip 'no more than 1000 sessions possible here', 2
	  if system('bash', '-c', 'ulimit -n 4096 2>/dev/null');
	$node->safe_psql('postgres', "TRUNCATE drawn; SELECT idgen_create('many', block_size => 10000, layout => 'prefixed')");
	my $script = $node->basedir . '/many.sql';
	append_to_file($script, "INSERT INTO drawn SELECT :client_id, 'many', idgen_next('many');\n");
	command_ok(
		[ 'bash', '-c', 'ulimit -n 4096 && exec "$@"', 'bash', 'pgbench', '-n', '-c', $many, '-j', 2, '-t', 1, '-f', $script, $node->connstr('postgres') ],
		"$many sessions draw");
	is( $node->safe_psql(
			'postgres', q{
			SELECT count(DISTINCT substr(id::text, 3, 3)) <= 1000, count(DISTINCT id), bool_and(id::text ~ '^20[0-9]{17}$') FROM drawn}),
		"t|$many|t", 'their numbers repeat, ids do not');
}

# A session that is there already, and its prepared statement
$node->safe_psql('postgres', "SELECT idgen_create('reload', layout => 'session')");
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY sqlstate');
$session->query_safe("PREPARE draw AS SELECT idgen_next('reload')");
my @ids = answer($session, 'EXECUTE draw');

# Draw until the answer matches.
sub draw_until
{
	my ($pattern) = @_;
	my $deadline = time + $PostgreSQL::Test::Utils::timeout_default;

	while (time < $deadline)
	{
		my $answer = answer($session, 'EXECUTE draw');

		push @ids, $answer if length $answer > 5;
		return 1 if $answer =~ $pattern;
	}
	return 0;
}

foreach my $id (5, 8, 9, 0, 1)
{
	$node->append_conf('postgresql.conf', "idgen.node_id = $id");
	$node->reload;
	ok(draw_until($id =~ /[90]/ ? qr/^22003$/ : qr/^$id/), "node $id");
}
is(join(' ', map { $_ % 10**15 } @ids), join(' ', 1 .. @ids), 'no id was lost by that');
$session->quit;

$node->stop;
done_testing();
