# Servers: with the extension, as the centre of others, as a standby; how they
# are started, and how they end.
package IdgenTest::Servers;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use File::Basename qw(basename dirname);
use File::Path qw(make_path rmtree);
use IdgenTest::Sessions;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::RecursiveCopy;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(
  idgen_server plain_server init_server extension_available start_standby restore
  make_synchronous central_server server_options idgen_nodes create_remote
  kill_server wait_for_restart restart_file time_file state_files file_ignored start_and_read
  write_file build_library build_program is_sanitized
  own_postgres
);

# Is idgen built with AddressSanitizer? Then a process takes memory as it likes.
sub is_sanitized
{
	return $ENV{SANITIZED};
}

# idgen_server(name, init => [...], conf => text, preload => 0): a server that
# is running and has the extension in database "postgres".
sub idgen_server
{
	my ($name, %params) = @_;
	my $preload = $params{preload} // 1;
	my $node = plain_server($name, %params,
		conf => ($preload ? "shared_preload_libraries = 'idgen'\n" : '') . ($params{conf} // ''));

	$node->safe_psql('postgres', 'CREATE EXTENSION idgen');
	return $node;
}

# The same without the extension. install_path => path: of another PostgreSQL,
# with the idgen that is installed there.
sub plain_server
{
	my ($name, %params) = @_;
	local $ENV{TEMP_CONFIG} = $params{install_path} ? undef : $ENV{TEMP_CONFIG};
	my $node = PostgreSQL::Test::Cluster->new($name, $params{install_path} ? (install_path => $params{install_path}) : ());

	init_server($node, @{ $params{init} // [] });
	$node->append_conf('postgresql.conf', 'log_statement = none');
	$node->append_conf('postgresql.conf', $params{conf}) if $params{conf};
	$node->start;
	return $node;
}

# init_server(server, ...): its init(...), with the encoding and the locale that
# the regression tests have, whatever the language of the caller is.
# force_initdb => 1: a database cluster of its own, no copy, see ../initdb.
sub init_server
{
	my ($node, %params) = @_;

	local $ENV{INITDB_COPIES} = $params{force_initdb} ? '' : ($ENV{INITDB_COPIES} // '');
	$node->init(%params, extra => [ '--encoding=UTF8', '--no-locale', @{ $params{extra} // [] } ]);
	return;
}

# Is that extension installed next to the server, so that it can be created?
sub extension_available
{
	my ($node, $name) = @_;
	return $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = '$name'");
}

# start_standby(server, name, conf => text): a running standby of that server.
sub start_standby
{
	my ($primary, $name, %params) = @_;
	my $standby = PostgreSQL::Test::Cluster->new($name);

	$primary->backup($name);
	$standby->init_from_backup($primary, $name, has_streaming => 1);
	$standby->append_conf('postgresql.conf', $params{conf}) if $params{conf};
	$standby->start;
	return $standby;
}

# restore(server, backup): puts a backup of a server that is stopped in its
# place, and starts it there.
sub restore
{
	my ($node, $backup) = @_;

	rmtree($node->data_dir);
	PostgreSQL::Test::RecursiveCopy::copypath($node->backup_dir . "/$backup", $node->data_dir);
	chmod(0700, $node->data_dir) or die "could not change mode of " . $node->data_dir . ": $!";
	$node->append_conf('postgresql.conf', sprintf("port = %d\nunix_socket_directories = '%s'", $node->port, $node->host));
	$node->start;
	return;
}

# make_synchronous(server, standby): makes the server's commits wait for that
# running standby, or for the subscription of that name.
sub make_synchronous
{
	my ($primary, $standby) = @_;

	run_sql($primary, sprintf(q{ALTER SYSTEM SET synchronous_standby_names = '%s'; SELECT pg_reload_conf()}, ref $standby ? $standby->name : $standby));
	wait_for_true($primary, q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'}, 'the standby to be synchronous');
	return;
}

# central_server(name, init => [...], conf => text): a running server that has
# the classic table id_sequences in database "postgres", but not the extension.
sub central_server
{
	my ($name, %params) = @_;
	my $centre = plain_server($name, %params);

	$centre->safe_psql(
		'postgres', q{
		CREATE TABLE id_sequences (
			name varchar(255) PRIMARY KEY,
			next_block_start bigint NOT NULL,
			block_size integer NOT NULL,
			exhausted smallint NOT NULL DEFAULT 0)});
	return $centre;
}

# server_options(server, ...): the options of CREATE SERVER that lead to the
# first one of these servers that answers.
sub server_options
{
	return sprintf(
		"host '%s', port '%s', dbname 'postgres'",
		join(',', map { $_->host } @_), join(',', map { $_->port } @_));
}

# idgen_nodes(number, centres => [server, ...], options => text, conf => text,
# ...): servers node1, node2 ... as idgen_server() makes them. Each has a
# foreign server "central" with server_options(centres) and these options, and a
# user mapping for the superuser. A refill may take long, so that a slow machine
# makes none fail. Sessions ask the centre themselves, but for rows with refill
# worker; unless there is workers => 1, which leaves it at the default.
sub idgen_nodes
{
	my ($number, %params) = @_;
	my $options = join(', ', server_options(@{ $params{centres} }), $params{options} // ());
	my $conf = "idgen.server_timeout = '100s'\n" . ($params{conf} // '');
	$conf = "idgen.worker_start_timeout = -1\n$conf" unless $params{workers};
	my @nodes = map { idgen_server("node$_", %params, conf => $conf) } 1 .. $number;

	foreach my $node (@nodes)
	{
		$node->safe_psql(
			'postgres', qq{
			CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options);
			CREATE USER MAPPING FOR CURRENT_USER SERVER central});
	}
	return @nodes;
}

# create_remote(name, arguments, node, ...): creates an id sequence on each node
# that draws from server "central". The text has further arguments of
# idgen_create().
sub create_remote
{
	my ($name, $arguments, @nodes) = @_;

	$arguments = ", $arguments" if $arguments ne '';
	$_->safe_psql('postgres',
		"SELECT idgen_create('$name', source => 'server', source_name => 'central'$arguments)")
	  foreach @nodes;
	return;
}

# The processes whose parent that one is
sub children_of
{
	my ($parent) = @_;
	return map { m{^/proc/(\d+)} } grep { (eval { slurp_file($_) } // '') =~ /\) \S $parent / } glob '/proc/[0-9]*/stat';
}

# Ends all processes of a server at once with kill -9. The postmaster is
# stopped before, so that none starts meanwhile.
sub kill_server
{
	my ($node) = @_;
	my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	my @pids;

	kill 'STOP', $postmaster;
	wait_until(sub { slurp_file("/proc/$postmaster/stat") =~ /\) T / }, 'the postmaster to stop');
	@pids = children_of($postmaster);
	kill 'KILL', @pids;
	$node->kill9;
	wait_until(sub { !kill 0, $postmaster, @pids }, 'processes to end');
	end_kept_sessions($node);
	return;
}

# wait_for_restart(server, offset): waits until a server that crashed has
# started again by itself. Its log ended at offset before. (It would not do to
# ask the server: it does not know of the crash at once. And a psql that cannot
# connect ends without reading its query, at which poll_query_until() dies.)
sub wait_for_restart
{
	my ($node, $offset) = @_;

	$node->wait_for_log(qr/database system is ready to accept connections/, $offset);
	return;
}

# The files that idgen has beside its tables: what a stopped server has cached,
# how far time-ordered ids may have gone, and all that there are. Only here do
# tests say what they are called.
sub restart_file
{
	my ($node) = @_;
	return $node->data_dir . '/pg_stat/idgen.cache';
}

sub time_file
{
	my ($node) = @_;
	return $node->data_dir . '/pg_stat/idgen.unique_id';
}

sub state_files
{
	my ($node) = @_;
	return glob($node->data_dir . '/pg_stat/idgen.*');
}

# file_ignored(server, offset): the first line about the restart file in the
# server's log from that place on; empty if it has nothing to complain of.
sub file_ignored
{
	my ($node, $offset) = @_;
	return slurp_file($node->logfile, $offset) =~ /LOG:  (.*\Q@{[ basename(restart_file($node)) ]}\E.*)/ ? $1 : '';
}

# Starts a server; answers as file_ignored().
sub start_and_read
{
	my ($node) = @_;
	my $offset = -s $node->logfile || 0;

	$node->start;
	return file_ignored($node, $offset);
}

# own_postgres(): a copy of the PostgreSQL that the tests use, without any
# idgen. A server finds its files from where its program lies, so one of this
# copy has neither the idgen of the other tests, nor one that is installed on
# the machine. Answers what "make install" gets as DESTDIR to put one there, and
# what plain_server() gets as install_path.
sub own_postgres
{
	my $dest = PostgreSQL::Test::Utils::tempdir();
	my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
	my ($bindir, $libdir, $sharedir) = map { (run_command([ $pg_config, $_ ]))[0] } '--bindir', '--pkglibdir', '--sharedir';

	# programs would look next to the file that a link leads to
	make_path(dirname("$dest$bindir"));
	system_or_bail('cp', '-rL', $bindir, "$dest$bindir");
	foreach my $folder ($libdir, "$libdir/bitcode", $sharedir, "$sharedir/extension")
	{
		make_path("$dest$folder");
		foreach my $file (grep { !m{/idgen[^/]*\z} && !-e "$dest$_" } glob("$folder/*"))
		{
			symlink($file, "$dest$file") or die "could not link $file: $!"
			  unless $file eq "$libdir/bitcode" || $file eq "$sharedir/extension";
		}
	}
	return ($dest, dirname("$dest$bindir"));
}

# write_file(file, contents): makes a file that holds these bytes.
sub write_file
{
	my ($file, $contents) = @_;

	open(my $out, '>:raw', $file) or die "could not write $file: $!";
	print $out $contents;
	close($out) or die "could not write $file: $!";
	return;
}

# Compiles the C file of that name, which lies beside IdgenTest.pm, to that
# file. Answers undef if there is no compiler.
sub build
{
	my ($name, $file, @options) = @_;
	my ($source) = map { "$_/$name.c" } grep { -e "$_/$name.c" } @INC;
	my $found = eval { IPC::Run::run([ 'cc', '--version' ], '>', \my $version) };

	return unless $found;
	system_or_bail('cc', '-O2', @options, '-o', $file, $source, '-lm');
	return $file;
}

# build_library(name, option, ...): a library made of a C file, see build().
sub build_library
{
	my ($name, @options) = @_;
	return build($name, PostgreSQL::Test::Utils::tempdir() . "/$name.so", '-fPIC', '-shared', @options);
}

# build_program(name, option, ...): the same for a program.
sub build_program
{
	my ($name, @options) = @_;
	return build($name, PostgreSQL::Test::Utils::tempdir() . "/$name", @options);
}

1;
