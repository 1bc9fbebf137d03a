# idgen - unique ids from named sequences, handed out from memory

# The folder of this file: a build may run in another one, with make -f
# of_tree PATTERN...: the files of the tree that match, named from its top
tree := $(dir $(lastword $(MAKEFILE_LIST)))
of_tree = $(patsubst $(tree)%,%,$(sort $(wildcard $(addprefix $(tree),$(1)))))
names_of = $(notdir $(basename $(call of_tree,$(1))))

SOURCES := $(call of_tree,src/*.c src/*/*.c)
ifeq (,$(SOURCES))
$(error there is no src/*.c in "$(tree)", the folder of this Makefile; make cannot cope with blanks in its name)
endif

MODULE_big = idgen
OBJS = $(SOURCES:.c=.o)

EXTENSION = idgen
DATA = $(call of_tree,sql/idgen--*.sql)
PGFILEDESC = "idgen - unique ids from named sequences"

# The answers of both suites lie in expected/.
REGRESS = $(call names_of,test/sql/*.sql)
REGRESS_OPTS = --inputdir=$(tree)test
ISOLATION = $(call names_of,test/specs/*.spec)
ISOLATION_OPTS = --inputdir=$(tree)test --outputdir=. --load-extension=idgen

# The TAP tests bring their own servers, so installcheck leaves them out unless
# it is called with TAP_TESTS=1.
PROVE_TESTS = test/t/*/*.pl

PG_CONFIG ?= pg_config
BENCH ?= run
# make itself sets LINT to a program of that name
LINT =
CLANG_FORMAT ?= $(shell command -v clang-format-14 || echo clang-format)
FORMATTED = $(wildcard $(addprefix $(tree),src/*.[ch] src/*/*.[ch] test/bench/*.c test/stress/*.[ch] test/t/lib/*.c test/cluster/*.c))

# These do not need a PostgreSQL installation while make reads this file.
INSTRUMENTS = coverage cassert asan valgrind analyze
OWN_TARGETS = test test-quick test-versions test-upgrade test-clang test-clients test-sharing test-core test-extensions test-cluster test-scramble stress mutants model fuzz assert $(INSTRUMENTS) demo demo-cluster bench format format-check lint
OWN_TARGETS += dist test-dist test-package test-container lint-hosted hosted-prepare docs

ifneq (,$(filter-out $(OWN_TARGETS),$(or $(MAKECMDGOALS),all)))

# Named as system directories, the headers of the server and of libpq raise no
# warnings in our code. The server's come first: those of libpq may be of
# another version. Callbacks get their parameters from the server, whether they
# use them or not. Its functions are called without a stub in between. Ours are
# hidden, but those that it looks up: PGXS asks for that since 16.
PG_CPPFLAGS = -I$(tree)src -isystem $(shell $(PG_CONFIG) --includedir-server) -isystem $(libpq_srcdir)
PG_CFLAGS = -Wall -Wextra -Wno-unused-parameter -fno-plt -fvisibility=hidden
# clang does not know all options and attributes of the gcc that the server was
# built with, and does not like how the server casts functions in PG_SIG_IGN.
PG_CFLAGS += $(if $(findstring clang,$(CC)),-Wno-unknown-warning-option -Wno-ignored-optimization-argument -Wno-ignored-attributes -Wno-cast-function-type-strict)
SHLIB_LINK = $(libpq)

PGXS := $(shell $(PG_CONFIG) --pgxs)
ifeq (,$(wildcard $(PGXS)))
pg_major := $(or $(shell ls /usr/lib/postgresql 2>/dev/null | sort -n | tail -n 1), \
	$(shell apt-cache depends postgresql 2>/dev/null | sed -n 's/.*Depends: postgresql-//p'),15)
define no_pgxs
"$(PG_CONFIG)" does not lead to what PostgreSQL installs for building extensions.
On Debian and Ubuntu, all of it comes with packages, here for PostgreSQL $(pg_major):
    apt-get install gcc postgresql-server-dev-$(pg_major)
"make installcheck" also needs a running server, from postgresql-$(pg_major).
For a PostgreSQL that is elsewhere: make PG_CONFIG=/where/it/is/bin/pg_config
endef
$(error $(no_pgxs))
endif

# A running server may not be as the tests of some behaviours need it. They say
# what they need, and installcheck leaves them out.
ifneq (,$(filter installcheck,$(MAKECMDGOALS)))
SERVER_IS := $(shell psql -XAtd postgres \
	-c "SELECT 'configured' WHERE current_setting('shared_preload_libraries') ~ '\midgen\M' \
		AND current_setting('max_prepared_transactions') <> '0'" \
	-c "SELECT 'open_to_roles' FROM (SELECT auth_method FROM pg_hba_file_rules WHERE type = 'local' \
		AND 'all' = ANY (database) AND 'all' = ANY (user_name) ORDER BY line_number LIMIT 1) AS rule \
		WHERE auth_method IN ('trust', 'password', 'md5', 'scram-sha-256')" 2>/dev/null)
UNMET := $(if $(filter configured,$(SERVER_IS)),,-e 'needs test/idgen.conf') \
	$(if $(filter open_to_roles,$(SERVER_IS)),,-e 'needs roles that can connect')
ifneq (,$(strip $(UNMET)))
$(warning the server is not as all tests need it: those that say $(UNMET:-e=) are left out)
REGRESS := $(sort $(notdir $(basename $(shell grep -Ls $(UNMET) $(tree)test/sql/*.sql))))
ISOLATION := $(if $(filter configured,$(SERVER_IS)),$(ISOLATION))
endif
endif

# PGXS sets this itself, unless the server was built in its source folder.
ifneq ($(CURDIR),$(realpath $(tree)))
VPATH ?= $(patsubst %/,%,$(tree))
endif

include $(PGXS)

# PGXS does not track headers.
$(OBJS) $(OBJS:.o=.bc): $(wildcard $(addprefix $(tree),src/*.h src/*/*.h))

# The version that the library is made for is that which is installed by
# default. Few files say it, so that another one is built in a moment.
VERSIONED = src/idgen.o src/catalog/table.o src/sql/sql_server.o
$(VERSIONED) $(VERSIONED:.o=.bc): $(tree)idgen.control
$(VERSIONED) $(VERSIONED:.o=.bc): override CPPFLAGS += -DIDGEN_VERSION='"$(idgen_version)"'
idgen_version := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" $(tree)idgen.control)

# Elsewhere, make looks for files here and in the tree; folders, and where
# pg_regress looks for answers, have to be here.
ifneq ($(CURDIR),$(realpath $(tree)))
ifneq (,$(wildcard $(addprefix $(tree),idgen.so $(OBJS))))
$(error "$(tree)" holds what was built in there, which make would take: run "make clean" there first)
endif
$(OBJS) $(OBJS:.o=.bc): | $(addprefix $(CURDIR)/,$(sort $(dir $(OBJS))))
$(addprefix $(CURDIR)/,$(sort $(dir $(OBJS)))):
	@$(MKDIR_P) $@
installcheck: $(CURDIR)/expected
$(CURDIR)/expected:
	@ln -s $(realpath $(tree)expected) $@
endif

endif

# Everything below works in a copy of this tree, with servers of its own; see
# test/lib.sh.

# ONLY="regress isolation tap" selects suites, TESTS="name name" selects tests
test:
	@$(tree)test/run

# Before each commit: what shows most in a minute and a half
test-quick: format-check lint
	@QUICK=1 $(tree)test/run

# the same as test, with idgen's own assertions
assert:
	@COPT="$(COPT) -DUSE_ASSERT_CHECKING" $(tree)test/run

# see the head of each
$(INSTRUMENTS):
	@$(tree)test/instruments/$@

demo:
	@$(tree)test/demo

demo-cluster:
	@$(tree)test/demo_cluster

# Whether scrambled ids are all different; SAMPLES=number for fewer than a
# hundred million
test-scramble:
	@SCRAMBLE_SAMPLES=$(or $(SAMPLES),100000000) ONLY=tap TESTS=general/scramble $(tree)test/run

# The same on each version of PostgreSQL that Debian has, in systems of their
# own; VERSIONS="17 18" for some of them
test-versions:
	@$(tree)test/versions

# By pg_upgrade from PostgreSQL 15 to newer ones; VERSIONS=17 for some of them
test-upgrade:
	@$(tree)test/upgrade

# A build with clang and with bitcode, of which neither says anything
test-clang:
	@$(tree)test/clang

# Drivers, frameworks and poolers, each with a small program; TESTS="django
# knex" for some of them
test-clients:
	@$(tree)test/clients/run

# PostgreSQL's own regression tests, without idgen and with it
test-core:
	@$(tree)test/core

# Regression tests and isolation specs, with other extensions
test-extensions:
	@$(tree)test/extensions

# Programs with frameworks of their own share sequences and rows with
# idgen_next; SECONDS=600 for a longer run
test-sharing:
	@CLIENT_SECONDS=$(or $(SECONDS),60) ONLY=tap TESTS=other_programs/java_clients $(tree)test/run

# Patroni, HAProxy, pgbouncer and pg_auto_failover, with failures under load;
# ONLY="name name" for some of the trials in test/t/cluster
test-cluster: trials = patroni pg_auto_failover copied_table refill_times
test-cluster:
	@CLUSTER=1 JOBS=1 TESTS="$(addprefix cluster/,$(or $(ONLY),$(trials)))" ONLY=tap $(tree)test/run

# SECONDS=1800 for a longer run, SEED=number for a certain one, CLIENTS=16
stress:
	@STRESS_SECONDS=$(or $(SECONDS),60) $(tree)test/stress/run

# Whether the tests find builds that break a rule on purpose; MUTANTS="name
# name" or RULE="T1 U2" for some of them
mutants:
	@STRESS_SECONDS=$(or $(SECONDS),60) $(tree)test/check_mutants

# Models of how ids are handed out, in all their states; ONLY="engine marks" for
# some of them
model:
	@$(tree)test/model/run $(ONLY)

# SECONDS=60 for a shorter run, SEED=number for a certain one
fuzz:
	@FUZZ_SECONDS=$(or $(SECONDS),600) COPT="$(or $(COPT),-DUSE_ASSERT_CHECKING)" \
		ONLY=tap TESTS=general/fuzz $(tree)test/run

# QUICK=1 for a first look, ONLY="calls bulk" for some chapters; BENCH=tenants
# measures many id sequences, BENCH=instructions counts instructions
bench:
	@$(tree)test/bench/$(BENCH)

format:
	$(CLANG_FORMAT) -i $(FORMATTED)

format-check:
	$(CLANG_FORMAT) --dry-run -Werror $(FORMATTED)

# A site of the documents, in the folder site/
docs:
	@$(tree)docs/site/build

# includes, the list of files, names, links, figures, metrics, comments;
# CHECKS="name name" for some of them
lint:
	@$(tree)test/lint/run $(CHECKS)

# The archive of a release for PGXN, of what is committed; see RELEASING.md
dist:
	@$(tree)test/release/dist

# Whether that refuses what is not ready, and whether the archive can be used
test-dist:
	@$(tree)test/release/test

# The Debian packages, in bare systems of its releases: build, install, use,
# remove; VERSIONS=17 for one version of PostgreSQL
test-package:
	@$(tree)test/package/run

# Builds the image of the Dockerfile and runs it: on BASE=image, which is
# downloaded, or on a stand-in for PostgreSQL's official image
test-container:
	@BASE="$(BASE)" $(tree)test/container/run

# The workflows of hosted CI and the Dockerfile, with linters for them
lint-hosted:
	@$(tree)test/hosted/lint

# A fresh machine of hosted CI: MAJOR=18 of PostgreSQL, PACKAGES="name name"
hosted-prepare:
	@$(tree)test/hosted/prepare $(MAJOR) $(PACKAGES)

.PHONY: $(OWN_TARGETS)
