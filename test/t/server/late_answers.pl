# While a server is being asked, the row on the node may come to lead to another
# one without the session that did it, or an event, telling so: by COMMIT
# PREPARED, or since a server that goes first was created. What the former one
# answers then is not for those who have seen that.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{
max_prepared_transactions = 10
deadlock_timeout = '100s'
idgen.worker_timeout = '100s'
});
my $options = server_options($centre);

$node->safe_psql('postgres', q{ALTER SERVER central RENAME TO idgen_default});
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('late', 5001, 20)});

# Two sessions ask one after the other; in between, the former server is left
# for one whose ids begin at 5001. Answers what both get.
sub draw_meanwhile
{
	my ($name, $refill, @leave) = @_;

	$centre->safe_psql('postgres', qq{INSERT INTO id_sequences VALUES ('$name', 1, 20)});
	$node->safe_psql('postgres', qq{SELECT idgen_create('$name', source => 'server', refill => '$refill')});

	my $holder = $centre->background_psql('postgres');
	$holder->query_safe(qq{BEGIN; SELECT FROM id_sequences WHERE name = '$name' FOR UPDATE});
	$node->safe_psql('postgres', shift @leave) if @leave > 1;
	my $first = start_statement($node, "SELECT idgen_next('$name')");
	wait_for_waiters($centre, 1, 'id_sequences');

	$node->safe_psql('postgres', shift @leave);
	my $second = start_statement($node, "SELECT idgen_next('$name')");
	wait_for_waiters($node, $refill eq 'worker' ? (2, '^SELECT idgen_next', 'Extension') : (1, '^SELECT idgen_next', 'Lock'));
	$holder->query_safe('COMMIT');

	my @ids = map { $_->query_safe('') } ($first, $second);
	$_->quit for ($holder, $first, $second);
	return @ids;
}

sub create_server
{
	my ($name) = @_;
	return qq{
		BEGIN;
		CREATE SERVER $name FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options, remote_name 'late');
		CREATE USER MAPPING FOR CURRENT_USER SERVER $name;
		COMMIT};
}

sub prepare
{
	my ($name) = @_;
	return (
		qq{BEGIN; UPDATE id_sequences SET source_name = 'other' WHERE name = '$name'; PREPARE TRANSACTION '$name'},
		qq{COMMIT PREPARED '$name'});
}

$node->safe_psql('postgres', create_server('other'));
for my $refill ('transaction', 'worker')
{
	my $letter = substr($refill, 0, 1);

	for my $way ('created', 'prepared')
	{
		my $name = "${way}_$letter";
		my ($first, $second) = draw_meanwhile($name, $refill, $way eq 'created' ? create_server($name) : prepare($name));

		# A session that has asked before may have the id that it has asked for.
		cmp_ok($first, '>', $refill eq 'worker' ? 5000 : 0, "$refill, $way: who has asked before");
		cmp_ok($second, '>', 5000, 'who asks after that');
		is($node->safe_psql('postgres', "SELECT count(*) FROM generate_series(1, 50) WHERE idgen_next('$name') <= 5000"),
			'0', 'nor comes anything of the former server later');
	}
}

$node->stop;
$centre->stop;
done_testing();
