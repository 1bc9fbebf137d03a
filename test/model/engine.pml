/*
 * engine.pml - how ids get from rows through the cache to sessions: source
 * "table", refilled by sessions, by workers, or "auto".
 *
 * Sessions draw in transactions with savepoints, which commit, roll back or are
 * prepared. Meanwhile slots are evicted, a row is changed by SQL (C1, T2),
 * another program allocates (C2), workers start, leave and die.
 *
 * What is in atomic { } or d_step { } happens under one lightweight lock, or in
 * one step of the server. Between two of them any other process may go on.
 *
 * Bounds: SESSIONS=2 NAMES=1 XACTS=1 DRAWS=2 BLOCK=2 ROLLBACKS=1
 * SAVEPOINTS=0      that many in each transaction
 * SAVEPOINTS_KEPT=0 1: none is rolled back
 * ROW_LOCKS=0       1: a session may lock the row before it draws
 * OWN_CHANGES=0     1: a session may change the row in a savepoint that is rolled back
 * PREPARES=0        1: a session may prepare its last transaction
 * EVICTIONS=0 PROGRAMS=0
 * CHANGE=0          1: the row of name 0 is set back, 2: it becomes gapless
 * CHANGE_PREPARED=0 1: by a prepared transaction
 * REFILL=0          transaction; 1: worker; 2: auto
 * WORKERS=0         name n is refilled by worker n % WORKERS
 * PLACES=2          for requests
 * DEATHS=0          of workers
 * CULPRIT=0         1: no commit succeeds that writes row 0
 * REFILLS=255       that many suffice
 */
#define CHANGER SESSIONS
#define PROGRAM (SESSIONS + 1)
#define WORKER(v) (SESSIONS + 2 + (v))
#define PROCS (SESSIONS + 2 + WORKERS)

/* What a draw does next */
#define LOOK 0
#define VALIDATE 1
#define AWAIT_CLAIM 2
#define ASK 3
#define REFILL_ITSELF 4
#define DRAWN 5

#include "server.pml"
#include "cache.pml"
#include "desk.pml"

byte finished = 0;
bit prepared[SESSIONS + 1]; /* waits for COMMIT PREPARED; the last one is the changer */
#ifdef FAIR
ltl all_finish { <> (finished == SESSIONS) }
#endif

#define MY_XID XID(s, proc[s].sub)
#define IS_VALID (slot[n].there && slot[n].version == known || M_VERSION_NOT_COMPARED && known != 0)
/* such a transaction waits for no other refill: it may hold the row, also after a rollback to a savepoint */
#define MAY_HOLD_ROW (refilled || own_change || row[n].holder == s)

/*
 * idgen_handle_validate(), look_and_attach(): read the row, attach to a slot,
 * and look again if that is a new one, for nobody has told it of changes.
 */
inline validate()
{
	if :: slot[n].there -> known = slot[n].version :: else -> known = 0 fi;
	do
	:: atomic {
			gapless = (row[n].holder == s -> row[n].new_gapless : row[n].gapless);
			if
			:: known != 0 -> break
			:: else -> skip
			fi };
		atomic { make_slot(n); known = slot[n].version; if :: M_NO_SECOND_LOOK -> break :: else fi }
	od;
	step = LOOK
}

/*
 * idgen_slot_draw(): a session that has refilled asks the cache first for ids
 * below its own, until there is none, so that its ids ascend. An answer by
 * another version is no answer.
 */
inline look()
{
	if
	:: pending.ids != 0 && !cache_first -> take_pending(n, pending); step = DRAWN
	:: pending.ids != 0 && cache_first ->
		if
		:: IS_VALID && CACHED_BELOW(n, LOW(pending.ids)) -> take_cached(n); step = DRAWN
		:: !IS_VALID && slot[n].there && !M_STALE_IS_NO -> known = slot[n].version
		:: else -> cache_first = 0
		fi
	:: pending.ids == 0 && !IS_VALID -> step = VALIDATE
	:: pending.ids == 0 && IS_VALID && !gapless && CACHED_BELOW(n, 2 * STRANGE) -> take_cached(n); step = DRAWN
	:: else ->
		/* a check: what a handle says is true as long as its version is */
		assert(gapless || n > 0 || CHANGE != 2 || CHANGE_PREPARED || !change_returned || row[n].holder == s);
		find_refiller()
	fi;
	id = 0; era = 0
}

/*
 * answer_empty(), begin_refill(): who refills? A claim is a hint: it is void when
 * its xid has ended. That of another session stays until it was waited for.
 */
inline find_refiller()
{
	if
	:: gapless -> step = REFILL_ITSELF
	:: !gapless && slot[n].claim != 0 && !OWN(slot[n].claim) && slot[n].claim != waited_for &&
		(!MAY_HOLD_ROW || M_HOLDER_WAITS) ->
		w = slot[n].claim;
		if
		:: RUNNING(w) || LOCKED(w) || M_VOID_CLAIM_COUNTS -> printf("%d: waits for the claim of %d\n", s, w); slot[n].waiters++; counted = 1
		:: else
		fi;
		step = AWAIT_CLAIM
	:: else ->
		if
		:: REFILL != 0 && !alone && !MAY_HOLD_ROW -> step = ASK
		:: else ->
			if :: !M_NO_CLAIM && (slot[n].claim == 0 || OWN(slot[n].claim) || slot[n].claim == waited_for) -> slot[n].claim = MY_XID :: else fi;
			step = REFILL_ITSELF
		fi
	fi
}

/*
 * idgen_wait_for_claim(): for the claim; and then for whoever has
 * allocated, since a subtransaction's claim ends before the publication.
 */
inline await_claim()
{
	waited_for = w;
	if
	:: M_CLAIM_NEVER_VOID -> (!slot[n].there || slot[n].claim != w); w = 0
	:: else -> wait_for_xid(); wait_for_allocator()
	fi;
	atomic { if :: counted && slot[n].waiters > 0 && !M_VOID_CLAIM_COUNTS -> slot[n].waiters-- :: else fi; counted = 0; step = LOOK }
}

/*
 * idgen_wait_for_allocator(): until the allocator of the last block has published. One
 * that is in progress has rolled back to a savepoint, or the row were not free:
 * it has nothing to publish, and may wait for us.
 */
inline wait_for_allocator()
{
	atomic {
		w = (slot[n].there -> slot[n].allocator : 0);
		if :: w != 0 && (PROC(w) == s || (RUNNING(w) && !(M_RUNNING_ALLOCATOR_WAITED_FOR && row[n].holder == s))) -> w = 0 :: else fi
	};
	wait_for_xid()
}

/* change_row(), idgen_refill_pending(): lock the row, allocate, and claim nothing more. */
inline refill_itself()
{
	lock_row(n, MY_XID);
	wait_for_allocator();
	atomic {
		allocate(n, MY_XID, pending);
		if :: proc[s].sub != 0 -> of_savepoint = 1 :: else fi;
		refilled = 1; cache_first = !pending.gapless; alone = 0; step = LOOK
	}
}

/* save(), before a subtransaction changes anything */
inline savepoint()
{
	printf("%d: SAVEPOINT\n", s);
	savepoints++; proc[s].sub = savepoints; proc[s].sublocked = 1;
	held = (row[n].holder == s); held_next = row[n].new_next; held_written = row[n].written;
	drawn_inside = 0; of_savepoint = 0; refilled_before = refilled
}

/* idgen_pending_release_savepoint() */
inline release_savepoint()
{
	printf("%d: RELEASE\n", s);
	proc[s].released = proc[s].released | (1 << proc[s].sub); proc[s].sub = 0; proc[s].sublocked = 0;
	drawn = drawn | drawn_inside; drawn_inside = 0; of_savepoint = 0
}

/* idgen_pending_roll_back_savepoint(): its block goes; what was drawn of an outer one stays drawn. */
inline roll_back_savepoint()
{
	printf("%d: ROLLBACK TO\n", s);
	if :: of_savepoint -> pending.ids = 0; last = (era_safe == era_last -> last_safe : 0) :: else fi;
	issued[n].era[pending.era] = issued[n].era[pending.era] & ~drawn_inside; drawn_inside = 0; of_savepoint = 0;
	if
	:: row[n].holder == s && !held -> let_row_go(n)
	:: row[n].holder == s && held -> row[n].new_next = held_next; row[n].written = held_written
	:: else
	fi;
	if :: M_REFILLED_IS_UNDONE -> refilled = refilled_before :: else fi;
	proc[s].sub = 0; proc[s].sublocked = 0; known = 0; step = LOOK
}

/* end_of_transaction() at commit. The comparison comes before the own changes, which may have been rolled back. */
inline commit()
{
	if :: M_PUBLISHED_BEFORE_FLUSH -> d_step { publish(n, pending) } :: else fi;
	flush();
	become_visible();
	if :: M_LOCKS_GO_FIRST -> let_locks_go() :: else fi;
	d_step {
		if :: own_change && M_OWN_CHANGE_IS_EXEMPT -> drop_cached(n); own_change = 0; pending.good_as_of = 255 :: else fi;
		publish(n, pending);
		if :: own_change -> drop_cached(n) :: else fi
	};
	if :: !M_LOCKS_GO_FIRST -> let_locks_go() :: else fi;
	last_safe = last; era_safe = era_last
}

/* end_of_transaction() at abort: nothing has to be taken back in shared memory. */
inline roll_back()
{
	d_step {
		printf("%d: ROLLBACK\n", s);
		issued[n].era[pending.era] = issued[n].era[pending.era] & ~drawn;
		if :: M_PUBLISHED_AT_ABORT -> publish(n, pending) :: else fi;
		pending.ids = 0; last = (era_safe == era_last -> last_safe : 0); known = 0
	};
	abort_rows();
	let_locks_go()
}

/*
 * end_of_transaction() at PREPARE: what is left is lost, whichever way it ends
 * (T3). The session has nothing to do with it any more; another one stands for
 * what it draws later.
 */
inline prepare()
{
	atomic {
		printf("%d: PREPARE TRANSACTION\n", s);
		if :: M_PUBLISHED_AT_PREPARE -> publish(n, pending) :: else fi;
		pending.ids = 0; prepared[s] = 1
	};
	/* the server's own, in another session: no callback runs */
	if
	:: flush(); become_visible()
	:: roll_back()
	fi;
	let_locks_go(); prepared[s] = 0
}

/* idgen_draw_one(), and what a client does */
proctype Session(byte s)
{
	byte n = s % NAMES; byte xact = 0; byte draw = 0; byte step = LOOK; byte i = 0;
	byte known = 0; bit gapless = 0;   /* the handle: the slot's version, and what the row says */
	Pending pending; bit of_savepoint = 0; bit cache_first = 0;
	bit refilled = 0; bit refilled_before = 0; bit own_change = 0;
	byte w = 0; byte waited_for = 0; bit counted = 0; bit alone = 0;
	byte place = 0; byte serial = 0;
	byte savepoints = 0; bit held = 0; short held_next = 0; bit held_written = 0; bit must_roll_back = 0;
	/* checked: what a rollback gives back, and the order */
	short drawn = 0; short drawn_inside = 0;
	short id = 0; bit era = 0; short last = 0; bit era_last = 0; short last_safe = 0; bit era_safe = 0;

	do
	:: xact < XACTS ->
		begin_transaction();
		if
		:: ROW_LOCKS -> lock_row(n, MY_XID)    /* SELECT ... FOR UPDATE */
		:: skip
		fi;
		do
		:: draw < DRAWS ->
			draw++; step = LOOK; waited_for = 0;
			do
			:: atomic { step == LOOK -> look() }
			:: step == VALIDATE -> validate()
			:: step == AWAIT_CLAIM -> await_claim()
			:: step == ASK -> ask_worker()
			:: step == REFILL_ITSELF -> refill_itself()
			:: step == DRAWN -> break
			od;
			alone = 0
		:: atomic { proc[s].sub == 0 && savepoints < SAVEPOINTS -> savepoint() }
		:: OWN_CHANGES && proc[s].sub != 0 && !own_change ->
			lock_row(n, MY_XID); atomic { printf("%d: changes the row\n", s); own_change = 1; must_roll_back = 1 }
		:: atomic { proc[s].sub != 0 && proc[s].sublocked -> proc[s].sublocked = 0 }
		:: atomic { proc[s].sub != 0 && !must_roll_back -> release_savepoint() }
		:: atomic { proc[s].sub != 0 && !SAVEPOINTS_KEPT -> roll_back_savepoint(); must_roll_back = 0 }
		:: proc[s].sub == 0 -> break
		od;
		if
		:: commit()
		:: ROLLBACKS -> roll_back()
		:: PREPARES && xact == XACTS - 1 -> prepare()
		fi;
		atomic {
			xact++; draw = 0; drawn = 0; refilled = 0; refilled_before = 0; own_change = 0; cache_first = 0;
			savepoints = 0; held = 0; held_next = 0; held_written = 0; waited_for = 0
		}
	:: else -> break
	od;
	finished++
}

/* idgen_row_changed(): SQL sets the row back, or makes it gapless. */
proctype Changer(byte s)
{
	byte w = 0; byte i = 0; byte n = 0;

	begin_transaction();
	lock_row(0, MY_XID);
	atomic {
		printf("change: the row is updated\n"); row[0].written = 1; row[0].new_era = 1;
		if :: CHANGE == 1 -> row[0].new_next = 1 :: else -> row[0].new_gapless = 1 fi
	};
	if
	:: CHANGE_PREPARED -> atomic { if :: !M_PREPARED_CHANGE_UNTOLD -> drop_cached(0) :: else fi; printf("change: PREPARE\n") };
		flush(); become_visible(); let_locks_go()
	:: else ->
		if
		:: flush()
		:: skip    /* synchronous_commit = off */
		fi;
		become_visible();
		d_step { if :: !M_CHANGE_UNTOLD -> drop_cached(0) :: else fi };
		let_locks_go()
	fi;
	atomic { printf("change: COMMIT returns\n"); change_returned = 1 }
}

/* idgen_row_changed(): another program takes a block for itself, by the classic two statements (C2). */
proctype Program(byte s)
{
	byte w = 0; byte i = 0; byte j = 0; short ids;

	do
	:: j < PROGRAMS ->
		begin_transaction();
		lock_row(0, MY_XID);
		atomic {
			row[0].written = 1; ids = row[0].new_next * ((1 << BLOCK) - 1); printf("program: takes %d\n", ids);
			assert((issued[0].era[row[0].new_era] & ids) == 0);
			issued[0].era[row[0].new_era] = issued[0].era[row[0].new_era] | ids;
			row[0].new_next = row[0].new_next << BLOCK; ids = 0
		};
		flush(); become_visible(); let_locks_go();
		j++
	:: else -> break
	od
}

/* get_slot(), whoever needs a place */
proctype Evictor()
{
	byte i = 0; byte n = 0;

	do
	:: atomic { i < EVICTIONS && slot[0].there -> evict_slot(0); i++ }
	:: break
	od
}

/* Of the model: everything begins. */
init
{
	byte i;

	atomic {
		for (i : 0 .. NAMES - 1) {
			row[i].next = 1; row[i].durable[0] = 1; row[i].durable[1] = 1; row[i].holder = NOBODY;
			slot[i].ids[0] = STRANGE
		}
		for (i : 1 .. SESSIONS) {
			run Session(i - 1)
		}
		if :: CHANGE != 0 -> run Changer(CHANGER) :: else fi;
		if :: PROGRAMS != 0 -> run Program(PROGRAM) :: else fi;
		if :: EVICTIONS != 0 -> run Evictor() :: else fi;
		if :: WORKERS > 0 -> run Worker(0) :: else fi;
		if :: WORKERS > 1 -> run Worker(1) :: else fi;
		i = 0
	}
}
