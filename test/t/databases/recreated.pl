# A database that is dropped takes its cached ids along: one created later with
# the same name, or even the same OIDs, begins with what its own rows say.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('recreated');

sub draw
{
	return $node->safe_psql('victim', "SELECT idgen_next('x')");
}

# The same name
foreach my $round (1, 2)
{
	$node->safe_psql('postgres', 'CREATE DATABASE victim');
	$node->safe_psql('victim', "CREATE EXTENSION idgen; SELECT idgen_create('x')");
	is(draw(), '1', "same name, database $round: first id");
	is(draw(), '2', "same name, database $round: second id");
	$node->safe_psql('postgres', 'DROP DATABASE victim');
}

# The same OID, of the table too, since all of them come from one template.
# There are several ways to the end of the one before.
$node->safe_psql('postgres', 'CREATE DATABASE original');
$node->safe_psql('original', "CREATE EXTENSION idgen; SELECT idgen_create('x')");

sub drop_idle
{
	$node->safe_psql('postgres', 'DROP DATABASE victim');
	return;
}

# DROP DATABASE throws out a session that has pending ids.
sub drop_force
{
	my $session = $node->background_psql('victim');

	$session->query_safe(q{BEGIN; SELECT idgen_restart('x', 5); SELECT idgen_next('x')});
	$node->safe_psql('postgres', 'DROP DATABASE victim WITH (FORCE)');
	$session->{run}->signal('TERM');
	$session->{run}->finish;
	return;
}

# DROP DATABASE waits a while for other sessions to leave. One of them goes on
# drawing until then.
sub drop_waits
{
	my $session = $node->background_psql('victim');
	my $drop = IPC::Run::start(
		[
			$node->installed_command('psql'), '-XAtq',
			'-d', $node->connstr('postgres') . ' application_name=drop',
			'-c', 'DROP DATABASE victim'
		],
		'2>', \my $stderr);

	$node->poll_query_until(
		'postgres', q{
		SELECT count(*) = 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
		WHERE application_name = 'drop' AND classid = 'pg_database'::regclass
			AND objid = 60000 AND mode = 'AccessExclusiveLock' AND granted})
	  or die 'DROP DATABASE has not begun';
	$session->query_safe(q{SELECT count(idgen_next('x')) FROM generate_series(1, 30)});
	$session->quit;
	$drop->finish;
	is($stderr, '', 'the database was dropped after the session had left');
	return;
}

my $oids;
foreach my $drop (\&drop_idle, \&drop_force, \&drop_waits, undef)
{
	$node->safe_psql('postgres', 'CREATE DATABASE victim TEMPLATE original OID = 60000');
	my $now = $node->safe_psql(
		'victim', q{
		SELECT oid, 'id_sequences'::regclass::oid FROM pg_database
		WHERE datname = current_database()});
	$oids //= $now;
	is($now, $oids, 'same OIDs');
	is($node->safe_psql('victim', 'SELECT count(*) FROM idgen_cache'),
		'0', 'same OIDs: nothing is cached');
	is(draw(), '1', 'same OIDs: first id');
	is(draw(), '2', 'same OIDs: second id');
	$drop->() if $drop;
}

# A drop that fails takes nothing along.
$node->safe_psql('postgres', 'ALTER DATABASE victim IS_TEMPLATE true');
is(sqlstate($node, 'DROP DATABASE victim'), '42809', 'a template is not dropped');
is(draw(), '3', 'the failed drop has left the ids alone');

$node->stop;
done_testing();
