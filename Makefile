# idgen - unique ids from named sequences, handed out from memory

MODULE_big = idgen
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c)))

EXTENSION = idgen
DATA = $(wildcard sql/idgen--*.sql)
PGFILEDESC = "idgen - unique ids from named sequences"

# The answers of both suites lie in expected/.
REGRESS = $(sort $(notdir $(basename $(wildcard test/sql/*.sql))))
REGRESS_OPTS = --inputdir=test
ISOLATION = $(sort $(notdir $(basename $(wildcard test/specs/*.spec))))
ISOLATION_OPTS = --inputdir=test --outputdir=.

# The TAP tests bring their own servers, so installcheck leaves them out unless
# it is called with TAP_TESTS=1.
PROVE_TESTS = test/t/*.pl

PG_CONFIG ?= pg_config
BENCH ?= run
CLANG_FORMAT ?= $(shell command -v clang-format-14 || echo clang-format)
FORMATTED = $(wildcard src/*.[ch] test/bench/*.c test/stress/*.[ch] test/t/*.c)

# These do not need a PostgreSQL installation while make reads this file.
INSTRUMENTS = coverage cassert asan valgrind analyze
OWN_TARGETS = test stress stress-mutants fuzz assert $(INSTRUMENTS) demo demo-cluster bench format format-check

ifneq (,$(filter-out $(OWN_TARGETS),$(or $(MAKECMDGOALS),all)))

# Named as system directories, the headers of the server and of libpq raise no warnings
# in our code. The server's come first: those of libpq may be of another version.
# Callbacks get their parameters from the server, whether they use them or not. Its
# functions are called without a stub in between.
PG_CPPFLAGS = -isystem $(shell $(PG_CONFIG) --includedir-server) -isystem $(libpq_srcdir)
PG_CFLAGS = -Wall -Wextra -Wno-unused-parameter -fno-plt
SHLIB_LINK = $(libpq)

# A running server may lack what test/idgen.conf sets. Then installcheck runs the
# regression tests that do not say they need it, and no isolation test.
ifneq (,$(filter installcheck,$(MAKECMDGOALS)))
NEEDS_CONF = needs test/idgen.conf
SERVER_CONF := $(shell psql -XAtd postgres -c "SELECT 'ready' WHERE \
	current_setting('shared_preload_libraries') ~ '\midgen\M' AND \
	current_setting('max_prepared_transactions') <> '0'" 2>/dev/null)
ifneq (ready,$(SERVER_CONF))
$(warning the server does not run with the settings of test/idgen.conf: not all tests are run)
REGRESS := $(sort $(notdir $(basename $(shell grep -Ls '$(NEEDS_CONF)' test/sql/*.sql))))
ISOLATION :=
endif
endif

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# PGXS does not track headers.
$(OBJS) $(OBJS:.o=.bc): $(wildcard src/*.h)

endif

# Everything below works in a copy of this tree, with servers of its own; see
# test/lib.sh.

# ONLY="regress isolation tap" selects suites, TESTS="name name" selects tests
test:
	@test/run

# the same with idgen's own assertions
assert:
	@COPT="$(COPT) -DUSE_ASSERT_CHECKING" test/run

# see the head of each
$(INSTRUMENTS):
	@test/instruments/$@

demo:
	@test/demo

demo-cluster:
	@test/demo_cluster

# SECONDS=1800 for a longer run, SEED=number for a certain one, CLIENTS=16
stress:
	@STRESS_SECONDS=$(or $(SECONDS),60) test/stress/run

# Whether that finds builds which break a rule on purpose; MUTANTS="name name" for some of them
stress-mutants:
	@STRESS_SECONDS=$(or $(SECONDS),60) test/stress/check_mutants

# SECONDS=60 for a shorter run, SEED=number for a certain one
fuzz:
	@FUZZ_SECONDS=$(or $(SECONDS),600) COPT="$(or $(COPT),-DUSE_ASSERT_CHECKING)" \
		ONLY=tap TESTS=145_fuzz test/run

# QUICK=1 for a first look, ONLY="calls bulk" for some chapters; BENCH=instructions counts instructions
bench:
	@test/bench/$(BENCH)

format:
	$(CLANG_FORMAT) -i $(FORMATTED)

format-check:
	$(CLANG_FORMAT) --dry-run -Werror $(FORMATTED)

.PHONY: $(OWN_TARGETS)
