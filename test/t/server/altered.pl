# What is changed about a server or a user mapping is known to running sessions,
# and the worker, at their next refill; nothing that goes on is disturbed.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Two centres, by whose ids one can tell them apart
my @centres = map { central_server($_) } ('first', 'second');
my @nodes = idgen_nodes(1, centres => [ $centres[0] ], conf => q{idgen.max_prefetch_blocks = 1});
my $node = $nodes[0];
$centres[0]->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1000001, 1), ('w', 1000001, 1), ('b', 1000001, 10)});
$centres[1]->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 2000001, 1), ('w', 2000001, 1), ('b', 2000001, 10)});
create_remote('x', '', $node);
create_remote('b', '', $node);
create_remote('w', q{refill => 'worker'}, $node);

my $a = $node->background_psql('postgres', on_error_stop => 0);
my $b = $node->background_psql('postgres', on_error_stop => 0);
$_->query_safe('\set VERBOSITY sqlstate') for ($a, $b);

# Of which centre an id is; or the error
sub centre_of
{
	my ($answer) = @_;
	return $answer =~ /^1\d{6}$/ ? 'first' : $answer =~ /^2\d{6}$/ ? 'second' : $answer;
}

# What both sessions get, without the worker and with it. What that has refilled
# ahead comes first.
sub answers
{
	my @answers;

	for my $sequence ('x', 'w')
	{
		for my $session ($a, $b)
		{
			answer($session, q{SELECT idgen_next('w')}) if $sequence eq 'w';
			my $answer = answer($session, "SELECT idgen_next('$sequence')");
			push @answers, centre_of($answer);
		}
	}
	return join(' ', @answers);
}

sub by_others
{
	my ($sql) = @_;
	$node->safe_psql('postgres', $sql);
	return;
}

# Lead the server to another centre, with ids of its own.
sub lead_to
{
	my ($centre) = @_;

	by_others(sprintf(q{
		ALTER SERVER central OPTIONS (SET host '%s', SET port '%s');
		SELECT idgen_accept_centre('central')}, $centre->host, $centre->port));
	return;
}

sub all_are
{
	my ($expected, $name) = @_;

	is(answers(), join(' ', ($expected) x 4), $name);
	return;
}

my ($host1, $port1) = ($centres[0]->host, $centres[0]->port);

all_are('first', 'to begin with');
lead_to($centres[1]);
all_are('second', 'ALTER SERVER');
by_others("BEGIN; ALTER SERVER central OPTIONS (SET host '$host1', SET port '$port1'); ROLLBACK");
all_are('second', 'rolled back');

# In a transaction, which goes on
$a->query_safe(q{BEGIN; SELECT idgen_next('x')});
lead_to($centres[0]);
is(centre_of(answer($a, q{SELECT idgen_next('x')})), 'first', 'in the middle of a transaction');
$a->query_safe('COMMIT');

# What was cached before stays.
is(centre_of(answer($a, q{SELECT idgen_next('b')})), 'first', 'a block of the first one');
lead_to($centres[1]);
is(centre_of(answer($_, q{SELECT idgen_next('b')})), 'first', 'is used up') for ($a, $b);
is(centre_of(answer($a, q{SELECT max(idgen_next('b')) FROM generate_series(1, 10)})), 'second', 'before one of the second');

# Users
by_others(q{ALTER USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (ADD user 'nobody')});
all_are('08001', 'ALTER USER MAPPING');
by_others(q{ALTER USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (DROP user)});
all_are('second', 'and back');
by_others(q{DROP USER MAPPING FOR CURRENT_USER SERVER central});
all_are('42704', 'DROP USER MAPPING');
by_others(q{CREATE USER MAPPING FOR PUBLIC SERVER central});
all_are('second', 'CREATE USER MAPPING');

# Another server of that name
my $options = server_options($centres[0]);
by_others(q{DROP SERVER central CASCADE});
all_are('42704', 'DROP SERVER');
by_others(qq{
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options);
	CREATE USER MAPPING FOR PUBLIC SERVER central});
all_are('first', 'CREATE SERVER');
by_others(q{ALTER SERVER central RENAME TO other});
all_are('42704', 'RENAME');
by_others(q{UPDATE id_sequences SET source_name = 'other' WHERE name <> 'b'});
all_are('first', 'another source_name');

# Connections that are not needed any more are closed.
$centres[1]->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'idgen'})
  or die 'somebody is connected to what is not used any more';

$_->quit for ($a, $b);
$_->stop for ($node, @centres);
done_testing();
