# A standby refuses to draw, with the words that nextval has for it, and shows
# what would come next. Promoted, it goes on with ids that were never issued.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = idgen_server('primary', init => [ allows_streaming => 1 ]);
my $standby = start_standby($primary, 'standby');

$primary->safe_psql(
	'postgres', q{
	CREATE SEQUENCE native;
	SELECT idgen_create('x'), idgen_create('gapless', block_size => 1), idgen_create('unused', 501),
		idgen_create('big', big_base => 1000), idgen_create('used_up', max_value => 1);
	CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('x'));
	SELECT idgen_next('used_up')});

# Clients at the primary, up to its end
my @clients = start_clients(
	$primary, 3, q{
SELECT 'x ' || idgen_next('x');
BEGIN;
INSERT INTO orders DEFAULT VALUES;
SELECT 'gapless ' || idgen_next('gapless');
COMMIT;
});
wait_for_lines(400, @clients);

# At the standby, while it receives all that
my $session = $standby->background_psql('postgres', on_error_stop => 0);

sub ask
{
	my ($sql) = @_;
	return answer($session, $sql);
}

$session->query_safe('\set VERBOSITY verbose');
$primary->wait_for_catchup($standby);
my $refused = ask("SELECT nextval('native')");
like($refused, qr/^ERROR:  25006: cannot execute nextval\(\) in a read-only transaction/,
	'nextval is refused');
is(ask("SELECT idgen_next('x')"), $refused =~ s/nextval/idgen_next/r, 'so is idgen_next');
foreach my $function ("idgen_next_big('big')", "idgen_create('new')", "idgen_restart('x', 1)")
{
	like(ask("SELECT $function"), qr/^ERROR:  25006: /, "so is $function");
}
like(ask("SELECT idgen_next('unknown')"), qr/^ERROR:  42704: /, 'an unknown name is unknown');
like(ask("SET idgen.auto_create = on; SELECT idgen_next('unknown')"), qr/^ERROR:  42704: /,
	'and not created');

is(ask("SELECT idgen_peek('unused')"), '501', 'idgen_peek works');
like(ask("SELECT idgen_peek('used_up')"), qr/^ERROR:  2200H: id sequence "used_up" is exhausted/,
	'as does its error');
like(ask("SELECT idgen_peek('unknown')"), qr/^ERROR:  42704: /, 'an unknown name is unknown');
like(ask("SELECT idgen_last('x')"), qr/^ERROR:  55000: /, 'nothing was drawn here');
is(ask('SELECT count(*) FROM idgen_cache'), '0', 'no ids are cached');
$primary->safe_psql('postgres', "SELECT idgen_next('unused')");
$primary->wait_for_catchup($standby);
is(ask("SELECT idgen_peek('unused')"), '521', 'idgen_peek follows the primary');

# A transaction that the promotion finds in progress stays read-only.
$session->query_safe('BEGIN');

# The primary ends, in good order: all that was committed has been sent.
$primary->stop('fast');
finish_clients(@clients);
my @ids = committed_ids(@clients);
$standby->promote;
like(ask("SELECT idgen_next('x')"), qr/^ERROR:  25006: /, 'a transaction from before the promotion is refused');
$session->query_safe('ROLLBACK');

my %max;
foreach my $id (@ids)
{
	my ($sequence, $number) = split / /, $id;
	$max{$sequence} = $number if $number > ($max{$sequence} // 0);
}
my $last_order = $standby->safe_psql('postgres', 'SELECT max(id) FROM orders');
$max{x} = $last_order if $last_order > $max{x};
cmp_ok(scalar @ids, '>', 500, 'clients saw ids');

cmp_ok(ask("SELECT idgen_next('x')"), '>', $max{x}, 'the session draws a new id after the promotion');
cmp_ok($standby->safe_psql('postgres', "SELECT idgen_next('x')"), '>', $max{x}, 'others do');
is(ask("SELECT idgen_next('gapless')"), $max{gapless} + 1, 'gapless ids have no gap');
is(ask("SELECT idgen_next('unused')"), '521', 'what idgen_peek announced comes');
is(ask('INSERT INTO orders SELECT FROM generate_series(1, 200) RETURNING 1') =~ tr/1//, 200,
	'rows can be inserted');
is(ask("SELECT cache FROM idgen_server"), 'server', 'from a cache of the server');

$session->quit;
$standby->stop;
done_testing();
