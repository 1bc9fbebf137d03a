# Programs that use Hibernate and EclipseLink draw ids from the same native
# sequence, or the same row, as idgen_next does, at full speed. If the row says
# what the program takes a value for, no id is issued twice. If it says anything
# else, ids do: so the test would see it.
#
# The programs are in test/clients/sharing. CLIENT_SECONDS=60 lets all pairings
# run for a minute, side by side.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{CLIENT_SECONDS} // 4;
my $sources = "$FindBin::RealBin/../../clients/sharing";
my $jars = '/usr/share/java';

# What a framework needs of Debian's, and the pairings it is in. A pairing has a
# database of its own. What comes before "__" in its name tells the program what
# to do. The value makes the id sequence "ids" there, with blocks of 20 ids.
sub native
{
	my ($pooling, $increment) = @_;

	# The first value of a sequence is not like the others for some programs: it
	# is gone before they come.
	return "CREATE SEQUENCE ids_seq INCREMENT BY $increment; SELECT nextval('ids_seq');"
	  . "SELECT idgen_create('ids', source => 'sequence', pooling => '$pooling')";
}
my $table = q{SELECT idgen_create('ids')};

my %frameworks = (
	HibernateClient => {
		package => 'libhibernate3-java',
		jars => [
			qw(hibernate3 hibernate-commons-annotations geronimo-jpa_2.0_spec geronimo-jta-1.2-spec
			  dom4j antlr commons-collections3 javassist slf4j-api slf4j-nop)
		],
		sources => [qw(BySequence ByTable ByView ByHilo)],
		agree => {
			pooled_lo => native('pooled_lo', 20),
			hilo => native('hilo', 1),
			table_pooled_lo => $table,
		},
		disagree => {
			pooled_lo__pooled => native('pooled', 20),
			pooled__pooled => native('pooled', 20),
			pooled__pooled_lo => native('pooled_lo', 20),
			seqhilo__hilo => native('hilo', 1),
			table_pooled => $table,
			view_pooled_lo => $table,
		},
	},
	EclipseLinkClient => {
		package => 'libeclipselink-java',
		jars => [qw(eclipselink eclipselink-jpa-2.1-spec geronimo-validation-1.1-spec)],
		sources => [qw(BySequence ByTable ByView)],
		agree => {
			el_sequence => native('pooled', 20),
			el_view => $table,
		},
		disagree => {
			el_sequence__pooled_lo => native('pooled_lo', 20),
			el_table => $table,
		},
	});

my $node = idgen_server('server', conf => q{
listen_addresses = '127.0.0.1'
max_connections = 200
});
$node->append_conf('pg_hba.conf', 'host all all 127.0.0.1/32 trust');
$node->reload;

my $dir = PostgreSQL::Test::Utils::tempdir();

# What the framework's programs need that is not here
sub missing
{
	my ($framework) = @_;
	my @missing = grep { !-e $_ } map { "$jars/$_.jar" } ('postgresql', @{ $framework->{jars} });

	push @missing, 'javac' unless grep { -x "$_/javac" } split /:/, $ENV{PATH};
	return @missing;
}

# Run the program in all pairings. Answers a line for each: the database, how
# many ids the program has committed, and how many idgen.
sub run_program
{
	my ($program) = @_;
	my $framework = $frameworks{$program};
	my $path = join(':', "$dir/$program", $sources, map { "$jars/$_.jar" } ('postgresql', @{ $framework->{jars} }));
	my $url = sprintf('jdbc:postgresql://127.0.0.1:%d/%%s?user=%s', $node->port, $node->safe_psql('postgres', 'SELECT current_user'));
	my @databases = map { sort keys %{ $framework->{$_} } } qw(agree disagree);
	my ($stdout, $stderr);

	IPC::Run::run(
		[ 'javac', '-proc:none', '-d', "$dir/$program", '-cp', $path, map { "$sources/$_.java" } ('Clients', $program, @{ $framework->{sources} }) ],
		'>&', \$stdout) or die $stdout;

	foreach my $database (@databases)
	{
		$node->safe_psql('postgres', "CREATE DATABASE $database");
		$node->safe_psql(
			$database,
			'CREATE EXTENSION idgen; CREATE TABLE drawn (id bigint NOT NULL, who text NOT NULL);'
			  . ($framework->{agree}{$database} // $framework->{disagree}{$database}));
	}
	IPC::Run::run(
		[ 'java', '-Xmx400m', '-cp', $path, $program, $url, $seconds, @databases ],
		'>', \$stdout,
		'2>', \$stderr);
	is($stderr, '', "$program does not fail");
	return map { [split] } split /\n/, $stdout;
}

# Look at what a pairing has left in its database.
sub check_pairing
{
	my ($database, $agree, $by_client, $by_idgen) = @_;
	my ($duplicates, $switches, $stored) = split /\|/, $node->safe_psql(
		$database, q{
		SELECT count(*) - count(DISTINCT id), count(*) FILTER (WHERE who <> before),
			format('%s of the program, %s of idgen', count(*) FILTER (WHERE who = 'client'), count(*) FILTER (WHERE who = 'idgen'))
		FROM (SELECT id, who, lag(who) OVER (ORDER BY id) AS before FROM drawn) d});

	note("$database: $stored, $switches times the other side's block comes next, $duplicates ids twice");
	is($stored, "$by_client of the program, $by_idgen of idgen", "$database: all ids are counted");
	cmp_ok($switches, '>=', 10, "$database: both sides have drawn many blocks");
	if ($agree)
	{
		is($duplicates, '0', "$database: no id was issued twice");
	}
	else
	{
		cmp_ok($duplicates, '>', 0, "$database: ids were issued twice, as they must");
	}
	return;
}

foreach my $program (sort keys %frameworks)
{
  SKIP:
	{
		my @missing = missing($frameworks{$program});
		skip("$program needs package $frameworks{$program}{package}; not here: @missing", 1) if @missing;

		my @answers = run_program($program);
		my %expected = map { %{ $frameworks{$program}{$_} } } qw(agree disagree);

		is_deeply([ sort map { $_->[0] } @answers ], [ sort keys %expected ], "$program: all pairings have run");
		check_pairing($_->[0], exists $frameworks{$program}{agree}{ $_->[0] }, @$_[ 1, 2 ]) foreach @answers;
	}
}

$node->stop;
done_testing();
