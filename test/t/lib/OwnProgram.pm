# A program in a process of its own, which ends with the test: what Monitoring
# and Pooler have in common. {run} is its harness.
package OwnProgram;

use strict;
use warnings FATAL => 'all';

sub stop
{
	my ($self) = @_;

	$self->{run}->kill_kill if $self->{run};
	$self->{run} = undef;
	return;
}

# of a test that has died, most likely
sub DESTROY
{
	my ($self) = @_;

	$self->{run}->signal('KILL') if $self->{run};
	return;
}

1;
