/*
 * marks.pml - source "server": a centre that goes back (C5), and the marks of
 * what a node has received.
 *
 * The mark of a name is a row: the last id that this node has received, from
 * which centre (its system identifier), and how often an operator has accepted
 * another centre. Each request shows it, and the centre gives nothing if it is
 * another one, or has not yet got behind the mark. The worker writes the mark
 * before it publishes. A session that fetches a block itself can write its mark
 * at its commit only. Until then the slot knows it, and compares what comes from
 * elsewhere. If the slot goes before, these ids are excepted from C5.
 *
 * Between a request and its answer anything may happen: another answer
 * overtakes it, the centre goes back or is replaced, an operator accepts that.
 *
 * A block is one id, and an id is a bit.
 *
 * Bounds: SESSIONS=2 DRAWS=2 TURNS=2 BACKS=1
 * EVICTIONS=0
 * REPLACED=0    1: another cluster becomes the centre, and gives what this node is not known to have issued
 * OTHER_NODE=0  1: another node draws from that, too
 * STEP_OVER=0   1: idgen.step_over
 */
typedef Centre { int next; bit system; bit closed };
Centre centre;

typedef Mark { int last; bit known; bit system; byte accepted };
Mark mark;          /* the row, as committed */
int durable = 0;    /* its last, on disk */
byte marker = 0;    /* who has the row locked, from its UPDATE to the end of its commit; 0 nobody */

bit slot_there = 1; int slot_mark = 0; int cached = 0;
bit refill_lock = 0;
byte finished = 0;

/* checked */
int issued = 0;
int fetched = 0;    /* by sessions themselves, in no mark so far */
int excepted = 0;   /* of these, what no slot knows any more */
int recorded = 0;   /* received, and known by the mark, or to be known */

#define LOW(set) ((set) & -(set))
#define MAX(a, b) ((a) > (b) -> (a) : (b))

/* A check: no id twice (U2, C5). */
inline issue()
{
	printf("%d: draws %d\n", s, id);
	assert((issued & ~excepted & id) == 0); issued = issued | id; id = 0
}

/* read_mark(): what the request shows. The slot knows more than the row for a while. */
inline read_mark()
{
	shown = MAX(mark.last, (slot_there -> slot_mark : 0));
	shown_known = mark.known; shown_system = mark.system; shown_accepted = mark.accepted
}

/* idgen_centre_begin_allocation(): at the centre, in a transaction that is flushed before it answers */
inline ask()
{
	got = 0;
	if
	:: centre.closed || (((shown_known && shown_system != centre.system) || centre.next <= shown) && !M_CENTRE_LOOKS_AT_NO_MARK) ->
		if
		:: STEP_OVER && !centre.closed -> centre.next = MAX(centre.next, (shown << 1)); got = centre.next
		:: else -> printf("%d: refused\n", s)
		fi
	:: else -> got = centre.next
	fi;
	if
	:: got != 0 -> centre.next = got << 1; assert(centre.next > 0); got_system = centre.system; printf("%d: the centre gives %d\n", s, got)
	:: else
	fi
}

/* Has the answer been overtaken by a later one, or by an operator? Then its block is a gap. */
#define IS_OVERTAKEN ((got <= mark.last && !M_OVERTAKEN_IS_USED) || \
	(shown_accepted != mark.accepted && !M_ACCEPTED_NOT_COMPARED))

/* idgen_mark_raise() */
inline raise_mark()
{
	mark.last = got; mark.known = 1; mark.system = got_system
}

/* idgen_slot_publish(). A check: what lies behind the mark is never used (C5). */
inline use()
{
	assert((recorded & got) == 0);
	cached = cached | got; slot_mark = got
}

/* finish_job(), at the worker's commit: the mark is on disk, whatever happens to the node. */
inline publish()
{
	assert(durable >= got);
	if :: slot_there && (got > slot_mark || M_SLOT_MARK_NOT_COMPARED) -> use() :: else fi;
	recorded = recorded | ((got << 1) - 1)
}

/* server_allocate(): the worker of the centre, two transactions for each turn */
proctype Worker(byte s)
{
	byte turn = 0; int shown = 0; bit shown_known = 0; bit shown_system = 0; byte shown_accepted = 0; int got = 0; bit got_system = 0;
	bit good = 0;

	do
	:: turn < TURNS ->
		turn++;
		atomic { read_mark() };
		atomic { ask() };
		if
		:: got != 0 ->
			/* the second transaction: lock the mark, write, flush, visible, publish, locks go */
			atomic { marker == 0 -> marker = s };
			atomic { good = !IS_OVERTAKEN };
			if
			:: good ->
				if :: M_PUBLISHED_BEFORE_MARK -> atomic { publish() } :: else fi;
				if :: !M_MARK_NOT_FLUSHED -> durable = got :: else fi;
				atomic { raise_mark() };
				if :: !M_PUBLISHED_BEFORE_MARK -> atomic { publish() } :: else fi
			:: else
			fi;
			atomic { marker = 0; got = 0; good = 0 }
		:: else
		fi
	:: else -> break
	od
}

/* Of the model */
inline record()
{
	fetched = fetched & ~got; recorded = recorded | got
}

/*
 * idgen_mark_raise(), at the session's commit: without waiting for a worker
 * that writes a later mark just now. At a rollback there is nothing to write.
 */
inline commit_mark()
{
	if
	:: atomic { marker == 0 && !M_SESSION_FORGETS -> marker = s };
		if :: got > mark.last && shown_accepted == mark.accepted -> durable = got; atomic { raise_mark(); record() } :: else fi;
		marker = 0
	:: atomic { M_SESSION_FORGETS -> record() }
	:: skip    /* ROLLBACK, or the row is locked */
	fi;
	got = 0
}

/*
 * server_allocate(): where no worker can be had. Only one
 * session at a time fetches a block; the others look into the cache again.
 */
proctype Session(byte s)
{
	byte draw = 0; int id = 0; int shown = 0; bit shown_known = 0; bit shown_system = 0; byte shown_accepted = 0; int got = 0; bit got_system = 0;
	bit failed = 0;

	do
	:: draw < DRAWS && !failed ->
		draw++;
		do
		:: atomic { slot_there && cached != 0 -> id = LOW(cached); cached = cached & ~id; issue(); break }
		:: atomic { !(slot_there && cached != 0) && got == 0 && !refill_lock -> refill_lock = 1 };
			atomic { slot_there = 1 };
			if
			:: cached != 0 -> refill_lock = 0
			:: else ->
				atomic { read_mark() };
				atomic { ask() };
				atomic {
					if
					:: got != 0 && !IS_OVERTAKEN && !(slot_there && got <= slot_mark && !M_OVERTAKEN_IS_USED) ->
						fetched = fetched | got;
						if :: slot_there -> use() :: else fi
					:: else -> failed = 1; got = 0
					fi;
					refill_lock = 0
				};
				if :: failed -> break :: else fi
			fi
		/* one block of its own at a time: then it commits */
		:: atomic { !(slot_there && cached != 0) && got != 0 -> skip }; commit_mark()
		od
	:: else -> break
	od;
	if :: got != 0 -> commit_mark() :: else fi;
	finished++
}

/* get_slot() */
proctype Evictor()
{
	byte i = 0;

	do
	:: atomic { i < EVICTIONS && slot_there -> slot_there = 0; slot_mark = 0; cached = 0; excepted = excepted | fetched; i++; printf("evicted\n") }
	:: break
	od
}

/* Of the model: the centre forgets the last blocks, as a standby that had not received them. */
proctype Fate()
{
	byte i = 0;

	do
	:: atomic { i < BACKS && centre.next > 1 -> centre.next = centre.next >> 1; i++; printf("the centre goes back\n") }
	:: atomic { i < BACKS && centre.next > 2 -> centre.next = centre.next >> 2; i++; printf("the centre goes back\n") }
	:: break
	od
}

/* Of the model: an operator sets next_block_start of the new centre behind what is in use. */
inline open_centre()
{
	atomic {
		do :: (issued | cached) >= next -> next = next << 1 :: else -> break od;
		centre.next = next; centre.closed = 0; next = 0; printf("it gives from %d on\n", centre.next)
	}
}

/*
 * idgen_marks_forget(): another cluster becomes the centre. An operator accepts
 * that at this node, whose mark and slot forget what they know. Only then it
 * looks for ids that are in use, and has the new centre give what lies behind
 * them: before, an answer of the old one may still arrive, and be used.
 */
proctype Operator(byte s)
{
	int next = 1;

	atomic { centre.system = 1; centre.closed = 1; printf("another centre\n") };
	if :: M_LOOKS_FIRST -> open_centre() :: else fi;
	atomic { marker == 0 -> marker = s };
	atomic { mark.last = 0; mark.known = 0; mark.accepted++; durable = 0; recorded = 0; printf("accepted\n") };
	atomic { slot_mark = 0; marker = 0 };
	if :: !M_LOOKS_FIRST -> open_centre() :: else fi
}

/* Of the model: a node that has received nothing before draws from the new centre. */
proctype OtherNode(byte s)
{
	int id = 0;

end:	atomic { centre.system == 1 && !centre.closed -> id = centre.next; centre.next = centre.next << 1; issue() }
}

/* Of the model: everything begins. */
init
{
	byte i;

	atomic {
		centre.next = 1;
		for (i : 1 .. SESSIONS) {
			run Session(i)
		}
		run Worker(SESSIONS + 1);
		if :: BACKS > 0 -> run Fate() :: else fi;
		if :: EVICTIONS > 0 -> run Evictor() :: else fi;
		if :: REPLACED -> run Operator(SESSIONS + 2) :: else fi;
		if :: OTHER_NODE -> run OtherNode(SESSIONS + 3) :: else fi;
		i = 0
	}
}
