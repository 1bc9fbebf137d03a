# The SQL examples of the documents: blocks of code in language "sql".
#
# What a statement answers stands behind it, or in a block of code straight
# below, which has no language:
#
#   SELECT idgen_next('orders');    --> 1
#   SELECT 1, 2 UNION SELECT 3, 4;  --> 1 | 2, 3 | 4
#
#   SELECT name FROM id_sequences;
#   ```
#
#   ```
#     name
#   --------
#    orders
#   ```
#
# The first is the whole answer: rows with commas in between, columns with bars.
# An ellipsis stands for any text. An error is "ERROR: " and its message. The
# second is what psql prints for the last statement of the example.
#
# What examples take for granted is made by statements that readers do not see:
#
#   <!-- before: CREATE TABLE customers (id serial PRIMARY KEY); -->
package Examples;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT = qw(examples_of statements_of suspicious_comment);

# The examples of a page in their order, each a hash: section is the heading
# above it, line the number of its first line, sql its text, table the block
# with its answer, if there is one, and is_hidden whether readers see it.
sub examples_of
{
	my ($page) = @_;
	my ($section, @examples) = ('');

	while ($page =~ /^(?: \#+\ (?<heading>[^\n]*)
			| <!--\ before:\s (?<hidden>.*?) -->
			| ```sql\n (?<sql>.*?) ^```\n (?:\n? ```\n (?<table>.*?) ^```$)?
			| ```\w*\n .*? ^```$ )/gmsx)
	{
		my %found = %+;

		$section = $found{heading} if defined $found{heading};
		next unless defined($found{sql} // $found{hidden});
		push @examples,
		  {
			section => $section,
			line => 1 + (substr($page, 0, $-[0]) =~ tr/\n//) + defined $found{sql},
			sql => $found{sql} // $found{hidden},
			table => $found{table},
			is_hidden => defined $found{hidden}
		  };
	}
	return @examples;
}

# The statements of an example in their order, each a hash: sql is its text, and
# line its number there; answer and comment are what stands behind it on its
# last line. A command of psql is one, too.
sub statements_of
{
	my ($sql) = @_;
	my (@statements, $depth, $is_atomic);
	my ($text, $line, $number) = ('', 1, 1);

	($depth, $is_atomic) = (0, 0);
	while ($sql =~ m{\G( '(?:''|[^'])*' | "(?:""|[^"])*" | \$(\w*)\$.*?\$\g2\$ | --[^\n]* | /\*.*?\*/
			| \\\w[^\n]* | \w+ | . )}gsx)
	{
		my $token = $1;
		my $is_code = $token !~ m{^(?:--|/\*|\s)};
		my $ends;

		$line = $number if $text !~ /\S/;
		$text .= $token;
		$number += $token =~ tr/\n//;
		next unless $is_code;

		$depth++ if $token =~ /^ATOMIC$/i || $depth > 0 && $token =~ /^CASE$/i;
		$depth-- if $depth > 0 && $token =~ /^END$/i;
		$ends = $token =~ /^\\/ || $token eq ';' && $depth == 0;
		next unless $ends;

		$sql =~ /\G[ \t]*(?:-->[ ](?<answer>[^\n]*?)|--[ ](?<comment>[^\n]*?))?[ \t]*$/gcm;
		push @statements, { sql => $text, line => $line, answer => $+{answer}, comment => $+{comment} };
		$text = '';
	}
	push @statements, { sql => $text, line => $line, unfinished => 1 } if $text =~ s/--[^\n]*//gr =~ /\S/;
	return @statements;
}

# Does that comment behind a statement look like an answer, although it is not
# marked as one? It begins like a value, or is a single word.
sub suspicious_comment
{
	my ($comment) = @_;

	return $comment =~ /^(?:[-+\d'"(\{]|ERROR\b|\S+$)/;
}

1;
