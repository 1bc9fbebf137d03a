# Ranges and composed ids without the library preloaded: each session has blocks
# of its own, so its ranges join only those.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('session_cache', preload => 0, conf => 'idgen.node_id = 2');

$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE native_seq INCREMENT BY 20;
	SELECT idgen_create('x'), idgen_create('alone'), idgen_create('gapless', block_size => 1),
		idgen_create('session', layout => 'session'), idgen_create('wide', next_block_start => 99999999999999, layout => 'prefixed'),
		idgen_create('worker', refill => 'worker')});
my $a = $node->background_psql('postgres', on_error_stop => 0);
my $b = $node->background_psql('postgres', on_error_stop => 0);
$_->query_safe('\set VERBOSITY sqlstate') for ($a, $b);

sub range
{
	my ($session, $name, $n, $source) = @_;
	return answer($session, "SELECT first_id || '-' || last_id FROM idgen_next_range('$name', $n" . ($source ? ", '$source'" : '') . ')');
}

is(join(' ', map { range($a, 'alone', 7) } 1 .. 6), '1-7 8-14 15-21 22-28 29-35 36-42', 'leftovers are joined');
is($a->query_safe("SELECT ids_lost, ids_cached FROM idgen_stats WHERE name = 'alone'"), '0|18', 'none is lost');

is(join(' ', map { range($_, 'x', 7) } $a, $b, $a, $b), '1-7 21-27 8-14 28-34', 'each session has blocks of its own');
is(range($a, 'x', 7), '41-47', 'what others have allocated is not joined');
is(range($a, 'x', 30), '48-77', 'what follows is');
is($a->query_safe("SELECT first_id, last_id FROM idgen_cache WHERE name = 'x' ORDER BY first_id"),
	"15|20\n78|80", 'the rest is kept');
is(range($a, 'x', 6), '15-20', 'and used');
is(range($b, 'x', 100), '81-180', 'a range larger than a block');

$a->query_safe("BEGIN; SELECT * FROM idgen_next_range('x', 50)");
$a->query_safe('ROLLBACK');
is(range($b, 'x', 50), '181-230', 'a range of a transaction that was rolled back is issued a second time');

is(join(' ', map { range($_, 'gapless', 7) } $a, $b, $a), '1-7 8-14 15-21', 'gapless ranges');
is(join(' ', map { range($_, 'native', 7, 'sequence') } $a, $b, $a, $b, $a),
	'1-7 21-27 8-14 28-34 41-47', 'a native sequence');

# Composed
my ($session_a, $session_b) =
  map { $_->query_safe("SELECT session FROM idgen_parts(idgen_next('session'), 'session')") } $a, $b;
isnt($session_a, $session_b, 'the sessions have different numbers');
is( $a->query_safe("SELECT idgen_next('session'), idgen_last('session'), idgen_peek('session')"),
	join('|', map { sprintf('2%03d%015d', $session_a, $_) } 2, 2, 3),
	'composed ids');
is(range($b, 'session', 3), join('-', map { sprintf('2%03d%015d', $session_b, $_) } 22, 24), 'a range of them');
$a->query_safe("SELECT idgen_next('wide')");
is(answer($a, "SELECT idgen_next('wide')"), '2200H', 'too wide');
is($a->query_safe("SELECT sequence_value FROM idgen_parts(idgen_next_big('wide'), 'prefixed')"),
	'100000000000000', 'and then drawn as numeric');

# The layout is changed by another session, which drops what is cached, as any
# change.
$b->query_safe("UPDATE id_sequences SET layout = 'plain' WHERE name = 'session'");
is(answer($a, "SELECT idgen_next('session')"), '41', 'another layout');

is(range($a, 'worker', 30), '55000', 'no range from a worker');

$_->quit for ($a, $b);
$node->stop;
done_testing();
