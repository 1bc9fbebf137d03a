# A connection to the central server that is cut, at whatever point of an
# allocation, costs a block at most: the call that meets it fails with a
# connection error or has an id all the same, the next one has one, and no id
# is issued twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Proxy;
use Test::More;

my $centre = central_server('centre');
my $proxy = Proxy->new($centre);
my ($node) = idgen_nodes(1, centres => [$proxy]);
my $draw = q{SELECT idgen_next('x')};
my (@ids, $faults);

# Every id is a block, so that every call is a refill.
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 1)});
create_remote('x', '', $node);

# Something happens to the connection at the n-th statement from now on: it gets
# there or not, and some of the answer comes back.
sub arm
{
	my ($n, $upto) = @_;
	return $upto eq 'before' ? $proxy->cut_before($n) : $proxy->lose_answer($n, $upto);
}

# Does what somebody saw consist of one id for each call, where the first one
# may have failed?
sub is_fine
{
	my ($out, $err, $calls) = @_;
	my @got = split /\n/, $out;
	my @errors = $err =~ /ERROR:  (.*)/g;

	push @ids, @got;
	return
	     @got + @errors == $calls
	  && @errors <= 1
	  && !grep { !/^(08006: connection to server "central" was lost|08001: could not connect to server "central")$/ } @errors;
}

# A new connection, cut at every point
my @ways = ('before', '', 'T', 'D', 'C');
for my $upto (@ways)
{
	my ($n, @bad) = (1);

	for (;; $n++)
	{
		arm($n, $upto);
		my ($ret, $out, $err) = $node->psql('postgres', "$draw;\n$draw;\n",
			on_error_stop => 0, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
		push @bad, "$n: $out $err" if !is_fine($out, $err, 2);
		last if $proxy->disarm;
	}
	is(join("\n", @bad), '', "cut at any point of the first refill, \"$upto\"");
	cmp_ok($n, '>', 2, 'of which there are some');
	$faults += $n - 1;
}

# One that is kept
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY verbose');

sub draw_twice
{
	my $out = $session->query("$draw;\n$draw");
	my $fine = is_fine($out, $session->{stderr}, 2);

	note $session->{stderr};
	$session->{stderr} = '';
	return $fine;
}

for my $upto (@ways)
{
	push @ids, $session->query_safe($draw);
	arm(1, $upto);
	ok(draw_twice(), "cut in a later refill, \"$upto\"");
	is($proxy->disarm, '0', 'it was');
	$faults++;
}

# A connection that broke while it was idle is opened again within the call.
sub unnoticed
{
	my ($name) = @_;
	my $before = $proxy->accepted;

	push @ids, $session->query_safe($draw);
	is($proxy->accepted, $before + 1, "$name: a new connection");
	return;
}

push @ids, $session->query_safe($draw);
$proxy->cut;
unnoticed('idle connection cut');
$centre->safe_psql('postgres', q{
	SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
	WHERE application_name = 'idgen'});
unnoticed('idle connection terminated');
$centre->restart;
unnoticed('server restarted');

# In the middle of a transaction, which goes on
$session->query_safe('BEGIN');
push @ids, $session->query_safe($draw);
$proxy->cut;
unnoticed('in a transaction');
$proxy->cut_before(1);
push @ids, split /\n/, $session->query_safe(q{
	DO $$
	BEGIN
		PERFORM idgen_next('x');
	EXCEPTION WHEN connection_failure THEN
		NULL;
	END$$;
	SELECT idgen_next('x');
	COMMIT});
$faults++;

# The server is gone, and comes back.
$centre->stop;
$session->query_safe($_) for ('\set VERBOSITY sqlstate', q{SET idgen.server_timeout = '300ms'});
is(answer($session, $draw), '08001', 'no server');
is(answer($session, $draw), '08001', 'still none');
$session->query_safe('RESET idgen.server_timeout');
$centre->start;
push @ids, $session->query_safe($draw);
$session->quit;

my $last = $centre->safe_psql('postgres', 'SELECT next_block_start - 1 FROM id_sequences');
is(duplicates(@ids), '', 'no id was issued twice');
is(join(' ', sort { $a <=> $b } @ids), join(' ', @ids), 'they ascend');
cmp_ok($last - @ids, '<=', $faults, 'each cut cost a block at most');
cmp_ok($last - @ids, '>=', 0, 'and all of them were allocated');

$node->stop;
$centre->stop;
done_testing();
