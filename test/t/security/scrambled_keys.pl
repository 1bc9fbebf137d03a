# The secret of scrambled ids gets into no log, whatever the server logs, and
# into no statistics.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($libraries) = run_command([ 'pg_config', '--pkglibdir' ]);
plan skip_all => 'auto_explain is not here' unless glob("$libraries/auto_explain.*");

my $node = idgen_server('keys', conf => q{
log_statement = all
log_duration = on
log_min_messages = debug1
log_parameter_max_length = -1
log_parameter_max_length_on_error = -1
log_error_verbosity = verbose
session_preload_libraries = 'auto_explain'
auto_explain.log_min_duration = 0
auto_explain.log_nested_statements = on
auto_explain.log_analyze = on
auto_explain.log_triggers = on
auto_explain.log_verbose = on
});

$node->safe_psql(
	'postgres', q{
	CREATE ROLE drawer LOGIN;
	SELECT idgen_create('a', layout => 'scrambled');
	INSERT INTO id_sequences (name, next_block_start, layout) SELECT 'many' || i, 1, 'scrambled' FROM generate_series(1, 200) i;
	UPDATE id_sequences SET name = 'b' WHERE name = 'a';
	SELECT idgen_next(name), idgen_unscramble(name, 1) FROM id_sequences;
	ANALYZE idgen_secrets});
my @keys = split /\n/, $node->safe_psql('postgres', q{SELECT substr(encode(secret, 'hex'), n, 12) FROM idgen_secrets, generate_series(97, 137, 8) n});

is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stats WHERE tablename = 'idgen_secrets' AND attname = 'secret'}),
	0, 'ANALYZE keeps none');

# what fails, with the secret at hand
foreach my $sql (
	q{UPDATE idgen_secrets SET fingerprint = '\x00'}, q{UPDATE idgen_secrets SET fingerprint = NULL},
	q{INSERT INTO idgen_secrets SELECT * FROM idgen_secrets}, q{INSERT INTO idgen_secrets SELECT fingerprint, secret || '\x00' FROM idgen_secrets},
	q{UPDATE id_sequences SET max_value = 5}, q{UPDATE id_sequences SET layout = 'plain'})
{
	my ($ret, $stdout, $stderr) = $node->psql('postgres', $sql);
	isnt($ret, 0, "refused: $sql");
	is(scalar(grep { index($stderr, $_) >= 0 } @keys), 0, 'without the secret');
}
my $file = PostgreSQL::Test::Utils::tempdir() . '/keys';
$node->safe_psql('postgres', "COPY idgen_secrets TO '$file'");
my ($ret, $stdout, $stderr) = $node->psql('postgres', "COPY idgen_secrets FROM '$file'");
like($stderr, qr/duplicate key value/, 'a restore over a secret that there is fails');
$node->safe_psql('postgres', 'DELETE FROM id_sequences; DROP EXTENSION idgen');
$node->stop;

my $log = slurp_file($node->logfile);
is(scalar @keys, 6, 'parts of the secret to look for');
like($log, qr/Query Text: INSERT INTO public.id_sequences/, 'the server logs what triggers and functions do');
is(scalar(grep { index($log, $_) >= 0 } @keys), 0, 'none is in the log');

done_testing();
