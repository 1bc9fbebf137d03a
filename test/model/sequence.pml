/*
 * sequence.pml - a source that is not transactional: a native sequence, and the
 * lock that goes with a refill (U2, U3).
 *
 * nextval counts at once, for everybody, and its WAL record covers values
 * ahead. So a refill may write no WAL, and a commit flush nothing: whoever
 * publishes flushes up to the LSN of the sequence's page before.
 *
 * The lock is that of a database object, from the look into the cache to the
 * publication, by sessions and by the worker: no later block is in the cache
 * before an earlier one, so the ids of a session ascend.
 *
 * Bounds: SESSIONS=2 DRAWS=2
 * TURNS=0      refills by the worker
 * EVICTIONS=0
 * PROGRAMS=0   calls of nextval by a program whose transaction is open
 * REFILLS=255  by sessions; that many suffice
 */
int next = 1;         /* the sequence: an id is a bit, a block is two ids */
int logged = 1;       /* what its last WAL record covers; that covers two blocks */
int durable = 1;      /* and on disk */
int cached = 0;
bit refill_lock = 0;
byte finished = 0;

/* checked */
int issued = 0;
byte refills = 0;

#define LOW(set) ((set) & -(set))

/* draw_values(): a block */
inline draw_values()
{
	block = next * 3; next = next << 2; assert(next > 0);
	if :: next > logged -> logged = next << 2; wrote = 1 :: else fi;
	printf("nextval: %d\n", block)
}

/*
 * idgen_refill_and_publish(): a session that gets the lock looks into the cache
 * again. n sessions that wait make one refill.
 */
inline refill_and_publish()
{
	if
	:: cached != 0 && !M_NO_SECOND_LOOK -> skip
	:: else ->
		atomic { draw_values(); refills++; assert(refills <= REFILLS) };
		if :: M_PUBLISHED_BEFORE_FLUSH -> atomic { cached = cached | block } :: else fi;
		durable = logged;
		atomic { if :: !M_PUBLISHED_BEFORE_FLUSH -> cached = cached | block :: else fi; block = 0; wrote = 0 }
	fi
}

/* idgen_draw_one() */
proctype Session(byte s)
{
	byte draw = 0; int id = 0; int last = 0; int block = 0; bit wrote = 0;

	do
	:: draw < DRAWS ->
		if
		:: atomic {
				cached != 0 -> id = LOW(cached); cached = cached & ~id; printf("%d: draws %d\n", s, id);
				assert((issued & id) == 0 && id < durable && id > last);
				issued = issued | id; last = id; id = 0; draw++ }
		:: atomic { cached == 0 -> skip };
			if :: !M_NO_REFILL_LOCK -> atomic { !refill_lock -> refill_lock = 1 } :: else fi;
			refill_and_publish();
			if :: !M_NO_REFILL_LOCK -> refill_lock = 0 :: else fi
		fi
	:: else -> break
	od;
	finished++
}

/* publish_before_commit(), idgen_job_try() */
proctype Worker()
{
	byte turn = 0; int block = 0; bit wrote = 0;

	do
	:: turn < TURNS -> turn++;
		if :: !M_WORKER_TAKES_NO_LOCK -> atomic { !refill_lock -> refill_lock = 1 } :: else fi;
		atomic { draw_values() };
		/* its commit flushes only what it has written */
		if :: wrote || !M_WORKER_DOES_NOT_FLUSH -> durable = logged :: else fi;
		atomic { cached = cached | block; block = 0; wrote = 0 };
		if :: !M_WORKER_TAKES_NO_LOCK -> refill_lock = 0 :: else fi
	:: break
	od
}

/* Of the model: another program, which has not committed, so that nothing is flushed. */
proctype Program()
{
	byte i = 0; int block = 0; bit wrote = 0;

	do
	:: atomic { i < PROGRAMS -> draw_values(); issued = issued | block; block = 0; wrote = 0; i++ }
	:: break
	od
}

/* get_slot() */
proctype Evictor()
{
	byte i = 0;

	do
	:: atomic { i < EVICTIONS -> cached = 0; i++ }
	:: break
	od
}

/* Of the model: everything begins. */
init
{
	byte i;

	atomic {
		for (i : 1 .. SESSIONS) {
			run Session(i)
		}
		run Worker();
		run Program();
		run Evictor();
		i = 0
	}
}
