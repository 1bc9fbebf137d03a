/*
 * watermark.pml - idgen_watermark(): the id up to which none will appear any
 * more (rule T10).
 *
 * One id sequence of source "table", or of a native sequence, which only the
 * worker refills here. An id is a bit, a block is two ids. Who has drawn, or
 * allocated, is noted with its least id until its rows are visible and the rest
 * is in the cache. The answer is the least of the row's next_block_start, the
 * cache and the notes, less one.
 *
 * A transaction that switches the column on has it noted before it commits that
 * not all is known. The first reader that sees the row has all handles looked
 * at again, and lists the transactions that are open: these may hold ids that
 * nobody has noted. When they have ended, callbacks included, all is known.
 * After a restart, the prepared transactions that have outlasted it count in
 * the same way.
 *
 * What the engine does is in engine.pml; here it has its order, and what makes
 * blocks void.
 *
 * Bounds: SESSIONS=2 XACTS=1 DRAWS=2 ANSWERS=2
 * TURNS=0      refills by the worker
 * SEQUENCE=0   1: from a native sequence
 * EVICTIONS=0
 * SAVEPOINTS=0 1: a savepoint in each transaction, which may be rolled back
 * RANGES=0     1: two ids may be drawn at once
 * PREPARES=0   transactions that are prepared
 * RESTARTS=0   clean ones, when no transaction is open
 * CHANGES=0    1: the column is switched on; 2: off and on
 * ROLLBACKS=1
 */
#define NOBODY 255
#define WORKER SESSIONS
#define PREPARED (SESSIONS + 1)
#define NOTES (SESSIONS + 2)
#define BIT(n) (1 << (n))
#define LOW(set) ((set) & -(set))
#define UP_TO(id) ((id) | ((id) - 1))

int next = 1; byte row_holder = NOBODY; /* the row, as others see it */
bit kept = (CHANGES != 1);
bit sequence_lock = 0;

bit there = 1; byte version = 1; byte emptied_at = 0; int cached = 0; /* the slot */
byte allocator = NOBODY;
bit callback_due[SESSIONS + 1]; /* visible, but its callback has not come */

bit known = 1;        /* if not: */
byte switches = 1;    /* how often it was switched on */
bit listed = 0;       /* are the transactions known that count? */
byte waited_for = 0;  /* of these, those that are open: bits */
int note[NOTES];             /* 0, or the least id */

byte open_xacts = 0; bit is_prepared = 0; int prepared_rows = 0; int prepared_next = 0; byte prepares = 0;
byte finished = 0; byte restarts = 0;

/* checked */
int watermark = 1;   /* the last answer: the next id that may come */
int vouched_for = 1; /* the same, when the reader took its snapshot */

/* idgen_note_lower() */
inline lower_note(who, id)
{
	if :: note[who] == 0 || ((id) < note[who] && !M_LOWER_NOT_NOTED) -> note[who] = id :: else fi
}

/* idgen_draw_one(): an id, or a range, is drawn */
inline issue(ids)
{
	assert(LOW(ids) >= watermark);
	printf("%d: draws %d\n", s, ids);
	if :: in_savepoint -> rows_of_savepoint = rows_of_savepoint | (ids) :: else -> rows = rows | (ids) fi;
	if :: M_NOTED_AFTER_DRAW -> late = (late == 0 -> LOW(ids) : late) :: !M_NOTED_AFTER_DRAW && handle_keeps -> lower_note(s, LOW(ids)) :: else fi
}

/* Of the model: what becomes visible that a reader has been told not to expect */
inline become_visible(these)
{
	assert(((these) & (vouched_for - 1)) == 0);
}

/* idgen_handle_validate() */
inline validate()
{
	if :: handle_version != version -> handle_version = version; handle_keeps = kept :: else fi
}

/* idgen_cache_attach() */
inline attach()
{
	if :: !there -> there = 1; version++; emptied_at = version; cached = 0; allocator = NOBODY :: else fi
}

/* idgen_refill_pending() */
inline refill(in_range)
{
	atomic { row_holder == NOBODY || row_holder == s -> if :: row_holder == NOBODY -> row_holder = s; new_next = next :: else fi };
	(allocator == NOBODY || allocator == s || !callback_due[allocator]);
	atomic {
		attach(); validate();
		allocator = s; as_of = version; pending = new_next * 3;
		if :: handle_keeps && !M_BLOCK_NOT_NOTED -> lower_note(s, new_next) :: else fi;
		printf("%d: allocates from %d\n", s, new_next);
		new_next = new_next << 2; ahead = 1;
		if :: in_savepoint -> refilled_in_savepoint = 1 :: else fi;
		if :: in_range -> issue(pending); pending = 0 :: else fi
	}
}

/* idgen_draw_one(): pending, then cache; after a refill the cache first */
inline draw()
{
	done = 0;
	do
	:: done -> break
	:: atomic { !done && pending != 0 && (!ahead || !there || (cached & (LOW(pending) - 1)) == 0) -> issue(LOW(pending)); pending = pending & (pending - 1); ahead = 0; done = 1 }
	:: atomic { !done && pending != 0 && ahead && there && (cached & (LOW(pending) - 1)) != 0 ->
			validate(); issue(LOW(cached)); cached = cached & (cached - 1); done = 1 }
	:: atomic { !done && pending == 0 && handle_version != version -> validate() }
	:: atomic { !done && pending == 0 && handle_version == version && there && cached != 0 -> issue(LOW(cached)); cached = cached & (cached - 1); done = 1 }
	:: atomic { !done && RANGES && pending == 0 && handle_version == version && there && (cached & (cached >> 1)) != 0 ->
			id = LOW(cached & (cached >> 1)); issue(id * 3); cached = cached & ~(id * 3); id = 0; done = 1 }
	:: atomic { !done && RANGES && !SEQUENCE && pending == 0 && handle_version == version && (cached & (cached >> 1)) == 0 -> skip };
			refill(1); done = 1
	:: atomic { !done && !SEQUENCE && pending == 0 && handle_version == version && (!there || cached == 0) -> skip };
			refill(0)
	:: atomic { !done && SEQUENCE && (!there || cached == 0) -> done = 1 }
	od;
	if :: M_NOTED_AFTER_DRAW -> atomic { if :: late != 0 -> lower_note(s, late); late = 0 :: else fi } :: else fi
}

/* the locks of a transaction go: VirtualXactLock() */
inline let_go(who)
{
	open_xacts = open_xacts & ~BIT(who); waited_for = waited_for & ~BIT(who)
}

/* ResourceOwnerRelease(), as far as the row is concerned */
inline free_row(who)
{
	if :: row_holder == who -> row_holder = NOBODY :: else fi;
}

/* the server's commit, end_of_transaction(), idgen_pending_finish() */
inline commit()
{
	if :: M_NOTE_GOES_FIRST -> note[s] = 0 :: else fi;
	atomic {
		if :: row_holder == s -> next = new_next; row_holder = NOBODY :: else fi;
		callback_due[s] = 1; become_visible(rows); printf("%d: COMMIT\n", s);
		open_xacts = open_xacts & ~BIT(s)
	};
	if :: M_NOTE_GOES_BEFORE_IDS -> note[s] = 0 :: else fi;
	atomic {
		if :: there && emptied_at <= as_of -> cached = cached | pending :: else fi;
		pending = 0
	};
	atomic { note[s] = 0; callback_due[s] = 0; if :: allocator == s -> allocator = NOBODY :: else fi; let_go(s) }
}

/* end_of_transaction() at abort */
inline roll_back()
{
	atomic { free_row(s); printf("%d: ROLLBACK\n", s) };
	atomic { pending = 0; note[s] = 0; if :: allocator == s -> allocator = NOBODY :: else fi; let_go(s) }
}

/* idgen_note_keep_prepared() */
inline prepare()
{
	atomic {
		is_prepared = 1; prepared_rows = rows; prepared_next = new_next;
		if :: !M_PREPARED_FORGOTTEN -> note[PREPARED] = note[s] :: else fi;
		note[s] = 0;
		if :: row_holder == s -> row_holder = PREPARED :: else fi;
		pending = 0; if :: allocator == s -> allocator = NOBODY :: else fi;
		if :: waited_for & BIT(s) -> waited_for = waited_for | BIT(PREPARED) :: else fi;
		open_xacts = open_xacts | BIT(PREPARED);
		let_go(s); printf("%d: PREPARE\n", s)
	}
}

/* Of the model: what a client does */
proctype Session(byte s)
{
	byte xact = 0; byte draws = 0; bit done = 0; int id = 0; int late = 0;
	byte handle_version = 1; bit handle_keeps = (CHANGES != 1);
	int rows = 0; int rows_of_savepoint = 0; int pending = 0; int new_next = 0; byte as_of = 0; bit ahead = 0;
	bit in_savepoint = 0; bit had_savepoint = 0; bit refilled_in_savepoint = 0; bit held_before = 0; int next_before = 0; int pending_before = 0;

	do
	:: xact < XACTS ->
		atomic { open_xacts = open_xacts | BIT(s); xact++ };
		do
		:: draws < DRAWS -> draws++; draw()
		:: atomic { SAVEPOINTS && !had_savepoint -> had_savepoint = 1; in_savepoint = 1; held_before = (row_holder == s); next_before = new_next; pending_before = pending; refilled_in_savepoint = 0 }
		:: atomic { in_savepoint -> in_savepoint = 0; rows = rows | rows_of_savepoint; rows_of_savepoint = 0 }
		:: atomic { in_savepoint -> in_savepoint = 0; rows_of_savepoint = 0; printf("%d: ROLLBACK TO\n", s);
			if :: refilled_in_savepoint -> pending = 0 :: else fi;
			if
			:: row_holder == s && !held_before -> row_holder = NOBODY
			:: row_holder == s && held_before -> new_next = next_before
			:: else
			fi;
			if :: M_SAVEPOINT_TAKES_NOTE -> note[s] = 0 :: else fi }
		:: !in_savepoint -> break
		od;
		if
		:: commit()
		:: ROLLBACKS -> roll_back()
		:: atomic { prepares < PREPARES && !is_prepared && rows != 0 -> prepares++ }; prepare()
		fi;
		atomic { draws = 0; rows = 0; pending = 0; new_next = 0; as_of = 0; ahead = 0; had_savepoint = 0; refilled_in_savepoint = 0; held_before = 0; next_before = 0; pending_before = 0 }
	:: else -> break
	od;
	finished++
}

/* idgen_job_try(), idgen_refill_pending(); from a native sequence, whose values are gone at once */
proctype Worker()
{
	byte turn = 0; int pending = 0; byte as_of = 0; int new_next = 0;

	do
	:: turn < TURNS ->
		atomic { turn++; open_xacts = open_xacts | BIT(WORKER) };
		if
		:: SEQUENCE ->
			atomic { !sequence_lock -> sequence_lock = 1 };
			atomic { attach(); if :: !M_SEQUENCE_NOTED_LATE -> note[WORKER] = next :: else fi };
			atomic { as_of = version; pending = next * 3; next = next << 2; printf("worker: nextval\n") };
			if :: M_SEQUENCE_NOTED_LATE -> note[WORKER] = LOW(pending) :: else fi
		:: else ->
			atomic { row_holder == NOBODY -> row_holder = WORKER; new_next = next };
			(allocator == NOBODY || !callback_due[allocator]);
			atomic {
				attach(); allocator = WORKER; as_of = version; pending = new_next * 3;
				if :: kept && !M_BLOCK_NOT_NOTED -> note[WORKER] = new_next :: else fi;
				new_next = new_next << 2; printf("worker: allocates\n")
			};
			if
			:: atomic { ROLLBACKS -> row_holder = NOBODY; pending = 0; note[WORKER] = 0; if :: allocator == WORKER -> allocator = NOBODY :: else fi; let_go(WORKER) };
				goto next_turn
			:: atomic { next = new_next; row_holder = NOBODY; callback_due[WORKER] = 1; open_xacts = open_xacts & ~BIT(WORKER) }
			fi
		fi;
		if :: M_NOTE_GOES_BEFORE_IDS -> note[WORKER] = 0 :: else fi;
		atomic { if :: there && emptied_at <= as_of -> cached = cached | pending :: else fi; pending = 0 };
		atomic {
			note[WORKER] = 0; callback_due[WORKER] = 0; sequence_lock = 0;
			if :: allocator == WORKER -> allocator = NOBODY :: else fi; let_go(WORKER)
		};
next_turn:
		as_of = 0
	:: break
	od
}

/* Of the model: COMMIT PREPARED and ROLLBACK PREPARED, which run no callback */
proctype Finisher()
{
end:	do
	:: atomic { is_prepared ->
			if :: row_holder == PREPARED -> next = prepared_next; row_holder = NOBODY :: else fi;
			is_prepared = 0; become_visible(prepared_rows); prepared_rows = 0; printf("COMMIT PREPARED\n") };
		atomic { note[PREPARED] = 0; let_go(PREPARED) }
	:: atomic { is_prepared -> free_row(PREPARED); is_prepared = 0; prepared_rows = 0; note[PREPARED] = 0; let_go(PREPARED) }
	od
}

/* Of the model: the server is stopped and started when no transaction is open. */
proctype Restarter()
{
	do
	:: atomic { restarts < RESTARTS && (open_xacts & ~BIT(PREPARED)) == 0 ->
			restarts++; known = !is_prepared || M_RECOVERED_FORGOTTEN; listed = 1; waited_for = open_xacts;
			version++; allocator = NOBODY; note[PREPARED] = 0; printf("restart\n");
			if :: skip :: there = 0; cached = 0 fi }
	:: break
	od
}

/* get_slot() */
proctype Evictor()
{
	byte i = 0;

	do
	:: atomic { i < EVICTIONS && there -> i++; there = 0; cached = 0; version++; allocator = NOBODY }
	:: break
	od
}

/* idgen_notes_begin(), and end_of_transaction() */
inline switch(on)
{
	atomic { row_holder == NOBODY -> row_holder = SESSIONS + 3 };
	if :: on && !M_SWITCH_NOT_NOTED -> atomic { known = 0; listed = 0; switches++ } :: else fi;
	atomic { kept = on; row_holder = NOBODY; printf("switched: %d\n", on) };
	atomic { version++; if :: there -> emptied_at = version; cached = 0 :: else fi }
}

/* Of the model: the column is switched */
proctype Changer()
{
	if :: CHANGES == 2 -> switch(0) :: else fi;
	switch(1)
}

/* idgen_notes_look(): the cache and the notes, under the slot's lock; the row was read before */
inline look()
{
	answer = row;
	if :: there && cached != 0 && LOW(cached) < answer && !M_CACHE_UNSEEN -> answer = LOW(cached) :: else fi;
	for (i : 0 .. NOTES - 1) {
		if :: note[i] != 0 && note[i] < answer -> answer = note[i] :: else fi
	}
	i = 0
}

/* idgen_watermark() */
proctype Reader()
{
	byte answers = 0; int row = 0; int answer = 0; byte i = 0; byte seen = 0;

	do
	:: answers < ANSWERS ->
		answers++;
		if :: !kept -> goto refused :: else fi;
		seen = (known -> 0 : switches);
		if
		:: seen != 0 ->
			/* the row once more, which may have been switched off and on */
			if :: !kept && !M_ROW_NOT_READ_AGAIN -> goto refused :: else fi;
			atomic {
				if :: !listed && !M_HANDLES_STAY -> version++ :: else fi;
				if :: !listed && !M_CACHE_STAYS && there -> emptied_at = version; cached = 0 :: else fi
			};
			atomic {
				if :: seen == switches && !known && !listed -> listed = 1; waited_for = (M_NOBODY_WAITED_FOR -> 0 : open_xacts) :: else fi;
				if :: seen == switches && listed && waited_for == 0 -> known = 1 :: else fi
			}
		:: else
		fi;
		atomic { if :: !kept -> goto refused :: else fi; row = next };
		if :: M_TWO_LOOKS -> atomic { if :: there && cached != 0 && LOW(cached) < row -> row = LOW(cached) :: else fi } :: else fi;
		atomic {
			if :: !known -> printf("not known yet\n"); goto refused :: else fi;
			if :: M_ROW_READ_LAST -> row = 1 << 30 :: else fi;
			if :: M_TWO_LOOKS -> answer = row; for (i : 0 .. NOTES - 1) { if :: note[i] != 0 && note[i] < answer -> answer = note[i] :: else fi }; i = 0 :: else -> look() fi;
			if :: !M_ROW_READ_LAST -> assert(answer >= watermark); watermark = answer; printf("answer: %d may come\n", answer) :: else fi
		};
		if :: M_ROW_READ_LAST -> atomic { answer = (next < answer -> next : answer); watermark = answer } :: else fi;
		vouched_for = watermark;
refused:
		atomic { row = 0; answer = 0; i = 0; seen = 0 }
	:: else -> break
	od;
	/* When all is over it says all that is known. */
	if
	:: CHANGES || RESTARTS -> skip
	:: else -> atomic {
			finished == SESSIONS && open_xacts == 0 -> row = next; look();
			assert(answer == (there && cached != 0 -> LOW(cached) : next))
		}
	fi
}

init
{
	byte i;

	atomic {
		for (i : 1 .. SESSIONS) {
			run Session(i - 1)
		}
		if :: TURNS -> run Worker() :: else fi;
		if :: PREPARES -> run Finisher() :: else fi;
		if :: RESTARTS -> run Restarter() :: else fi;
		if :: EVICTIONS -> run Evictor() :: else fi;
		if :: CHANGES -> run Changer() :: else fi;
		run Reader();
		i = 0
	}
}
