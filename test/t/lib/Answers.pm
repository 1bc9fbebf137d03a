# What statements of the documents answer when psql runs them, and whether that
# is what the documents say.
package Answers;

use strict;
use warnings FATAL => 'all';

use Examples;
use Exporter 'import';
use IPC::Run ();
use PostgreSQL::Test::Utils;

our @EXPORT = qw(answers wrong_answers);

my $dir = PostgreSQL::Test::Utils::tempdir();
my $scripts = 0;

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

# answers(server, database, part, ...): what the parts of a script answer, a
# list of lines for each
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

# wrong_answers(server, database, example): what is wrong with the statements of
# an example, run there
sub wrong_answers
{
	my ($node, $database, $example) = @_;
	my @statements = statements_of($example->{sql});
	my @parts = map { "$_->{sql}\n" } @statements;
	my ($first, @got, @wrong);

	$parts[-1] = "\\pset tuples_only off\n\\pset footer off\n\\pset format aligned\n$parts[-1]"
	  if defined $example->{table};
	($first, @got) = answers($node, $database, "\\pset fieldsep ' | '\n", @parts);

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

1;
