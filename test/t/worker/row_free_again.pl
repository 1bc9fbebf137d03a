# A call that the worker does not serve in time is told that the row is locked
# only if it was when the worker last tried, and if the transaction that held it
# has not ended since.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('free', conf => q{
idgen.worker_timeout = '300ms'
idgen.worker_idle_timeout = '100s'
});
$node->safe_psql(
	'postgres', q{
	CREATE TABLE public.failing (name text);
	CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF EXISTS (SELECT FROM public.failing WHERE name = new.name) THEN
			RAISE 'not now';
		END IF;
		RETURN new;
	END $$;
	CREATE TRIGGER fail BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION public.fail();
	SELECT idgen_create(name, refill => 'worker') FROM unnest('{other,fails,changed}'::text[]) name;
	SELECT idgen_next('other')});

# Somebody has locked the row, until the worker gives up; "then" is what this
# transaction does at its end.
sub lock_row
{
	my ($name, $lock, $then) = @_;
	my $holder = $node->background_psql('postgres');
	my $offset = -s $node->logfile;

	$holder->query_safe("BEGIN; $lock");
	is(sqlstate($node, "SELECT idgen_next('$name')"), '55P03', "$name: locked");
	$node->wait_for_log(qr/could not lock the row of id sequence "$name"/, $offset);
	$holder->query_safe($then) if defined $then;
	$holder->query_safe('COMMIT');
	$holder->quit;
	return;
}

# What is a session told that the worker does not even try to serve? If the
# worker gave up before the call above did, that call asked once more, and the
# worker may have served it meanwhile: so what is cached is drawn first.
sub sqlstate_while_stopped
{
	my ($name) = @_;

	my $pid = stop_worker($node, 'postgres');

	$node->safe_psql('postgres', "SELECT idgen_next('$name') FROM idgen_stats, generate_series(1, ids_cached) WHERE name = '$name'");
	my $sqlstate = sqlstate($node, "SELECT idgen_next('$name')");
	kill('CONT', $pid);
	return $sqlstate;
}

lock_row('fails', q{SELECT FROM id_sequences WHERE name = 'fails' FOR UPDATE}, q{INSERT INTO public.failing VALUES ('fails')});
is(sqlstate($node, q{SELECT idgen_next('fails')}), 'P0001', 'a refill that fails for another reason');
is(sqlstate_while_stopped('fails'), '53000', 'has seen that the row is free');

lock_row('changed', q{UPDATE id_sequences SET block_size = 30 WHERE name = 'changed'});
is(sqlstate_while_stopped('changed'), '53000', 'a transaction that has changed the row does not hold it any more');

$node->stop;
done_testing();
