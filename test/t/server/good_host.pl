# Of several hosts, the one that was good last is tried first, by all sessions:
# a silent one before it holds up the first of them alone.
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
my ($node) = idgen_nodes(1, centres => [ $proxy, $centre ], conf => q{idgen.server_timeout = '3s'});
my $draw = q{SELECT idgen_next('x')};

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 1), ('w', 1, 1)});
create_remote('x', '', $node);
create_remote('w', q{refill => 'worker'}, $node);

$proxy->hold;
like($node->safe_psql('postgres', $draw), qr/^\d+$/, 'the second host is good');
my $accepted = $proxy->accepted;
cmp_ok($accepted, '>', 0, 'the first one was tried before');
like($node->safe_psql('postgres', $draw), qr/^\d+$/, 'the next session') for 1 .. 3;
like($node->safe_psql('postgres', q{SELECT idgen_next('w')}), qr/^\d+$/, 'the worker');
is($proxy->accepted, $accepted, 'they have begun with the second one');

# In another order
my $options = server_options($centre, $proxy) =~ s/, dbname.*//r =~ s/(host|port)/SET $1/gr;
$node->safe_psql('postgres', "ALTER SERVER central OPTIONS ($options)");
like($node->safe_psql('postgres', $draw), qr/^\d+$/, 'now it is the first one');
is($proxy->accepted, $accepted, 'and is found again');

$node->stop;
$centre->stop;
done_testing();
