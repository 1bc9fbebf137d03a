# What the sessions of a node have cached is for all, so it comes from one
# place: a role with an account of its own at the centre, which finds another
# table there, brings its ids to nobody.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre', conf => q{listen_addresses = '127.0.0.1'});
unlink($centre->data_dir . '/pg_hba.conf');
$centre->append_conf('pg_hba.conf', "local all all trust\nhost all all all scram-sha-256\n");
$centre->reload;
$centre->safe_psql(
	'postgres', q{
	INSERT INTO id_sequences SELECT name, 1, 10 FROM unnest('{x,w}'::text[]) AS name;
	SET password_encryption = 'scram-sha-256';
	CREATE ROLE node LOGIN PASSWORD 'node';
	GRANT SELECT, UPDATE ON id_sequences TO node;
	CREATE ROLE mallory LOGIN PASSWORD 'mallory';
	CREATE SCHEMA mallory AUTHORIZATION mallory;
	CREATE TABLE mallory.id_sequences AS SELECT * FROM id_sequences;
	ALTER TABLE mallory.id_sequences OWNER TO mallory});

foreach my $preload (1, 0)
{
	my $node = idgen_server("node$preload", preload => $preload, conf => q{
idgen.server_timeout = '100s'
idgen.worker_timeout = '100s'
idgen.worker_start_timeout = -1
});
	my $port = $centre->port;
	my @names = $preload ? ('x', 'w') : ('x');

	$node->safe_psql(
		'postgres', qq{
		CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '127.0.0.1', port '$port', dbname 'postgres');
		CREATE USER MAPPING FOR PUBLIC SERVER central OPTIONS (user 'node', password 'node');
		CREATE ROLE alice LOGIN;
		CREATE ROLE mallory LOGIN;
		GRANT USAGE ON FOREIGN SERVER central TO alice, mallory;
		SET ROLE mallory;
		CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user 'mallory', password 'mallory')});
	create_remote('x', '', $node);
	create_remote('w', q{refill => 'worker'}, $node) if $preload;

	# Mallory is the first one to refill, and draws in turn with others.
	my %session = map { $_ => $node->background_psql('postgres') } ('mallory', 'alice');
	$session{$_}->query_safe("SET SESSION AUTHORIZATION $_") for keys %session;
	my %ids;
	foreach my $round (1 .. 20)
	{
		foreach my $who ('mallory', 'alice', 'alice')
		{
			push @{ $ids{$_} }, $session{$who}->query_safe("SELECT idgen_next('$_')") for @names;
		}
	}
	foreach my $name (@names)
	{
		is(scalar(@{ $ids{$name} }), 60, "$name: drawn");
		is(duplicates(@{ $ids{$name} }), '', "$name: no id is issued twice");
	}
	is($centre->safe_psql('postgres', 'SELECT sum(next_block_start) FROM mallory.id_sequences'), '2', 'the other table was not asked');

	# Two roles share a block.
	is(join(' ', @{ $ids{x} }), join(' ', 1 .. 60), 'in order, without a gap') if $preload;
	is($centre->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences WHERE name = 'x'}), '61', 'six blocks for both') if $preload;
	$_->quit for values %session;
	$node->stop;
}
$centre->stop;

done_testing();
