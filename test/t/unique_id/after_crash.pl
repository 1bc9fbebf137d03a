# After a crash, the first time-ordered id waits until the clock is behind what
# was reserved, so that ids are ahead of the clock only if that was set back.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

my $node = idgen_server('after_crash');
my $clock = time + 60;
my %time_of = (
	'idgen_unique_id()' => \&id_time,
	'idgen_unique_uuid()' => sub { uuid_tick($_[0]) >> 16 });

$node->stop;
start_with_clock($node, $clock);
foreach my $function (sort keys %time_of)
{
	is($time_of{$function}->($node->safe_psql('postgres', "SELECT $function")), $clock * 1000, "$function: at the time of the clock");
	kill_server($node);
	start_with_clock($node, $clock);
	my $session = start_statement($node, "SELECT $function");
	$node->poll_query_until('postgres', qq{SELECT count(*) = 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT idgen_unique%'})
	  or die 'it does not wait';
	set_clock($node, $clock + 1);
	select undef, undef, undef, 0.1; # time to do it wrong
	$clock += 10;
	set_clock($node, $clock);
	is($time_of{$function}->($session->query('')), $clock * 1000, "$function: waits after a crash");
	$session->quit;
	$node->stop;
	$clock += 10;
	start_with_clock($node, $clock);
}

$node->stop;
done_testing();
