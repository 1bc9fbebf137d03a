# A role, or a database, has a channel of its own: every session of it takes
# that, also behind a pooler, which refuses "options"; with the library
# preloaded or not.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use Pooler;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

foreach my $preload (1, 0)
{
	my $name = $preload ? 'preloaded' : 'not_preloaded';
	my $node = idgen_server($name, preload => $preload, conf => 'idgen.node_id = 2');

	$node->safe_psql(
		'postgres', q{
		CREATE ROLE app3 LOGIN;
		CREATE ROLE app4 LOGIN;
		CREATE ROLE app5 LOGIN;
		SELECT idgen_create('x', layout => 'prefixed');
		ALTER ROLE app3 SET idgen.channel = 3;
		ALTER DATABASE postgres SET idgen.channel = 7});

	# The channel of an id that the role draws
	my $channel = sub {
		my ($role, $connstr) = @_;
		return $node->safe_psql('postgres', q{SELECT channel FROM idgen_parts(idgen_next('x'), 'prefixed')},
			connstr => $connstr // $node->connstr('postgres') . " user=$role");
	};
	# What comes of a statement of the role
	my $alter = sub {
		my ($role, $sql) = @_;
		return sqlstate($node, $sql, $node->connstr('postgres') . " user=$role");
	};

	is($channel->('app3'), 3, "$name: of the role");
	is($channel->('app4'), 7, "$name: of the database");

	# A role may set its own, where the session knows the setting.
	is($alter->('app4', 'ALTER ROLE app4 SET idgen.channel = 4'), $preload ? '' : '42501', "$name: by the role itself");
	is($alter->('app5', q{SELECT idgen_next('x'); ALTER ROLE app5 SET idgen.channel = 5}), '', "$name: after it has drawn");
	is($channel->('app4'), $preload ? 4 : 7, "$name: what it has set");
	is($channel->('app5'), 5, "$name: what it has set after it has drawn");

  SKIP:
	{
		skip 'pgbouncer is not here', 4 unless Pooler::is_here();
		my $pooler = Pooler->new($node, 'transaction', users => [ 'app3', 'app5' ]);

		is($channel->('', $pooler->connstr($_)), substr($_, -1), "$name: $_ behind a pooler") foreach ('app3', 'app5');
		# the statement is an argument: nobody may be left to read it
		like(
			(run_command([ 'psql', '-X', '-d', $pooler->connstr('app3') . q{ options='-c idgen.channel=9'}, '-c', 'SELECT 1' ]))[1],
			qr/unsupported startup parameter/, "$name: which refuses options");
		$pooler->stop;

		$pooler = Pooler->new($node, 'transaction', users => ['app3'], connect_query => 'SET idgen.channel = 6');
		is($channel->('', $pooler->connstr('app3')), 6, "$name: set by the pooler");
		$pooler->stop;
	}
	$node->stop;
}
done_testing();
