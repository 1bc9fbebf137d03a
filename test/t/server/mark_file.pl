# The file of what is remembered of centres: a record that is damaged is left
# out, of two the later one counts, and where it cannot be written no id is
# used. More id sequences than there is room for are forgotten, those not used
# lately first, and the log says so.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => 'idgen.max_centre_marks = 20');
my $file = $node->data_dir . '/pg_stat/idgen.marks';

$centre->safe_psql('postgres', q{INSERT INTO id_sequences SELECT 's' || i, 1, 10 FROM generate_series(1, 40) i});
create_remote("s$_", '', $node) foreach (1 .. 40);

sub sql
{
	return $node->safe_psql('postgres', $_[0]);
}

# Numbers of those that are remembered, a space between
sub known
{
	return sql(q{SELECT string_agg(substr(name, 2), ' ' ORDER BY substr(name, 2)::integer) FROM idgen_centre_marks WHERE last_id IS NOT NULL});
}

sub draw
{
	sql("SELECT idgen_next('s$_')") foreach (@_);
	return;
}

ok(!-e $file, 'without a centre, there is no file');
draw(1 .. 10);
is(known(), join(' ', 1 .. 10), 'all are known');
is(-s $file, 11 * 64, 'with 64 bytes each, and as many for the centre');
kill_server($node);

# The sixth one is damaged. Which id sequence is that?
my $contents = slurp_file($file);
my $damaged = $contents;
substr($damaged, 5 * 64 + 32, 1) ^= "\x01";
write_file($file, $damaged);
my $offset = -s $node->logfile;
$node->start;
is(scalar(split / /, known()), 9, 'one is not known');
like(slurp_file($node->logfile, $offset), qr{LOG:  ignoring 1 damaged records of file "pg_stat/idgen\.marks"}, 'the log says so');

# A half record at the end, one of nothing, and one a second time
kill_server($node);
write_file($file, $contents . ("\0" x 64) . substr($contents, 0, 64) . substr($contents, 0, 30));
$node->start;
is(known(), join(' ', 1 .. 10), 'all are known');

# More than there is room for. The centre takes a place, too.
$offset = -s $node->logfile;
draw(11 .. 30);
is(scalar(split / /, known()), 19, 'as many as there is room for');
like(known(), qr/ 30$/, 'the last one is');
unlike(known(), qr/^1 2 3 /, 'the first ones are not');
like(slurp_file($node->logfile, $offset), qr/LOG:  there are more id sequences of other servers than marks\n.*DETAIL:  Those not used lately are forgotten.*\n.*HINT:  You might need to increase idgen\.max_centre_marks\./, 'the log says so');
is(() = slurp_file($node->logfile, $offset) =~ /than marks/g, 1, 'once');
my $before = known();
kill_server($node);
$node->start;
is(known(), $before, 'the same after a crash');

# Less room, then more
$node->adjust_conf('postgresql.conf', 'idgen.max_centre_marks', '5');
$offset = -s $node->logfile;
$node->restart;
cmp_ok(scalar(split / /, known()), '<=', 5, 'less room');
like(slurp_file($node->logfile, $offset), qr/LOG:  15 marks of id sequences at other servers are forgotten/, 'the log says so');
$before = known();
$node->adjust_conf('postgresql.conf', 'idgen.max_centre_marks', '20');
$node->restart;
is(known(), $before, 'what was forgotten stays so');

# It cannot be written.
rename($file, "$file.away") or die "could not rename $file: $!";
mkdir($file) or die "could not make directory $file: $!";
my $row = $centre->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences WHERE name = 's40'});
my ($code, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT idgen_next('s40')");
like($err, qr/ERROR:  \w+: could not write file "pg_stat\/idgen\.marks": /, 'an error');
is($out, '', 'and no id');
is(sql(q{SELECT last_id FROM idgen_centre_marks WHERE name = 's40'}), '', 'nothing is known');
rmdir($file) or die "could not remove $file: $!";
rename("$file.away", $file) or die "could not rename $file: $!";
is(sql(q{SELECT idgen_next('s40')}), '11', 'the next call works: one block is a gap');

$_->stop foreach ($node, $centre);
done_testing();
