# In single-user mode ids can be drawn from another server as well.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre]);
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 5001, 20)});
create_remote('x', '', $node);
$node->stop;

my ($stdout, $stderr) = ('', '');
IPC::Run::run(
	[ $node->installed_command('postgres'), '--single', '-D', $node->data_dir, 'postgres' ],
	'<', \"SELECT idgen_next('x')\nSELECT count(idgen_next('x')) FROM generate_series(1, 30)\n",
	'>', \$stdout,
	'2>', \$stderr) or note $stderr;
like($stdout, qr/idgen_next = "5001"/, 'an id');
like($stdout, qr/count = "30"/, 'and more of them');
unlike($stderr, qr/ERROR/, 'no error');

$node->start;
cmp_ok($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '>', 5031, 'with others the node goes on');

$node->stop;
$centre->stop;
done_testing();
