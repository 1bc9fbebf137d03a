# A node whose disk hangs cannot use what it gets from a centre. That holds up
# the refills that wait for the disk, and nothing else: what is cached is drawn,
# and views answer, of that id sequence, too. An operator who accepts another
# centre waits until it is known what becomes of them.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $library = build_library('hanging_disk');
plan skip_all => 'there is no compiler' unless defined $library;

my $switch = PostgreSQL::Test::Utils::tempdir() . '/switch';
my $centre = central_server('centre');
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 10), ('w', 1, 10), ('cached', 1, 1000)});
$ENV{LD_PRELOAD} = $library;
$ENV{HANGING_DISK_SWITCH} = $switch;
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{
fsync = on
checkpoint_timeout = 1h
autovacuum = off
idgen.prefetch_threshold = 0
idgen.worker_timeout = '100s'
});
delete $ENV{LD_PRELOAD};
create_remote($_, '', $node) foreach ('x', 'cached');
create_remote('w', q{refill => 'worker'}, $node);
$node->safe_psql('postgres', q{SELECT idgen_next(name) FROM id_sequences});
my @sessions = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 2;
my $viewer = $node->background_psql('postgres', on_error_stop => 0);
$viewer->query_safe(q{SET statement_timeout = '2s'});
$viewer->query_safe('\set VERBOSITY sqlstate');

# A test that fails must not leave it so.
END { unlink $switch if defined $switch }
write_file($switch, '');
for my $i (0, 1)
{
	my $name = ('x', 'w')[$i];

	begin_statement($sessions[$i], "SELECT max(idgen_next('$name')) FROM generate_series(1, 10)");
	$centre->poll_query_until('postgres', "SELECT next_block_start > 11 FROM id_sequences WHERE name = '$name'") or die 'the centre is not asked';
}

is(answer($viewer, q{SELECT idgen_next('cached')}), '2', 'what is cached');
is(answer($viewer, q{SELECT count(*) FROM idgen_centre_marks}), '3', 'the view of marks');
is(answer($viewer, q{SELECT count(*) FROM idgen_health WHERE name IS NOT NULL AND problem_kind IS NOT NULL}), '0', 'the view of problems');
is(answer($viewer, q{SELECT idgen_peek('cached')}), '3', 'idgen_peek');
is(answer($viewer, q{SELECT idgen_accept_centre('central')}), '57014', 'to accept waits, and can be cancelled');

unlink $switch or die;
is($sessions[0]->query(''), '11', 'who waits for the disk gets an id');
is($sessions[1]->query(''), '11', 'from the worker, too');
is($node->safe_psql('postgres', q{SELECT bool_and(last_id >= 20) FROM idgen_centre_marks}), 't', 'and it is remembered');
is(answer($viewer, q{SELECT idgen_accept_centre('central')}), '3', 'and can be accepted');

$_->quit foreach (@sessions, $viewer);
$_->stop foreach ($node, $centre);
done_testing();
