# A row at the central server that is deleted and inserted in one transaction is
# there at any time: a session that waits for it gets ids of the new one.
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
my $replacer = $centre->background_psql('postgres');

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 20), ('w', 1, 20)});
create_remote('x', '', $node);
create_remote('w', q{refill => 'worker'}, $node);

# What a session gets that asks before the other transaction ends
sub drawn_meanwhile
{
	my ($name, $sql) = @_;

	$replacer->query_safe("BEGIN; DELETE FROM id_sequences WHERE name = '$name'; $sql");
	my $session = start_statement($node, "SELECT idgen_next('$name')", '\set VERBOSITY sqlstate');
	wait_for_waiters($centre, 1, 'id_sequences');
	$replacer->query_safe('COMMIT');
	my $answer = answer($session, '');
	$session->quit;
	return $answer;
}

for my $name ('x', 'w')
{
	is(drawn_meanwhile($name, "INSERT INTO id_sequences VALUES ('$name', 1001, 1)"), '1001', "$name: replaced");
	$node->safe_psql('postgres', qq{
		DELETE FROM id_sequences WHERE name = '$name';
		SELECT idgen_create('$name', source => 'server', source_name => 'central', refill => CASE '$name' WHEN 'w' THEN 'worker' ELSE 'transaction' END)});
	is(drawn_meanwhile($name, ''), '42704', "$name: deleted");
}

$replacer->quit;
$node->stop;
$centre->stop;
done_testing();
