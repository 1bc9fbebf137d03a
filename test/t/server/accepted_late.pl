# An operator accepts another centre, or an id sequence that begins anew. What
# the former one has given before is not used, however late its answer comes,
# and does not count as received: ids go on where the new one says.
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
my $other = central_server('other', init => [ force_initdb => 1 ]);
my $proxy = Proxy->new($centre);
my ($node) = idgen_nodes(1, centres => [$proxy], conf => q{
deadlock_timeout = '100s'
idgen.worker_timeout = '100s'
idgen.prefetch_threshold = 0
});

run_sql($centre, q{INSERT INTO id_sequences VALUES ('known', 1001, 10), ('new', 1001, 10), ('known_w', 1001, 10), ('new_w', 1001, 10), ('one', 1001, 10)});
run_sql($other, q{INSERT INTO id_sequences VALUES ('known', 1, 10), ('new', 1, 10), ('known_w', 1, 10), ('new_w', 1, 10)});
create_remote($_, '', $node) foreach ('known', 'new', 'one');
create_remote($_, q{refill => 'worker'}, $node) foreach ('known_w', 'new_w');

sub lead_to
{
	my ($where) = @_;

	run_sql($node, sprintf("ALTER SERVER central OPTIONS (%s)", server_options($where) =~ s/(\w+ ')/SET $1/gr));
	return;
}

# Draw from the centre, and do something while its answer is held up. Answers
# what is drawn, and what comes then.
sub draw_meanwhile
{
	my ($name, $do) = @_;
	my $holder = $centre->background_psql('postgres');

	$holder->query_safe("BEGIN; SELECT FROM id_sequences WHERE name = '$name' FOR UPDATE");
	my $session = start_statement($node, "SELECT idgen_next('$name')", '\set VERBOSITY sqlstate');
	wait_for_waiters($centre, 1, 'id_sequences');
	my $before = run_sql($centre, "SELECT next_block_start FROM id_sequences WHERE name = '$name'");
	$proxy->hold;
	$holder->query_safe('COMMIT');
	$centre->poll_query_until('postgres', "SELECT next_block_start > $before FROM id_sequences WHERE name = '$name'") or die 'the centre has not allocated';
	$do->();
	$proxy->pass;
	my $id = answer($session, '');
	$_->quit foreach ($session, $holder);
	return "$id " . run_sql($node, "SELECT max(idgen_next('$name')) FROM generate_series(1, 50)");
}

is(run_sql($node, "SELECT max(idgen_next('$_')) FROM generate_series(1, 10)"), '1010', "$_: ids") foreach ('known', 'known_w', 'one');
for my $name ('known', 'new', 'known_w', 'new_w')
{
	lead_to($proxy);
	run_sql($node, q{SELECT idgen_accept_centre('central')});
	is( draw_meanwhile(
			$name, sub { lead_to($other); run_sql($node, q{SELECT idgen_accept_centre('central')}) }),
		'1 51', "$name: what comes from the former centre is not used");
	is(run_sql($node, "SELECT last_id BETWEEN 51 AND 200 FROM idgen_centre_marks WHERE name = '$name'"), 't', 'nor remembered');
}

# The same centre, where one id sequence begins anew
lead_to($proxy);
run_sql($node, q{SELECT idgen_accept_centre('central')});
is( draw_meanwhile(
		'one', sub {
			run_sql($node, q{SELECT idgen_accept_centre('central', 'one')});
			run_sql($centre, q{UPDATE id_sequences SET next_block_start = 1 WHERE name = 'one'});
		}),
	'1 51', 'what comes from before an id sequence was accepted is not used, either');

$_->stop foreach ($node, $centre, $other);
done_testing();
