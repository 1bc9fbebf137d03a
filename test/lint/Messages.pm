# The messages of the C files, and those that a document has.
#
# In a document, the tables whose first column is called "message" have them: in
# the first cell one or several, each as code. Where the code has %s or a
# number, the document has an example; an ellipsis there stands for any text.
package Messages;

use strict;
use warnings FATAL => 'all';
use utf8;

use Exporter 'import';

use Lint;

our @EXPORT = qw(c_statements level_of texts_of documented same);

my $string = qr/"(?:\\.|[^"\\])*"/;
# a text in pieces, between which there may be PRId64 and such
my $text = qr/$string(?:\s*(?:$string|[A-Z]\w+))*/;

# The statements of a C file without comments: number of the first line, text
sub c_statements
{
	my (@statements, $statement, $first);

	foreach my $part (c_parts($_[0]))
	{
		my ($number, undef, $piece) = @$part;

		next if $piece =~ m{^/[*/]};
		foreach my $end ($piece =~ /^["']/ ? $piece : split /(?<=;)/, $piece)
		{
			$first = $number + ($end =~ /^(\s*)/ ? $1 =~ tr/\n// : 0) unless ($statement // '') =~ /\S/;
			$statement .= $end;
			$number += $end =~ tr/\n//;
			next unless $end =~ /;$/ && $end !~ /^["']/;
			push @statements, [ $first, $statement ];
			$statement = '';
		}
	}
	return @statements;
}

# The text between these quotes; a number stands where the code has a macro of a
# format
sub unquoted
{
	my ($pieces) = @_;
	my $whole = '';

	while ($pieces =~ /($string)|(\w+)/g)
	{
		$whole .= defined $1 ? substr($1, 1, -1) : 'd';
	}
	return $whole =~ s/\\"/"/gr;
}

# The level of ereport() in a statement: undef if there is none
sub level_of
{
	return $_[0] =~ /\bereport\((\w+)/ ? $1 : undef;
}

# The texts that follow a pattern in a statement
sub texts_of
{
	my ($statement, $before) = @_;

	return map { unquoted($_) } $statement =~ /$before\s*($text)/g;
}

# What the document has: line, message, the SQLSTATEs
sub documented
{
	my ($page) = @_;
	my $number = 0;
	my ($inside, @found);

	foreach my $line (split /\n/, $page)
	{
		$number++;
		$inside = 0 unless $line =~ /^\|/;
		$inside = 1 if $line =~ /^\| *message *\|/i;
		next unless $inside && $line =~ /^\| *(`.*?) *\| *(.*?) *\|/;
		my ($cell, $codes) = ($1, $2);

		push @found, [ $number, $_, $codes =~ /\b([0-9A-Z]{5}|any)\b/g ] foreach $cell =~ /`([^`]+)`/g;
	}
	return @found;
}

# A pattern for what the code can say, and one for what the document says
sub code_pattern
{
	my $any = quotemeta($_[0]) =~ s/\\%(?:\\\.\\\*|l)*[a-zA-Z]/.+/gr;

	return qr/^$any$/;
}

sub page_pattern
{
	my $any = quotemeta($_[0]) =~ s/\\?…/.+/gr;

	return qr/^$any$/;
}

sub same
{
	my ($message, $shown) = @_;

	return $shown =~ code_pattern($message) || $shown =~ /…/ && $message =~ page_pattern($shown);
}

1;
