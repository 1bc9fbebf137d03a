# What the documents say is so. The files of test/docs hold claims of README.md,
# by topic:
#
#   -- claim: Ids may be negative.
#   INSERT INTO id_sequences (name, next_block_start) VALUES ('x', -5);
#   SELECT idgen_next('x');
#   -- gives: -5
#
# A claim holds if its statements answer with these lines, and no others. Of an
# error, its beginning is enough: "ERROR 42704". A line between slashes is a
# regular expression. Empty lines do not count, nor do details, hints, contexts,
# warnings and notices, as long as the claim has no line that begins with
# "HINT:" or so.
#
# "[from 17]" or "[before 17]" at the end of a claim names the versions that it
# is about. "\other STATEMENT" runs in another session, "\at DATABASE STATEMENT"
# in another database. What stands above the first claim prepares for all. Each
# file has a database of its own with the extension; the psql variables host and
# port say where. The file without_preload.sql runs on a server that has not
# preloaded the library.
#
# Besides, the SQL examples of README.md and of docs/ are run: those of a
# section one after the other, in a database of their own. No statement may
# fail, and what stands behind one as "-- 1", a single word, has to be among the
# answers. Those of docs/clients.md are run by test/clients.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir = PostgreSQL::Test::Utils::tempdir();
my $scripts = 0;

my $conf = "max_prepared_transactions = 10\nautovacuum = off\nidgen.worker_idle_timeout = '1s'\n";
my $preloaded = idgen_server('preloaded', conf => $conf . "idgen.node_id = 2\n");
my $without = idgen_server('without', conf => $conf, preload => 0);
my ($major) = $preloaded->safe_psql('postgres', 'SHOW server_version_num') =~ /^(\d+)\d{4}$/;

# The command line of psql that runs these statements
sub psql_command
{
	my ($node, $database, $sql) = @_;
	my $script = "$dir/" . $scripts++ . '.sql';

	append_to_file($script, "$sql\n");
	return ($node->installed_command('psql'), '-XAtq', '-d', $node->connstr($database),
		'-v', 'VERBOSITY=verbose', '-v', 'host=' . $node->host, '-v', 'port=' . $node->port, '-f', $script);
}

# An error or a notice, of which the server says more than one line: "ERROR
# 42704: message", "HINT: ..." and so on
sub message_lines
{
	my ($severity, $sqlstate, $rest) = @_;
	my $text = ($severity eq 'ERROR' || $severity eq 'FATAL' ? "$severity $sqlstate: " : "$severity: ") . $rest;

	$text =~ s/\n(?!DETAIL:|HINT:|CONTEXT:|QUERY:|LINE |[A-Z ]+ NAME:)/ /g;
	$text =~ s/^(DETAIL|HINT|CONTEXT):  /$1: /mg;
	return join("\n", grep { !/^(?:QUERY:|LINE |[A-Z ]+ NAME:)/ } split /\n/, $text) . "\n";
}

# What the parts of a script answer, a list of lines for each
sub answers
{
	my ($node, $database, @parts) = @_;
	my $script = join("\\echo -- next part\n", @parts);
	my $other = sub { return '\! ' . join(' ', map { "'$_'" } psql_command($node, @_)) };
	my $output = '';

	$script =~ s/^\\other (.*)$/$other->($database, $1)/gme;
	$script =~ s/^\\at (\S+) (.*)$/$other->($1, $2)/gme;
	# without stdbuf, errors would come before the answers of earlier statements
	IPC::Run::run([ 'stdbuf', '-oL', psql_command($node, $database, $script) ], '>&', \$output);

	$output =~ s/^psql:\S+: //mg;
	$output =~ s/^([A-Z]+):  (\w{5}): (.*?)\nLOCATION:[^\n]*\n/message_lines($1, $2, $3)/gmse;
	return map { [ grep { $_ ne '' } split /\n/ ] } split /^-- next part\n/m, $output, -1;
}

# Whether these lines are what the claim expects. Those of kinds it does not
# speak of are taken out of them.
sub as_expected
{
	my ($expected, $got) = @_;

	foreach my $kind (qw(DETAIL HINT CONTEXT WARNING NOTICE))
	{
		@$got = grep { !/^$kind:/ } @$got unless grep { m{^/?\^?$kind:} } @$expected;
	}
	return 0 if @$expected != @$got;

	foreach my $i (0 .. $#$expected)
	{
		my ($want, $line) = ($expected->[$i], $got->[$i]);
		my $same =
			$want =~ m{^/(.*)/$}      ? $line =~ /$1/
		  : $want =~ /^(?:ERROR|FATAL) / ? index($line, $want) == 0
		  :                             $line eq $want;

		return 0 unless $same;
	}
	return 1;
}

# Whether the claim is about this version
sub applies
{
	my ($claim) = @_;

	return !($claim =~ /\[from (\d+)\]$/ && $major < $1 || $claim =~ /\[before (\d+)\]$/ && $major >= $1);
}

sub check_claims
{
	my ($file, $topic) = @_;
	my $node = $topic eq 'without_preload' ? $without : $preloaded;
	my $database = "claims_$topic";
	my ($preparation, @claims) = split /^-- claim: (.*)\n/m, slurp_file($file);
	my @parts = ($preparation);

	for (my $i = 0; $i < @claims; $i += 2)
	{
		push @parts, applies($claims[$i]) ? $claims[ $i + 1 ] : '';
	}

	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, 'CREATE EXTENSION idgen');
	my ($prepared, @got) = answers($node, $database, @parts);

	is_deeply($prepared, [], "$topic: preparation");
	while (my ($claim, $body) = splice @claims, 0, 2)
	{
		my @expected = $body =~ /^-- gives: (.*)$/mg;
		my $got = shift @got // ['nothing, psql has ended'];

	  SKIP:
		{
			skip("$topic: $claim", 1) unless applies($claim);
			ok(as_expected(\@expected, $got), "$topic: $claim")
			  or diag(join("\n  ", 'expected:', @expected), join("\n  ", "\ngot:", @$got));
		}
	}
	return;
}

# What the examples of a section take for granted
my %before = (
	'idgen' => 'CREATE TABLE customers (id serial PRIMARY KEY)',
	'Moving an existing table over' => 'CREATE TABLE orders (id serial PRIMARY KEY)',
	'Rows with ids of their own' => q{SELECT idgen_create('orders');
		CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('orders'), item text)},
	'Ranges of time' => q{CREATE TABLE messages (id uuid PRIMARY KEY DEFAULT idgen_unique_uuid(), body text);
		CREATE TABLE events (id bigint PRIMARY KEY DEFAULT idgen_unique_id(), what text)},
	map { $_ => q{SELECT idgen_create('orders')} }
	  ('Ranges', 'Composed ids', 'Who refills', 'Sharing with other programs', 'The view for the last id'));

sub check_examples
{
	my ($document, $section, @examples) = @_;
	my $database = 'examples_' . lc($section =~ s/\W+/_/gr);
	my $here = sprintf("host '%s', port '%s', dbname 'centre_of_%s'", $preloaded->host, $preloaded->port, $database);
	my $extension = grep({ /CREATE EXTENSION/ } @examples) ? '' : "CREATE EXTENSION idgen;\n";
	my @failed;

	$preloaded->safe_psql('postgres', "CREATE DATABASE $database");
	$preloaded->safe_psql($database, $extension . ($before{$section} // ''));
	foreach my $example (@examples)
	{
		my $where = $database;

		# the table of a centre, and the way to it
		if ($example =~ /CREATE TABLE id_sequences/)
		{
			$where = "centre_of_$database";
			$preloaded->safe_psql('postgres', "CREATE DATABASE $where");
		}
		$example =~ s/host 'ids.example.net'.*? sslmode 'verify-full'/$here/;

		my ($answers) = answers($preloaded, $where, $example);
		my @values = grep { !/^(?:NOTICE|HINT|DETAIL|CONTEXT):/ && !/^ERROR 42710: role/ } @$answers;

		foreach my $value ($example =~ /;\s+-- (\S+)$/mg)
		{
			shift @values while @values && $values[0] ne $value && $values[0] !~ /^ERROR/;
			push @failed, "no answer $value" if !@values || $values[0] ne $value;
		}
		push @failed, grep { /^(?:ERROR|FATAL|WARNING|psql)/ } @values;
	}
	is_deeply(\@failed, [], "$document, examples of \"$section\"");
	return;
}

# Roles that examples name; those that they make are there already.
$preloaded->safe_psql('postgres', 'CREATE ROLE app; CREATE ROLE reporting; CREATE ROLE other_program; CREATE ROLE idgen_node LOGIN');

my $tree = "$FindBin::RealBin/../../..";
foreach my $document ('README.md', map { s{^\Q$tree\E/}{}r } sort grep { !m{/clients\.md$} } glob("$tree/docs/*.md"))
{
	my ($section, %examples);

	foreach my $part (split /^(#+ [^\n]*\n|```sql\n.*?^```\n)/ms, slurp_file("$tree/$document"))
	{
		$section = $1 if $part =~ /^#+ (.*)$/;
		push @{ $examples{$section} }, $1 if $part =~ /^```sql\n(.*)```\n/s;
	}
	check_examples($document, $_, @{ $examples{$_} }) foreach sort keys %examples;
}

foreach my $file (sort glob("$FindBin::RealBin/../../docs/*.sql"))
{
	my ($topic) = $file =~ m{([^/]+)\.sql$};

	check_claims($file, $topic);
}

$preloaded->stop;
$without->stop;
done_testing();
