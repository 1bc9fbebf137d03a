# The keys of scrambled ids are replicated along with the rows of id_sequences:
# a subscriber that takes over goes on in the same order. If it has the rows
# alone, it draws no id.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @init = (init => [ allows_streaming => 'logical' ]);
my $publisher = idgen_server('publisher', @init);
my $subscriber = idgen_server('subscriber', @init);
my $without = idgen_server('without', @init);
my $keys = 'SELECT name, key FROM idgen_keys ORDER BY name';

run_sql($publisher, q{
	SELECT idgen_create('copied', layout => 'scrambled');
	CREATE PUBLICATION all_of_it FOR TABLE id_sequences, idgen_keys;
	CREATE PUBLICATION rows_only FOR TABLE id_sequences});
my $connstr = $publisher->connstr . ' dbname=postgres';
run_sql($subscriber, "CREATE SUBSCRIPTION s CONNECTION '$connstr' PUBLICATION all_of_it");
run_sql($without, "CREATE SUBSCRIPTION w CONNECTION '$connstr' PUBLICATION rows_only");
$subscriber->wait_for_subscription_sync($publisher, 's');
$without->wait_for_subscription_sync($publisher, 'w');

# What arrives later: new rows, a layout that is set, a name that changes, a row
# that is deleted
run_sql($publisher, q{
	SELECT idgen_create('later', layout => 'scrambled'), idgen_create('changed'), idgen_create('deleted', layout => 'scrambled');
	SELECT idgen_create('anew', layout => 'scrambled');
	UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'changed';
	UPDATE id_sequences SET name = 'renamed' WHERE name = 'later';
	DELETE FROM id_sequences WHERE name = 'deleted';
	DELETE FROM id_sequences WHERE name = 'anew';
	SELECT idgen_create('anew', layout => 'scrambled')});
run_sql($publisher, q{SELECT idgen_next(name) FROM id_sequences});
$publisher->wait_for_catchup('s');
$publisher->wait_for_catchup('w');
is(run_sql($subscriber, $keys), run_sql($publisher, $keys), 'the same keys');
is(run_sql($subscriber, 'SELECT count(*) FROM idgen_keys'), 4, 'of all id sequences');
is(run_sql($without, 'SELECT count(*) FROM idgen_keys'), 0, 'no key is made for rows that arrive');

# They take over.
run_sql($subscriber, 'DROP SUBSCRIPTION s');
run_sql($without, 'DROP SUBSCRIPTION w');
my $unscramble = q{SELECT name, idgen_unscramble(name, 42) FROM id_sequences ORDER BY name};
is(run_sql($subscriber, $unscramble), run_sql($publisher, $unscramble), 'the same order');
is(run_sql($subscriber, q{SELECT DISTINCT idgen_unscramble(name, idgen_next(name)) FROM id_sequences}),
	21, 'ids go on');
my ($ret, $stdout, $stderr) = $without->psql('postgres', q{SELECT idgen_next('copied')});
like($stderr, qr/id sequence "copied" has no key/, 'no id without its key');
my $copy = run_sql($publisher, q{SELECT 'INSERT INTO idgen_keys VALUES (' || quote_literal(name) || ', ' || quote_literal(key::text) || ');' FROM idgen_keys});
run_sql($without, $copy);
is(run_sql($without, $unscramble), run_sql($publisher, $unscramble), 'the keys can be copied by hand');

$_->stop foreach ($publisher, $subscriber, $without);
done_testing();
