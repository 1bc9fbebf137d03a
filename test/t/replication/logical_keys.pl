# The secret of scrambled ids is replicated along with the rows of id_sequences:
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
my $keys = 'SELECT name, salt FROM id_sequences ORDER BY name';

run_sql($publisher, q{
	SELECT idgen_create('copied', layout => 'scrambled');
	CREATE PUBLICATION all_of_it FOR TABLE id_sequences, idgen_secrets;
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
is(run_sql($_, $keys), run_sql($publisher, $keys), 'the same salts') foreach ($subscriber, $without);
is(run_sql($subscriber, 'TABLE idgen_secrets'), run_sql($publisher, 'TABLE idgen_secrets'), 'the same secret');
is(run_sql($without, 'SELECT count(*) FROM idgen_secrets'), 0, 'none is made for rows that arrive');

# They take over.
run_sql($subscriber, 'DROP SUBSCRIPTION s');
run_sql($without, 'DROP SUBSCRIPTION w');
my $unscramble = q{SELECT name, idgen_unscramble(name, 42) FROM id_sequences ORDER BY name};
is(run_sql($subscriber, $unscramble), run_sql($publisher, $unscramble), 'the same order');
is(run_sql($subscriber, q{SELECT DISTINCT idgen_unscramble(name, idgen_next(name)) FROM id_sequences}),
	21, 'ids go on');
my ($ret, $stdout, $stderr) = $without->psql('postgres', q{SELECT idgen_next('copied')});
like($stderr, qr/id sequence "copied" has no key/, 'no id without its secret');
my $copy = run_sql($publisher, q{SELECT format('INSERT INTO idgen_secrets VALUES (%L, %L);', fingerprint, secret) FROM idgen_secrets});
run_sql($without, $copy);
is(run_sql($without, $unscramble), run_sql($publisher, $unscramble), 'the secret can be copied by hand');

$_->stop foreach ($publisher, $subscriber, $without);
done_testing();
