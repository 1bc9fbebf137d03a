# The first draw of a session costs about what a first nextval does, as long as
# ids are cached: it does not open id_sequences. That takes the server more than
# a hundred pages of its catalogs.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Autovacuum may have a session read more of the catalogs at any time.
my $node = idgen_server('server', conf => "autovacuum = off\n");

$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE native;
	SELECT idgen_create('drawn', block_size => 1000), idgen_create('other', block_size => 1000);
	SELECT idgen_create('worker', block_size => 1000, refill => 'auto');
	CREATE ROLE ordinary LOGIN});

# Buffers that each of these calls takes, planned and executed in one session,
# which is a new one
sub buffers
{
	my ($user, @calls) = @_;
	my $plans = $node->safe_psql('postgres',
		join('', map { "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT $_;\n" } @calls),
		connstr => $node->connstr('postgres') . " user=$user");
	my @numbers;

	foreach my $plan (split(/^\]\n?/m, $plans))
	{
		my $sum = 0;

		$sum += $_ foreach $plan =~ /"Shared (?:Hit|Read) Blocks": (\d+)/g;
		push @numbers, $sum;
	}
	is(scalar(@numbers), scalar(@calls), 'each is measured');
	return @numbers;
}

my $user = $node->safe_psql('postgres', 'SELECT current_user');
my @calls = map { "idgen_next('$_')" } qw(drawn other worker);

# The first session that draws at all looks at the rows, and leaves ids.
cmp_ok((buffers($user, @calls))[0], '>', 60, 'the first draw of all looks at the row');

foreach my $role ($user, 'ordinary')
{
	my @idgen = buffers($role, @calls);
	my @native = $role eq $user ? buffers($role, "nextval('native')") : ();

	note("$role: @idgen; nextval: @native");
	cmp_ok($idgen[0], '<=', 60, "$role: the first draw of a session");
	cmp_ok($idgen[$_], '<=', 10, "$role: of another id sequence") foreach 1, 2;
}

$node->stop;
done_testing();
