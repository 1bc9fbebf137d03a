# A copy of a node has its marks, as they were when the copy was made: it draws
# from the centre beside the original, and so does its standby once it is
# promoted. Both notice that the centre has gone back behind that. A copy of a
# database has no marks.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], init => [ allows_streaming => 1 ]);
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 10), ('new', 1, 10)});
create_remote($_, '', $node) foreach ('x', 'new');

sub refill
{
	my ($from, $name) = @_;
	return $from->safe_psql('postgres', "SELECT first_id FROM idgen_next_range('$name', 10)");
}

is(refill($node, 'x'), '1', 'ids');
my $standby = start_standby($node, 'standby');
is(sqlstate($standby, q{SELECT idgen_accept_centre('central')}), '25006', 'a standby accepts nothing');
$node->backup('copy');
my $copy = PostgreSQL::Test::Cluster->new('copy');
$copy->init_from_backup($node, 'copy');
$copy->start;
is($copy->safe_psql('postgres', q{SELECT name, last_id FROM idgen_centre_marks}), "new|\nx|10", 'a base backup has marks');
is(join(' ', refill($node, 'x'), refill($copy, 'x'), refill($node, 'x')), '11 21 31', 'copy and original draw beside each other');
is(refill($node, 'new'), '1', 'ids of another one');

$node->stop('immediate');
$standby->promote;
is($standby->safe_psql('postgres', q{SELECT last_id FROM idgen_centre_marks WHERE name = 'x'}), '10', 'a standby has those of its base backup');
is(join(' ', map { refill($_, 'x') } ($standby, $copy)), '41 51', 'it draws');
$centre->safe_psql('postgres', q{UPDATE id_sequences SET next_block_start = 1});
is(sqlstate($_, q{SELECT idgen_next('x')}), '55000', 'the centre has gone back: ' . $_->name) foreach ($standby, $copy);
is(refill($standby, 'new'), '1', 'of what the original has drawn since, a standby knows nothing');

# A copy of a database
$copy->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres'});
$copy->safe_psql('template1', q{CREATE DATABASE copied TEMPLATE postgres});
is($copy->safe_psql('copied', q{SELECT count(*), count(last_id) FROM idgen_centre_marks}), '2|0', 'a copy of a database has none');
is($copy->safe_psql('copied', q{SELECT idgen_next('x')}), '1', 'and notices nothing');

$_->stop foreach ($copy, $standby, $centre);
done_testing();
