# A standby refuses to draw from a native sequence, with the words that nextval
# has for it, and shows what would come next. Promoted, it goes on with ids that
# no client has seen, also when the primary has crashed.
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

my @draws = (q{idgen_next('blocks', 'sequence')}, q{idgen_next('runs')}, q{idgen_next('fun')});

$primary->safe_psql(
	'postgres', q{
	CREATE SEQUENCE native;
	CREATE SEQUENCE blocks_seq INCREMENT BY 20;
	CREATE SEQUENCE unused_seq START 501 INCREMENT BY 20;
	CREATE SEQUENCE used_up_seq INCREMENT BY 20 MAXVALUE 2;
	CREATE SEQUENCE runs_seq;
	CREATE UNLOGGED SEQUENCE unlogged_seq;
	SELECT idgen_create('runs', source => 'sequence', block_size => 50);
	SELECT idgen_create(name, source => 'sequence', block_size => 1) FROM unnest('{blocks,unused,used_up,unlogged}'::text[]) name;
	SELECT idgen_next('used_up', 'sequence'), idgen_next('unlogged', 'sequence')});
create_from_function($primary, 'fun', 20);
$primary->wait_for_catchup($standby);

my $session = $standby->background_psql('postgres', on_error_stop => 0);

sub ask
{
	my ($sql) = @_;
	return answer($session, $sql);
}

$session->query_safe('\set VERBOSITY verbose');
my $refused = ask("SELECT nextval('native')");
like($refused, qr/^ERROR:  25006: cannot execute nextval\(\) in a read-only transaction/,
	'nextval is refused');
foreach my $draw (@draws)
{
	is(ask("SELECT $draw"), $refused =~ s/nextval/idgen_next/r, "so is $draw");
}
like(ask(q{SELECT idgen_restart('blocks', 1)}), qr/^ERROR:  25006: /, 'so is idgen_restart');
like(ask(q{SELECT idgen_next('unknown', 'sequence')}), qr/^ERROR:  42704: /, 'an unknown name is unknown');

is(ask(q{SELECT idgen_peek('unused')}), '501', 'idgen_peek works');
is(ask(q{SELECT idgen_peek('blocks'), idgen_peek('runs')}), '1|1', 'also for those in use');
like(ask(q{SELECT idgen_peek('used_up')}),
	qr/^ERROR:  2200H: id sequence "used_up" is exhausted/, 'as does its error');
like(ask(q{SELECT idgen_peek('fun')}), qr/^ERROR:  55000: /, 'a function cannot tell');
like(ask(q{SELECT idgen_peek('unlogged')}), qr/^ERROR:  55000: /, 'nor can an unlogged sequence');
my (undef, undef, $stderr) = $standby->psql('postgres', q{SELECT idgen_peek('unlogged')});
like($stderr, qr/DETAIL:  Sequence "unlogged_seq" is unlogged, and this is a standby\.(?!\nHINT)/, 'which says why');
like(ask(q{SELECT idgen_next('unlogged', 'sequence')}), qr/^ERROR:  25006: /, 'which is refused, too');
is(ask('SELECT count(*) FROM idgen_cache'), '0', 'no ids are cached');

# Clients wait for the standby, and the primary crashes under them.
make_synchronous($primary, $standby);
my @clients = start_clients(
	$primary, 4, q{
SELECT 'blocks ' || idgen_next('blocks', 'sequence');
SELECT 'runs ' || idgen_next('runs');
BEGIN;
SELECT 'runs ' || idgen_next('runs');
SELECT 'blocks ' || idgen_next('blocks', 'sequence');
ROLLBACK;
SELECT 'fun ' || idgen_next('fun');
});
wait_for_lines(400, @clients);
$primary->stop('immediate');
finish_clients(@clients);
my @ids = seen_ids(@clients);
cmp_ok(scalar @ids, '>', 1000, 'clients saw ids');
is(duplicates(@ids), '', 'no id twice');

$standby->promote;
foreach my $draw (@draws)
{
	my ($name) = $draw =~ /'(\w+)'/;
	my ($max) = sort { $b <=> $a } map { /^$name (\d+)/ } @ids;
	my $announced = $name eq 'fun' ? '' : ask("SELECT idgen_peek('$name')");
	my $id = ask("SELECT $draw");

	cmp_ok($id, '>', $max, "$name: a new id after the promotion");
	is($id, $announced, "$name: what idgen_peek announced") if $name ne 'fun';
}
is(ask(q{SELECT idgen_next('unused', 'sequence')}), '501', 'what idgen_peek announced long ago');
is(ask(q{SELECT idgen_next('unlogged', 'sequence')}), '1', 'an unlogged sequence begins');

$session->quit;
$standby->stop;
done_testing();
