# A trial: sessions draw ids all the time, while one thing after another happens
# to the servers. Each answer is written down (see draw.c). At the end, a table
# says of each event how many ids there were, how many of them were issued a
# second time, and for how long there were none.
package Trial;

use strict;
use warnings FATAL => 'all';

use IdgenTest::Servers;
use List::Util qw(max sum0 uniq);
use PostgreSQL::Test::Utils;
use Process;
use Test::More;
use Time::HiRes ();

# Trial->new(name): begins without streams.
sub new
{
	my ($class, $name) = @_;

	return bless { name => $name, streams => [], events => [], remarks => [] }, $class;
}

# Where a program or a folder of the PostgreSQL is that is tested: what
# pg_config answers, such as to "bindir"
sub pg_config
{
	my ($what) = @_;
	my ($answer) = run_command([ $ENV{PG_CONFIG} // 'pg_config', "--$what" ]);

	return $answer;
}

# The program that draws; it is compiled once in a test.
my $built;

sub program
{
	my $lib = pg_config('libdir');

	$built //= build_program('draw', '-Wall', '-pthread', '-I' . pg_config('includedir'), "-L$lib",
		"-Wl,--no-as-needed,-rpath,$lib", '-lpq');
	return $built;
}

# draw(label, sequence, conninfo, sql, sessions => 2, pause => 10, calls => 0):
# starts sessions that run this statement, whose answer is ids of that id
# sequence, and pause for some milliseconds after each. They connect anew after
# that many calls. They are one of the streams with this label, which share a
# column of the table.
sub draw
{
	my ($self, $label, $sequence, $conninfo, $sql, %params) = @_;
	my $number = @{ $self->{streams} };
	my $file = PostgreSQL::Test::Utils::tempdir() . "/$self->{name}.draws$number";
	my $process = Process->start(
		"$self->{name}_draws$number",
		[
			program(), $params{sessions} // 2, 1000 * ($params{pause} // 10), $params{calls} // 0,
			"$conninfo application_name=client", $sql
		],
		out => $file);

	push @{ $self->{streams} }, {
		label => $label, sequence => $sequence, file => $file, process => $process, read => 0, ids => 0
	};
	return;
}

# event(text): from now on, what happens is ascribed to this event.
sub event
{
	my ($self, $text) = @_;

	push @{ $self->{events} }, { text => $text, at => Time::HiRes::time() };
	note(sprintf('%.1f: %s', $self->{events}[-1]{at}, $text));
	return;
}

# remark(text): a sentence that goes below the table
sub remark
{
	my ($self, $text) = @_;

	push @{ $self->{remarks} }, $text;
	return;
}

# wait_for_ids(number, seconds): waits until each stream has got that many more
# ids than it has now, but no longer than that. Answers the labels of those that
# have not.
sub wait_for_ids
{
	my ($self, $number, $seconds) = @_;
	my $deadline = Time::HiRes::time() + $seconds;
	my @waiting = @{ $self->{streams} };
	my %goal = map { $_ => count_ids($_) + $number } @waiting;

	while (@waiting && Time::HiRes::time() < $deadline)
	{
		$_->{process}->must_run foreach @waiting;
		@waiting = grep { count_ids($_) < $goal{$_} } @waiting;
		Time::HiRes::sleep(0.05);
	}
	return uniq(map { $_->{label} } @waiting);
}

# How many answers with ids the stream has got so far. Reads on from where it
# was.
sub count_ids
{
	my ($stream) = @_;

	if (-e $stream->{file})
	{
		my $new = slurp_file($stream->{file}, $stream->{read});

		$new =~ s/[^\n]*\z//;
		$stream->{read} += length $new;
		$stream->{ids} += () = $new =~ /^\S+ \S+ id /mg;
	}
	return $stream->{ids};
}

# end(): ends all streams; answers the events, each with what happened in it:
# ids, duplicates, duplicates_of (id sequence => number), errors (SQLSTATE =>
# number), slowest (seconds), and without_ids (label => seconds, of the stream
# that had none for longest).
sub end
{
	my ($self) = @_;
	my @events = @{ $self->{events} };
	my $end = Time::HiRes::time();

	$events[$_]{until} = $_ < $#events ? $events[ $_ + 1 ]{at} : $end foreach 0 .. $#events;
	$_->{process}->signal('TERM') foreach @{ $self->{streams} };
	$_->{process}->end(30) foreach @{ $self->{streams} };

	my @calls = sort { $a->{at} <=> $b->{at} } map { read_calls($_) } @{ $self->{streams} };
	my %seen;

	$self->{calls} = \@calls;
	foreach my $event (@events)
	{
		%$event = (%$event, ids => 0, duplicates => 0, duplicates_of => {}, errors => {}, slowest => 0, without_ids => {});
	}
	foreach my $call (@calls)
	{
		my $event = event_at($call->{at}, @events);

		$event->{slowest} = max($event->{slowest}, $call->{took});
		$event->{errors}{ $call->{sqlstate} }++ if defined $call->{sqlstate};
		foreach my $id (@{ $call->{ids} })
		{
			$event->{ids}++;
			next unless $seen{"$call->{stream}{sequence} $id"}++;
			$event->{duplicates}++;
			$event->{duplicates_of}{ $call->{stream}{sequence} }++;
		}
	}
	foreach my $stream (@{ $self->{streams} })
	{
		my @at = map { $_->{at} } grep { $_->{stream} == $stream && @{ $_->{ids} } } @calls;

		note_gaps($stream->{label}, [ @at, $end ], @events);
	}
	$self->{judged} = \@events;
	return @events;
}

# calls_in(event): once it has ended, the calls that were answered in an event
sub calls_in
{
	my ($self, $event) = @_;
	return grep { $_->{at} >= $event->{at} && $_->{at} < $event->{until} } @{ $self->{calls} };
}

# The calls of a stream, each with the time of its answer
sub read_calls
{
	my ($stream) = @_;
	my @calls;

	foreach my $line (split /\n/, slurp_file($stream->{file}))
	{
		my ($began, $took, $kind, $text) = split / /, $line, 4;
		my %call = (stream => $stream, at => $began + $took, took => $took, ids => []);

		next unless defined $text;
		if ($kind eq 'id')
		{
			$call{ids} = [ split /,/, $text ];
		}
		else
		{
			$call{sqlstate} = $kind;
			$stream->{messages}{ "$kind: " . $text =~ s/\d+/N/gr }++;
		}
		push @calls, \%call;
	}
	return @calls;
}

# The last event before that time; what is before the first belongs to it.
sub event_at
{
	my ($at, @events) = @_;
	my ($event) = grep { $_->{at} <= $at } reverse @events;

	return $event // $events[0];
}

# Between two ids of a stream there were none. Notes for each event the longest
# such time that lies in it.
sub note_gaps
{
	my ($label, $times, @events) = @_;

	foreach my $event (@events)
	{
		my $since = $event->{at};
		my $longest = $event->{without_ids}{$label} // 0;

		foreach my $at (grep { $_ > $event->{at} } @$times)
		{
			my $until = $at < $event->{until} ? $at : $event->{until};

			$longest = max($longest, $until - $since);
			last if $at >= $event->{until};
			$since = $at;
		}
		$event->{without_ids}{$label} = $longest;
	}
	return;
}

# The messages that calls failed with, each with how often, without the numbers
# in them. The most frequent come first.
sub messages
{
	my ($self) = @_;
	my %count;

	foreach my $stream (@{ $self->{streams} })
	{
		my $messages = $stream->{messages} // {};

		$count{$_} += $messages->{$_} foreach keys %$messages;
	}
	return map { "$count{$_} x $_" } sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
}

# The table, as text
sub table
{
	my ($self) = @_;
	my @labels = uniq(map { $_->{label} } @{ $self->{streams} });
	my @lines = (
		[ 'event', 'ids', 'issued twice', 'errors', 'slowest call', map { "none for: $_" } @labels ],
		[ '---', '---:', '---:', '---', '---:', map { '---:' } @labels ]);
	my %duplicates_of;

	foreach my $event (@{ $self->{judged} })
	{
		$duplicates_of{$_} += $event->{duplicates_of}{$_} foreach keys %{ $event->{duplicates_of} };
		push @lines,
		  [
			$event->{text}, $event->{ids}, counts($event->{duplicates_of}), counts($event->{errors}),
			map { sprintf '%.1f s', $_ } ($event->{slowest}, map { $event->{without_ids}{$_} } @labels)
		  ];
	}
	push @lines, [ 'all', sum0(map { $_->{ids} } @{ $self->{judged} }), counts(\%duplicates_of), '', '', map { '' } @labels ];

	my $text = join '', map { '| ' . join(' | ', @$_) . " |\n" } @lines;
	$text .= "\n$_\n" foreach @{ $self->{remarks} };
	return $text;
}

# What there was how often, as text
sub counts
{
	my ($counts) = @_;
	return join(', ', map { "$counts->{$_} x $_" } sort keys %$counts) || '0';
}

# report(): shows the table, and leaves it in the folder of results.
sub report
{
	my ($self) = @_;
	my $table = $self->table;

	diag("\n$self->{name}\n\n$table");
	note(join "\n", 'what calls failed with:', $self->messages);
	leave_result("$self->{name}.md", $table);
	return;
}

# leave_result(file, text): leaves a file in the folder of results, from where
# test/run takes it to test/cluster/results.
sub leave_result
{
	my ($file, $text) = @_;
	my $folder = ($ENV{IDGEN_WORK} // return) . '/results';

	mkdir $folder;
	write_file("$folder/$file", $text);
	return;
}

1;
