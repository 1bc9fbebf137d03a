# Children of templates and of rows with periods whose source is another server:
# each draws from the centre by its own name, and the centre has to have a row
# of that name. A template or a row with periods there makes none.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = idgen_server('centre');
$centre->safe_psql('postgres', q{
	SELECT idgen_create('bill/acme', block_size => 5), idgen_create('bill/bolt', 1001), idgen_create('bill/*'),
		idgen_create('year/2001', block_size => 1), idgen_create('year/2002', 2001), idgen_create('year', period => 'year'),
		idgen_create('by_worker/acme', block_size => 1)});
my @nodes = idgen_nodes(2, centres => [$centre]);
create_remote('bill/*', '', @nodes);
create_remote('year', q{period => 'year', format => '{YYYY}-{id}'}, @nodes);
create_remote('by_worker/*', q{refill => 'worker'}, @nodes);
my @sessions = map { $_->background_psql('postgres', on_error_stop => 0) } @nodes;
$_->query_safe('\set VERBOSITY sqlstate') foreach @sessions;

# What the sessions get for the statement, one after the other
sub ask
{
	my ($sql) = @_;
	return join(' ', map { answer($_, "SELECT $sql") } @sessions);
}

# The rows of the first node that were made from that one
sub children
{
	my ($template) = @_;
	return $nodes[0]->safe_psql('postgres', "SELECT string_agg(name, ' ' ORDER BY name) FROM id_sequences WHERE template = '$template'");
}

# Templates
is(ask("idgen_next('bill/acme')"), '1 6', 'each node takes a block of its own');
is(ask("idgen_next('bill/acme')"), '2 7', 'and goes on with it');
is(ask("idgen_next('bill/bolt')"), '1001 1021', 'another child is another id sequence');
is(ask("idgen_peek('bill/bolt')"), '1002 1022', 'what comes next');
is($centre->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences WHERE name = 'bill/acme'}), '11', 'the centre counts');
is(ask("idgen_next('bill/none')"), '42704 42704', 'a name that the centre does not have');
is(children('bill/*'), 'bill/acme bill/bolt', 'no row is left of it');
my ($ret, $stdout, $stderr) = $nodes[0]->psql('postgres', q{SELECT idgen_next('bill/none')});
like($stderr, qr/id sequence "bill\/none" does not exist on server "central"\nHINT:  Insert a row with that name/, 'says where to make it');
$centre->safe_psql('postgres', q{SELECT idgen_create('bill/none', 77)});
is(ask("idgen_next('bill/none')"), '77 97', 'as soon as it is there, it works');

# Periods
is(ask("idgen_next_text('year', at => '2001-05-05')"), '2001-1 2001-2', 'the row of the period, on the centre');
is(ask("idgen_next_text('year', at => '2002-05-05')"), '2002-2001 2002-2021', 'another period');
is(ask("idgen_next('year/2001')"), '3 4', 'by the name of the child');
is(ask("idgen_next_text('year', at => '1999-05-05')"), '42704 42704', 'a period that the centre does not have');
is(children('year'), 'year/2001 year/2002', 'no row is left of it');
$centre->safe_psql('postgres', q{SELECT idgen_next('year/1999')});
is(ask("idgen_next_text('year', at => '1999-05-05')"), '1999-21 1999-41', 'once it is drawn from there, it is');

# The worker
is(ask("idgen_next('by_worker/acme')"), '1 2', 'the worker');
is(ask("idgen_next('by_worker/none')"), '42704 42704', 'what it cannot refill');
$centre->safe_psql('postgres', q{SELECT idgen_create('by_worker/none', block_size => 1)});
is(ask("idgen_next('by_worker/none')"), '1 2', 'and what it can by now');

$_->quit foreach @sessions;
$_->stop foreach (@nodes, $centre);
done_testing();
