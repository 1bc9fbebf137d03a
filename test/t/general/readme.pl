# Who follows README.md from top to bottom gets what it says: its statement
# preloads idgen on a server that does not yet, and then its examples run one
# after the other, in one session.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib", "$FindBin::RealBin/../../lint";

use Answers;
use Examples;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = plain_server('server');
my @examples = examples_of(slurp_file("$FindBin::RealBin/../../../README.md"));
my ($preload) = grep { $_->{sql} =~ /\\gexec/ } @examples;

ok($preload && !grep({ $_->{is_hidden} } @examples), 'README.md shows all that there is to do');
is_deeply([ wrong_answers($node, 'postgres', $preload) ], [], 'the statement that preloads idgen');
$node->restart;

# as one script, at the lines where it stands
my $page = '';
foreach my $example (@examples)
{
	$page .= "\n" x ($example->{line} - 1 - ($page =~ tr/\n//)) . $example->{sql};
}
is_deeply([ wrong_answers($node, 'postgres', { sql => $page, line => 1 }) ], [], 'its examples');
is($node->safe_psql('postgres', q{SELECT string_agg(item, ' ' ORDER BY id) FROM orders}), 'pen ink', 'rows with the ids of the quick start');

$node->stop;
done_testing();
