# What the checks of the source have in common.
#
# Each check is a program of its own that gets the folder of a tree, prints a
# line for each thing that is wrong, and fails if there is one. They need
# nothing but Perl itself.
package Lint;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use File::Find;

binmode STDOUT, ':encoding(UTF-8)';

our @EXPORT = qw(complain done files_below documents guides c_files c_parts read_text section folder_order make_targets);

my $complaints = 0;

# complain PLACE, TEXT: says what is wrong there
sub complain
{
	my ($place, $text) = @_;

	print "$place: $text\n";
	$complaints++;
	return;
}

# The end of a check
sub done
{
	exit($complaints > 0 ? 1 : 0);
}

# The text of a file, in characters
sub read_text
{
	my ($file) = @_;

	open my $handle, '<:encoding(UTF-8)', $file or die "$file: $!\n";
	local $/ = undef;
	return scalar <$handle>;
}

# The files below a folder of the tree, named from its top
sub files_below
{
	my ($tree, $folder) = @_;
	my @files;

	return () unless -d "$tree/$folder";
	find(
		{
			no_chdir => 1,
			wanted => sub { push @files, $_ =~ s{^\Q$tree\E/}{}r if -f }
		},
		"$tree/$folder");
	return sort @files;
}

# The documents that tell how src/ and its folders work
sub guides
{
	my ($tree) = @_;

	return grep { m{/README\.md$} } files_below($tree, 'src');
}

# The other ones
sub documents
{
	my ($tree) = @_;

	return grep { -e "$tree/$_" } qw(README.md CONTRIBUTING.md test/README.md), grep { /\.md$/ } files_below($tree, 'docs');
}

# Files in C below a folder
sub c_files
{
	return grep { /\.[ch]$/ } files_below(@_);
}

# A C file taken apart into comments, texts between quotes, and what is between
# them: for each part the number of its first line, what stands before it on
# that line, and the part itself.
sub c_parts
{
	my ($text) = @_;
	my $number = 1;
	my $before = '';
	my @parts;

	while ($text =~ m{\G( "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | /\*.*?\*/ | //[^\n]* | [^"'/]+ | . )}gsx)
	{
		my $part = $1;

		push @parts, [ $number, $before, $part ];
		$number += $part =~ tr/\n//;
		$before = $part =~ /\n([^\n]*)$/ ? $1 : $before . $part;
	}
	return @parts;
}

# What stands below that heading of a document, as lines with their numbers
sub section
{
	my ($document, $title) = @_;
	my (@lines, $inside);
	my $number = 0;

	foreach my $line (split /\n/, read_text($document))
	{
		$number++;
		if ($line =~ /^## (.*)$/)
		{
			$inside = $1 eq $title;
		}
		elsif ($inside)
		{
			push @lines, [ $number, $line ];
		}
	}
	die "$document has no section \"$title\"\n" unless @lines;
	return @lines;
}

# The folders of src/ and their places from the ground up: the first column of
# the table in the section "The folders" of src/README.md. "." is src/ itself.
sub folder_order
{
	my ($tree) = @_;
	my %order;

	foreach (section("$tree/src/README.md", 'The folders'))
	{
		my ($number, $line) = @$_;

		next unless $line =~ /^\| \[?`([^`]+)`/;
		complain("src/README.md:$number", "folder $1 is there twice") if exists $order{$1};
		$order{$1} = keys %order;
	}
	return %order;
}

# The targets of the Makefile: our own, and those of PGXS
sub make_targets
{
	my ($tree) = @_;
	my $makefile = read_text("$tree/Makefile");
	my %targets = map { $_ => 1 } qw(all clean install installcheck uninstall);
	my (%lists, @names);

	$lists{$1} .= " $2" while $makefile =~ /^([A-Z_]+) \+?= (.*)$/mg;
	@names = split ' ', $lists{OWN_TARGETS};
	while (defined(my $name = shift @names))
	{
		if ($name =~ /^\$\((\w+)\)$/)
		{
			push @names, split ' ', $lists{$1} // '';
		}
		else
		{
			$targets{$name} = 1;
		}
	}
	return %targets;
}

1;
