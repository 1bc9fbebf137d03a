# A session that draws from more servers than its process may have files open
# for is told, and goes on with those that it has connections to.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre', conf => 'max_connections = 100');
my $options = server_options($centre);
my $node = idgen_server('node', conf => q{
max_files_per_process = 128
idgen.server_timeout = '100s'
});
$centre->safe_psql('postgres', q{INSERT INTO id_sequences SELECT 's' || i, 1, 1 FROM generate_series(1, 40) i});
$node->safe_psql(
	'postgres', qq{
	CREATE SERVER s$_ FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options);
	CREATE USER MAPPING FOR CURRENT_USER SERVER s$_;
	SELECT idgen_create('s$_', source => 'server')}) for 1 .. 40;

my $session = $node->background_psql('postgres', on_error_stop => 0);
my ($last, $answer) = (0, '1');
while ($answer eq '1' && $last < 40)
{
	$last++;
	$answer = answer($session, "SELECT idgen_next('s$last')");
}
cmp_ok($last, '>', 5, 'some connections');
is($answer, qq{ERROR:  could not connect to server "s$last"}, 'no more than that');
is(answer($session, '\set VERBOSITY verbose'), '', 'details');
$session->query("SELECT idgen_next('s$last')");
like($session->{stderr}, qr/ERROR:  08001: .*\nDETAIL:  There are too many open files on the local server\.\nHINT:  .*max_files_per_process/, 'the reason');
$session->{stderr} = '';
is(join(' ', map { $session->query_safe("SELECT idgen_next('s$_')") } 1 .. 5), '2 2 2 2 2', 'the others are as they were');
is($node->safe_psql('postgres', "SELECT idgen_next('s$last')"), '1', 'another session can');

# Room is made by servers that are not there any more.
$node->safe_psql('postgres', 'DROP SERVER s1 CASCADE');
is($session->query_safe("SELECT idgen_next('s$last')"), '2', 'room again');
$session->quit;

$node->stop;
$centre->stop;
done_testing();
