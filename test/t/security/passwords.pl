# Who may connect to the central server, and as whom: the owner of id_sequences,
# whichever role draws. If that owner is not a superuser, it takes a password,
# which the server has asked for. Passwords are shown nowhere.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre', conf => q{listen_addresses = '127.0.0.1'});
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{
log_min_messages = debug1
idgen.worker_timeout = '100s'
idgen.max_prefetch_blocks = 1
});

# Roles at the centre: "app" and "other" are asked for their passwords, all
# others are not.
$centre->safe_psql('postgres', q{
	INSERT INTO id_sequences VALUES ('x', 1, 1), ('w', 1, 1);
	SET password_encryption = 'scram-sha-256';
	CREATE ROLE app LOGIN PASSWORD 'Opensesame1';
	CREATE ROLE other LOGIN PASSWORD 'Opensesame2';
	CREATE ROLE trusted LOGIN PASSWORD 'Opensesame3';
	GRANT SELECT, UPDATE ON id_sequences TO app, other, trusted});
unlink($centre->data_dir . '/pg_hba.conf');
$centre->append_conf('pg_hba.conf', "host all app,other,nobody all scram-sha-256\nhost all all all trust\nlocal all all trust\n");
$centre->reload;
$node->safe_psql('postgres', q{ALTER SERVER central OPTIONS (SET host '127.0.0.1')});

create_remote('x', '', $node);
create_remote('w', q{refill => 'worker'}, $node);
$node->safe_psql('postgres', q{
	CREATE ROLE alice LOGIN;
	CREATE ROLE bob LOGIN;
	GRANT USAGE ON FOREIGN SERVER central TO PUBLIC;
	ALTER TABLE id_sequences OWNER TO alice});

my $draw = q{SELECT idgen_next('x')};
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
my $as_alice = $node->connstr('postgres') . ' user=alice';

# The mapping of somebody, and what a draw by alice, the owner of the table,
# then ends with, in a new session
sub map_user
{
	my ($user, $options) = @_;

	$node->safe_psql('postgres', qq{
		DROP USER MAPPING IF EXISTS FOR $user SERVER central;
		CREATE USER MAPPING FOR $user SERVER central OPTIONS ($options)});
	return;
}

sub drawn_by_alice
{
	my ($options) = @_;

	map_user('alice', $options);
	return sqlstate($node, $draw, $as_alice);
}

# What a password must be
is(sqlstate($node, $draw, $as_alice), '42704', 'no mapping');
is(drawn_by_alice(q{user 'app'}), '2F003', 'no password');
is(drawn_by_alice(q{user 'app', password ''}), '2F003', 'an empty password');
is(drawn_by_alice(q{user 'app', password 'Opensesame9'}), '08001', 'a wrong password');
is(drawn_by_alice(q{user 'nobody', password 'Opensesame9'}), '08001', 'no such user');
is(drawn_by_alice(q{user 'app', password 'Opensesame1'}), '', 'the right password');
is(drawn_by_alice(q{user 'trusted', password 'Opensesame3'}), '2F003', 'a server that does not ask for it');
is(drawn_by_alice(q{user 'trusted', password_required 'true'}), '2F003', 'password_required true');
is(drawn_by_alice(q{user 'trusted', password_required 'false'}), '', 'password_required false');
is(drawn_by_alice(q{user 'app', password_required 'false'}), '08001', 'password_required false, but the server asks');

# Only a superuser may say that none is required.
is(drawn_by_alice(q{user 'trusted', password 'Opensesame3'}), '2F003', 'not allowed by anybody');
is(sqlstate($node, q{ALTER USER MAPPING FOR alice SERVER central OPTIONS (ADD password_required 'false')}, $as_alice),
	'42501', 'the user himself cannot allow it');

# A password that the node's own environment has is not the user's.
$node->stop;
{
	local $ENV{PGPASSWORD} = 'Opensesame1';
	local $ENV{PGUSER} = 'app';
	$node->start;
}
is(drawn_by_alice(q{user 'app'}), '2F003', 'the password of the environment');
is(drawn_by_alice(q{user 'app', password ''}), '2F003', 'the same');
$node->restart;

# As whom is a session connected?
sub own_table
{
	my ($user) = @_;
	$node->safe_psql('postgres', "ALTER TABLE id_sequences OWNER TO $user");
	return;
}

sub connected_as
{
	return $centre->safe_psql('postgres', q{
		SELECT string_agg(DISTINCT usename, ' ' ORDER BY usename) FROM pg_stat_activity
		WHERE application_name = 'idgen'});
}

own_table($superuser);
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY sqlstate');

sub draws
{
	my ($name) = @_;
	like($session->query_safe($draw), qr/^\d+$/, $name);
	return;
}

draws('a superuser without a password');
is(connected_as(), $superuser, 'is connected as the operating system has it');
$session->query_safe('SET ROLE bob');
draws('another role');
map_user('bob', q{user 'other', password 'Opensesame2'});
draws('the same, with a mapping of its own');
is(connected_as(), $superuser, 'is connected as the owner of the table');
own_table('bob');
draws('the owner');
is(connected_as(), 'other', 'is connected by its own mapping, and no more by the other one');

# One mapping for all
$session->query_safe('RESET ROLE');
$node->safe_psql('postgres', "DROP USER MAPPING FOR bob SERVER central; DROP USER MAPPING FOR $superuser SERVER central");
map_user('PUBLIC', q{user 'trusted'});
is(answer($session, $draw), '2F003', 'an owner who uses the mapping of all, without a password');
own_table($superuser);
draws('an owner who is a superuser');
is(connected_as(), 'trusted', 'is connected as that says');

# On a server whose owner is not a superuser nobody goes without a password.
draws('a superuser without a password');
$node->safe_psql('postgres', q{
	GRANT USAGE ON FOREIGN DATA WRAPPER idgen_fdw TO alice;
	ALTER SERVER central OWNER TO alice});
is(answer($session, $draw), '2F003', 'a server of somebody else');
map_user('PUBLIC', q{user 'trusted', password 'Opensesame3'});
is(answer($session, $draw), '2F003', 'that does not ask for it');
map_user('PUBLIC', q{user 'other', password 'Opensesame2'});
draws('with a password');
$node->safe_psql('postgres', 'ALTER SERVER central OWNER TO CURRENT_USER');
map_user('PUBLIC', q{user 'trusted'});
draws('a server of a superuser again');
$session->quit;

$node->safe_psql('postgres', 'DROP USER MAPPING FOR PUBLIC SERVER central');
map_user($superuser, q{user 'trusted'});

# The worker connects as the owner of the table, to whom the same rules apply.
is(sqlstate($node, q{SELECT idgen_next('w')}, $as_alice), '', 'the worker, for a superuser');
own_table('bob');
is(sqlstate($node, q{SELECT idgen_next('w')}), '42704', 'the owner has no mapping');
map_user('bob', q{user 'trusted'});
is(sqlstate($node, q{SELECT idgen_next('w')}), '2F003', 'nor a password');
map_user('bob', q{user 'trusted', password 'Opensesame3'});
is(sqlstate($node, q{SELECT idgen_next('w')}), '2F003', 'nor is he asked for it');
map_user('bob', q{user 'app', password 'Opensesame8'});
is(sqlstate($node, q{SELECT idgen_next('w')}), '08001', 'a wrong password');
map_user('bob', q{user 'app', password 'Opensesame1'});
is(sqlstate($node, q{SELECT idgen_next('w')}), '', 'the right password');

# Nothing tells a password.
own_table('alice');
map_user('alice', q{user 'app', password 'Opensesame9'});
my ($ret, $stdout, $stderr) = $node->psql('postgres', $draw, connstr => $as_alice,
	extra_params => [ '-v', 'VERBOSITY=verbose' ]);
like($stderr, qr/08001.*could not connect to server "central".*password authentication failed/s, 'what is wrong is said');
unlike($stderr, qr/Opensesame/, 'without the password');
unlike(
	$node->safe_psql('postgres', q{
		SELECT s::text FROM idgen_stats s UNION ALL SELECT c::text FROM idgen_cache c
		UNION ALL SELECT a::text FROM pg_stat_activity a WHERE pid <> pg_backend_pid()}),
	qr/Opensesame/, 'nor do views');
$node->stop;
$centre->stop;
unlike(slurp_file($_->logfile), qr/Opensesame/, 'nor does the log of ' . $_->name) for ($node, $centre);

done_testing();
