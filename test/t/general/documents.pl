# What the documents say is so. The files of test/docs hold claims of the pages
# in docs/, by topic:
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
# error is the answer. Those of README.md are run by readme.pl, and those of
# docs/clients*.md by test/clients.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib", "$FindBin::RealBin/../../lint";

use Answers;
use Examples;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $examples = 0;

my $conf = "max_prepared_transactions = 10\nautovacuum = off\nidgen.worker_idle_timeout = '1s'\n";
my $preloaded = idgen_server('preloaded', conf => $conf . "idgen.node_id = 2\n");
my $without = idgen_server('without', conf => $conf, preload => 0);
$_->safe_psql('template1', 'CREATE DATABASE with_idgen TEMPLATE postgres') foreach $preloaded, $without;
my ($major) = $preloaded->safe_psql('postgres', 'SHOW server_version_num') =~ /^(\d+)\d{4}$/;

# create_database(server, name, with_extension): with the extension, it is a
# copy of one that has it
sub create_database
{
	my ($node, $name, $with_extension) = @_;

	$node->safe_psql('template1', "CREATE DATABASE $name STRATEGY file_copy" . ($with_extension ? ' TEMPLATE with_idgen' : ''));
	return;
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

	create_database($node, $database, 1);
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

sub check_examples
{
	my ($document, $section, @of_section) = @_;
	my $database = 'examples_' . ++$examples;
	my $centre = "centre_of_$database";
	my $here = sprintf("host '%s', port '%s', dbname '%s'", $preloaded->host, $preloaded->port, $centre);
	my @wrong;

	create_database($preloaded, $database, !grep { $_->{sql} =~ /CREATE EXTENSION/ } @of_section);
	foreach my $example (@of_section)
	{
		# the table of a centre, and the way to it
		my $is_centre = $example->{sql} =~ /CREATE TABLE id_sequences/;

		$preloaded->safe_psql('postgres', "CREATE DATABASE $centre") if $is_centre;
		$example->{sql} =~ s/host 'ids.example.net'.*? sslmode 'verify-full'/$here/s;
		push @wrong, wrong_answers($preloaded, $is_centre ? $centre : $database, $example);
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

	next if $document =~ m{/clients[^/]*\.md$|^README\.md$};
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
