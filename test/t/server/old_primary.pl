# The centre fails over to a standby, and then the old primary comes back, as
# with a cluster manager that was hung: it knows nothing of the new timeline. A
# node that has received anything on that does not use what the old primary
# gives, of whatever id sequence, also after a crash of the node.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $old = central_server('old', init => [ allows_streaming => 1 ]);
$old->safe_psql('postgres', q{
	INSERT INTO id_sequences VALUES ('x', 1, 10), ('worker', 1, 10), ('before', 1, 10), ('never', 1, 10), ('late', 1, 10)});
my $new = start_standby($old, 'new');
make_synchronous($old, $new);
my ($node) = idgen_nodes(1, centres => [ $old, $new ], conf => q{idgen.worker_timeout = '100s'});
create_remote($_, '', $node) foreach ('x', 'before', 'never', 'late');
create_remote('worker', q{refill => 'worker'}, $node);

sub draw
{
	my ($name) = @_;
	return $node->safe_psql('postgres', "SELECT max(idgen_next('$name')) FROM generate_series(1, 10)");
}

sub refused
{
	my ($name) = @_;
	my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT idgen_next('$name')");
	return $err;
}

is(join(' ', map { draw($_) } ('x', 'worker', 'before')), '10 10 10', 'ids of the old primary');

# The old primary stands still, and its standby takes over.
$old->stop('immediate');
$new->promote;
is(join(' ', map { draw($_) } ('x', 'worker', 'late')), '20 20 10', 'of the new one');
my ($old_timeline, $new_timeline) = (1, 2);
is($node->safe_psql('postgres', q{SELECT DISTINCT timeline FROM idgen_centre_marks}), $new_timeline, 'whose timeline is known at once');

# The old primary comes back, and the new one goes.
$new->stop;
$old->start;
$old->safe_psql('postgres', 'ALTER SYSTEM RESET synchronous_standby_names');
$old->reload;
$old->poll_query_until('postgres', q{SELECT current_setting('synchronous_standby_names') = ''});
$old->safe_psql('postgres', q{UPDATE id_sequences SET next_block_start = 1001 WHERE name = 'worker'});

sub all_are_refused
{
	my ($when) = @_;

	for my $name ('x', 'worker', 'before', 'never', 'late')
	{
		# What is cached is used up.
		$node->psql('postgres', "SELECT idgen_next('$name') FROM generate_series(1, 1000)");
		like(refused($name), qr/ERROR:  55000: server "central" has gone back with id sequence "$name"
DETAIL:  It is on timeline $old_timeline, and was on timeline $new_timeline before\.
HINT:  If it is the right server, .* call (?:public\.)?idgen_accept_centre\('central'\)\./, "$when: $name");
		like($node->safe_psql('postgres', "SELECT problem_kind, problem FROM idgen_health WHERE name = '$name'"),
			qr/^went_back\|Server central has gone back, .* It is on timeline 1, and was on timeline 2 before\./, 'idgen_health');
	}
	return;
}

all_are_refused('at once');
kill_server($node);
$node->start;
all_are_refused('after kill -9');

# The operator wants to go on with the old one.
$old->safe_psql('postgres', q{UPDATE id_sequences SET next_block_start = 5001});
like(refused('x'), qr/It is on timeline 1, and was on timeline 2 before/, 'to raise the rows does not suffice');
is($node->safe_psql('postgres', q{SELECT idgen_accept_centre('central')}), '4', 'the node is told');
is(join(' ', map { draw($_) } ('x', 'worker', 'before', 'never', 'late')), '5010 5010 5010 5010 5010', 'and goes on');

$_->stop foreach ($node, $old);
done_testing();
