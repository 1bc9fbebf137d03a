# What the documents say is so. The files of test/docs hold claims of README.md
# and of the pages in docs/, by topic:
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
# Besides, the SQL examples of all pages are run, with their answers:
# ../../lint/Examples.pm says how they are written. Those of a section are run
# one after the other, in a database of their own; those of docs/migration.md,
# which follow each other, all in one. No statement may fail, but where the
# error is the answer. Those of docs/clients*.md are run by test/clients.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib", "$FindBin::RealBin/../../lint";

use Examples;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir = PostgreSQL::Test::Utils::tempdir();
my $scripts = 0;
my $examples = 0;

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

# What a statement has answered, as it is written behind one: rows with commas
# in between. What the server says besides is left out, unless it complains.
sub one_line
{
	my @lines = grep { !/^(?:NOTICE|INFO|DETAIL|HINT|CONTEXT):/ } @_;

	return join ', ', map { s/^(ERROR|FATAL) \w{5}:/$1:/r } @lines;
}

# Whether this is the answer. An ellipsis stands for any text.
sub is_answer
{
	my ($expected, $got) = @_;
	my $pattern = join '.+', map { quotemeta } split /…/, $expected, -1;

	return $got =~ /^$pattern$/;
}

# What is wrong with the statements of an example, run in that database
sub wrong_answers
{
	my ($database, $example) = @_;
	my @statements = statements_of($example->{sql});
	my @parts = map { "$_->{sql}\n" } @statements;
	my ($first, @got, @wrong);

	$parts[-1] = "\\pset tuples_only off\n\\pset footer off\n\\pset format aligned\n$parts[-1]"
	  if defined $example->{table};
	($first, @got) = answers($preloaded, $database, "\\pset fieldsep ' | '\n", @parts);

	foreach my $i (0 .. $#statements)
	{
		my $line = $example->{line} + $statements[$i]{line} - 1;
		my $answer = $statements[$i]{answer};
		my @lines = @{ $got[$i] // ['nothing, psql has ended'] };
		my $one_line = one_line(@lines);

		if (defined $example->{table} && $i == $#statements)
		{
			my ($expected, $table) = map { s/[ \t]+$//mgr } $example->{table} =~ s/\n+\z//r, join("\n", @lines);

			push @wrong, "line $line gives:\n$table" if $table ne $expected;
		}
		elsif (defined $answer)
		{
			push @wrong, "line $line: not $answer, but $one_line" unless is_answer($answer, $one_line);
		}
		else
		{
			# roles belong to the server: those that examples make are there
			push @wrong, map { "line $line: $_" } grep { /^(?:ERROR|FATAL|WARNING|psql|nothing,)/ && !/^ERROR 42710: role / } @lines;
		}
	}
	return @wrong;
}

sub check_examples
{
	my ($document, $section, @of_section) = @_;
	my $database = 'examples_' . ++$examples;
	my $centre = "centre_of_$database";
	my $here = sprintf("host '%s', port '%s', dbname '%s'", $preloaded->host, $preloaded->port, $centre);
	my @wrong;

	$preloaded->safe_psql('postgres', "CREATE DATABASE $database");
	$preloaded->safe_psql($database, 'CREATE EXTENSION idgen') unless grep { $_->{sql} =~ /CREATE EXTENSION/ } @of_section;
	foreach my $example (@of_section)
	{
		# the table of a centre, and the way to it
		my $is_centre = $example->{sql} =~ /CREATE TABLE id_sequences/;

		$preloaded->safe_psql('postgres', "CREATE DATABASE $centre") if $is_centre;
		$example->{sql} =~ s/host 'ids.example.net'.*? sslmode 'verify-full'/$here/s;
		push @wrong, wrong_answers($is_centre ? $centre : $database, $example);
	}
	is_deeply(\@wrong, [], "$document, examples of \"$section\"");
	return;
}

# Roles that examples name; those that they make are there already.
$preloaded->safe_psql('postgres', 'CREATE ROLE app; CREATE ROLE reporting; CREATE ROLE other_program; CREATE ROLE idgen_node LOGIN');

my $tree = "$FindBin::RealBin/../../..";
foreach my $document (map { s{^\Q$tree\E/}{}r } glob("$tree/*.md $tree/docs/*.md $tree/monitoring/README.md"))
{
	my %of_section;

	next if $document =~ m{/clients[^/]*\.md$};
	foreach my $example (examples_of(slurp_file("$tree/$document")))
	{
		push @{ $of_section{ $document eq 'docs/migration.md' ? 'all' : $example->{section} } }, $example;
	}
	check_examples($document, $_, @{ $of_section{$_} }) foreach sort keys %of_section;
}

foreach my $file (sort glob("$FindBin::RealBin/../../docs/*.sql"))
{
	my ($topic) = $file =~ m{([^/]+)\.sql$};

	check_claims($file, $topic);
}

$preloaded->stop;
$without->stop;
done_testing();
