# The centre crashes right after a node has got ids, and has synchronous_commit
# off, perhaps only since the node has connected: what it allocated for the node
# is on its disk all the same.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# So that a crash has something to lose, nobody writes the WAL in between.
my $centre = central_server('centre', conf => q{
wal_writer_delay = 10s
checkpoint_timeout = 1h
});
my ($node) = idgen_nodes(1, centres => [$centre], conf => 'idgen.max_prefetch_blocks = 1');
my $session = $node->background_psql('postgres');

$centre->safe_psql('postgres', q{
	INSERT INTO id_sequences VALUES ('own', 1, 1), ('worker', 1, 1);
	CREATE TABLE written (round int)});
create_remote('own', '', $node);
create_remote('worker', q{refill => 'worker'}, $node);

# More than the worker has got ahead
sub draw
{
	my ($name) = @_;
	return split /\n/, $session->query_safe("SELECT idgen_next('$name') FROM generate_series(1, 4)");
}

sub check
{
	my ($name, $when, @sql) = @_;
	my @ids = draw($name);
	my $kept;

	$centre->safe_psql('postgres', $_) foreach @sql;
	$centre->poll_query_until('postgres', q{SELECT current_setting('synchronous_commit') = 'off'})
	  or die 'synchronous_commit is not off';

	# Whatever was written before the refill is flushed with it; what was
	# written afterwards shows whether the crash lost anything.
	foreach my $round (1 .. 10)
	{
		push @ids, draw($name);
		$centre->safe_psql('postgres', "INSERT INTO written VALUES ($round)");
		$centre->stop('immediate');
		$centre->start;
		$kept = $centre->safe_psql('postgres', "SELECT count(*) FROM written WHERE round = $round");
		last if $kept == 0;
	}
	push @ids, draw($name);
	is($kept, '0', "$name, $when: a crash loses what it may lose");
	is(duplicates(@ids), '', "$name, $when: and no ids");
	$centre->safe_psql('postgres', 'TRUNCATE written');
	$centre->safe_psql('postgres', $_) foreach ('ALTER SYSTEM RESET synchronous_commit', 'SELECT pg_reload_conf()');
	return;
}

foreach my $name ('own', 'worker')
{
	check($name, 'changed meanwhile', 'ALTER SYSTEM SET synchronous_commit = off', 'SELECT pg_reload_conf()');
}
$centre->safe_psql('postgres', 'ALTER ROLE CURRENT_USER SET synchronous_commit = off');
check($_, 'set for the role') foreach ('own', 'worker');

$session->quit;
$_->stop foreach ($node, $centre);
done_testing();
