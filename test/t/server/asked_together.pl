# The worker asks a centre for many id sequences in one statement. One that
# fails there, is missing, has no ids left, or is locked concerns none of the
# others; nor do odd names, or two that lead to the same row.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{idgen.worker_timeout = '100s'});
my @good = ((map { "x$_" } 1 .. 10), 'a"b', 'a\b', '{a,b}', 'NULL', ' a ', 'ä');
my %expected = ((map { ("y$_" => '1') } 1 .. 5), refused => 'UX001', late => 'UX002', missing => '42704', exhausted => '2200H');

# The statement fails for one row, the commit for another.
$centre->safe_psql('postgres', q{
	CREATE TABLE asked (transaction xid8 DEFAULT pg_current_xact_id(), name text);
	CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF NEW.name = 'refused' THEN RAISE 'no' USING ERRCODE = 'UX001'; END IF;
		INSERT INTO asked (name) VALUES (NEW.name);
		RETURN NEW;
	END$$;
	CREATE FUNCTION refuse_late() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN RAISE 'no' USING ERRCODE = 'UX002'; END$$;
	CREATE TRIGGER refuse BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION refuse();
	CREATE CONSTRAINT TRIGGER refuse_late AFTER UPDATE ON id_sequences DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW WHEN (NEW.name = 'late') EXECUTE FUNCTION refuse_late()});

sub quoted
{
	return "'" . ($_[0] =~ s/'/''/gr) . "'";
}

for my $name (@good, keys %expected, (map { "z$_" } 1 .. 5), map { ("first$_", "locked$_") } 1 .. 3)
{
	my $values = quoted($name) . ', 1, 20, ' . ($name eq 'exhausted' ? 1 : 0);

	$centre->safe_psql('postgres', "INSERT INTO id_sequences (name, next_block_start, block_size, exhausted) VALUES ($values)")
	  if $name ne 'missing';
	$node->safe_psql('postgres', sprintf(q{SELECT idgen_create(%s, source => 'server', source_name => 'central', refill => 'worker')}, quoted($name)));
}

# Draw from all of these at a time. While the first one waits for the table,
# the others come together. One row stays locked until all of them have answers.
sub draw
{
	my ($round, @names) = @_;
	my $lock = $centre->background_psql('postgres');

	$lock->query_safe(qq{BEGIN; SELECT FROM id_sequences WHERE name = 'locked$round' FOR UPDATE; SAVEPOINT s; LOCK TABLE id_sequences});
	my $first = start_statement($node, "SELECT idgen_next('first$round')");
	wait_for_waiters($centre, 1, 'id_sequences');
	my $locked = start_statement($node, "SELECT idgen_next('locked$round')");
	my @sessions = map { start_statement($node, 'SELECT idgen_next(' . quoted($_) . ')', '\set VERBOSITY sqlstate') } @names;
	wait_for_waiters($node, @names + 2, '^SELECT idgen_next', 'Extension');
	$lock->query_safe('ROLLBACK TO s');
	my %answers = map { $names[$_] => answer($sessions[$_], '') } 0 .. $#names;
	$lock->query_safe('COMMIT');
	$answers{$_->[0]} = $_->[1]->query_safe('') for ([ first => $first ], [ locked => $locked ]);
	$_->quit for ($lock, $first, $locked, @sessions);
	return \%answers;
}

my %others = (first => '1', locked => '1');
is_deeply(draw(1, @good), { %others, map { $_ => '1' } @good }, 'good ones');
is($centre->safe_psql('postgres', q{SELECT count(*) FROM asked GROUP BY transaction ORDER BY count DESC LIMIT 1}),
	scalar @good, 'in one transaction');

# With those that fail
is_deeply(draw(2, sort keys %expected), { %expected, %others }, 'each has its own answer');

# What has failed is asked for alone the next time.
is_deeply(draw(3, 'refused', map { "z$_" } 1 .. 5), { %others, refused => 'UX001', map { ("z$_" => '1') } 1 .. 5 }, 'again');
is($centre->safe_psql('postgres', q{SELECT count(*) FROM asked WHERE name LIKE 'z%' GROUP BY transaction ORDER BY count DESC LIMIT 1}),
	'5', 'the others in one transaction');

# Two that lead to the same row
my $options = server_options($centre);
$node->safe_psql('postgres', qq{
	CREATE SERVER same FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options, remote_name 'x1');
	CREATE USER MAPPING FOR CURRENT_USER SERVER same;
	SELECT idgen_create(name, source => 'server', source_name => 'same', refill => 'worker')
	FROM (VALUES ('same1'), ('same2'), ('same3'), ('first_same')) AS n (name)});
my $lock = $centre->background_psql('postgres');
$lock->query_safe('BEGIN; LOCK TABLE id_sequences');
my @sessions = start_statement($node, q{SELECT idgen_next('first_same')});
wait_for_waiters($centre, 1, 'id_sequences');
push @sessions, start_statement($node, "SELECT idgen_next('same$_')") for 1 .. 3;
wait_for_waiters($node, 4, '^SELECT idgen_next', 'Extension');
$lock->query_safe('COMMIT');
my @ids = map { $_->query_safe('') } @sessions;
is(scalar(grep { /^\d+$/ } @ids), 4, 'those that lead to one row have ids');
is(duplicates(@ids), '', 'of their own');
$_->quit for ($lock, @sessions);

$node->stop;
$centre->stop;
done_testing();
