/*
 * marks.pml - source "server": a centre that goes back (C5), and the marks of
 * what a node has received.
 *
 * The mark of a name is the last id that this node has received, from which
 * centre (its system identifier), and how often an operator has accepted
 * another centre. Each request shows it, and the centre gives nothing if it is
 * another one, or has not yet got behind the mark. Whoever gets a block raises
 * the mark where that stands, whatever becomes of its transaction, and flushes
 * that before it publishes the block.
 *
 * Between a request and its answer anything may happen: another answer
 * overtakes it, the centre goes back or is replaced, an operator accepts that.
 *
 * A block is one id, and an id is a bit.
 *
 * Bounds: SESSIONS=2 DRAWS=2 TURNS=2 BACKS=1
 * REPLACED=0    1: another cluster becomes the centre, and gives what this node is not known to have issued
 * OTHER_NODE=0  1: another node draws from that, too
 * STEP_OVER=0   1: idgen.step_over
 */
typedef Centre { int next; bit system; bit closed };
Centre centre;

typedef Mark { int last; bit known; bit system; byte accepted };
Mark mark;          /* as all processes see it */
int durable = 0;    /* its last, on disk */
byte raisers = 0;   /* who have raised it, and not yet published what they have got */

int cached = 0;
bit refill_lock = 0;
byte finished = 0;

/* checked */
int issued = 0;
int recorded = 0;   /* received, and known by the mark */

#define LOW(set) ((set) & -(set))

/* A check: no id twice (U2, C5). */
inline issue()
{
	printf("%d: draws %d\n", s, id);
	assert((issued & id) == 0); issued = issued | id; id = 0
}

/* idgen_mark_read(): what the request shows; first the row of the centre, then that of the name */
inline read_mark()
{
	atomic { shown_system = mark.system; shown_accepted = mark.accepted; shown_known = mark.known };
	shown = mark.last
}

/* idgen_centre_begin_allocation(): at the centre, in a transaction that is flushed before it answers */
inline ask()
{
	got = 0;
	if
	:: centre.closed || (((shown_known && shown_system != centre.system) || centre.next <= shown) && !M_CENTRE_LOOKS_AT_NO_MARK) ->
		if
		:: STEP_OVER && !centre.closed -> centre.next = (shown << 1 > centre.next -> shown << 1 : centre.next); got = centre.next
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

/* idgen_mark_raise(): under the lock of the marks, from comparing to writing. A check: what lies behind the mark is never used (C5). */
inline raise_mark()
{
	if
	:: IS_OVERTAKEN -> got = 0
	:: else ->
		raisers++; before = mark.last; mark.last = got; mark.known = 1; mark.system = got_system;
		assert((recorded & got) == 0); recorded = recorded | ((got << 1) - 1)
	fi
}

/* idgen_make_durable() */
inline flush()
{
	if :: got > durable && !M_MARK_NOT_FLUSHED -> durable = got :: else fi
}

/* finish_job(), at the worker's commit: the mark is on disk, whatever happens to the node. */
inline publish()
{
	assert(durable >= got); cached = cached | got
}

/* idgen_mark_published(), or the end of the worker's transaction */
inline published()
{
	raisers--
}

/* server_allocate(), by the worker or a session */
inline fetch()
{
	read_mark();
	atomic { ask() };
	if
	:: got != 0 ->
		if :: M_PUBLISHED_BEFORE_MARK -> atomic { publish() } :: else fi;
		atomic { raise_mark() };
		if
		:: got != 0 ->
			atomic { flush() };
			if :: !M_PUBLISHED_BEFORE_MARK -> atomic { publish() } :: else fi;
			published()
		:: else
		fi
	:: else
	fi
}

/* server_allocate(): the worker of the centre */
proctype Worker(byte s)
{
	byte turn = 0; int shown = 0; bit shown_known = 0; bit shown_system = 0; byte shown_accepted = 0; int got = 0; bit got_system = 0;
	int before = 0;

	do
	:: turn < TURNS -> turn++; fetch(); atomic { got = 0; before = 0; shown = 0 }
	:: else -> break
	od
}

/*
 * server_allocate(): where no worker can be had. Only one session at a time
 * fetches a block; the others look into the cache again. It may roll back.
 */
proctype Session(byte s)
{
	byte draw = 0; int id = 0; int shown = 0; bit shown_known = 0; bit shown_system = 0; byte shown_accepted = 0; int got = 0; bit got_system = 0;
	int before = 0;

	do
	:: draw < DRAWS ->
		draw++;
		if
		:: atomic { cached != 0 -> id = LOW(cached); cached = cached & ~id; issue() }
		:: atomic { cached == 0 && !refill_lock -> refill_lock = 1 };
			fetch();
			atomic {
				if :: got != 0 && M_ROLLED_BACK -> mark.last = before :: else fi;
				refill_lock = 0; got = 0; before = 0; shown = 0
			}
		fi
	:: else -> break
	od;
	finished++
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
 * that at this node, whose mark forgets what it knows, and waits for those who
 * have raised it before. Only then it looks for ids that are in use, and has
 * the new centre give what lies behind them: before, an answer of the old one
 * may still arrive, and be used.
 */
proctype Operator(byte s)
{
	int next = 1;

	atomic { centre.system = 1; centre.closed = 1; printf("another centre\n") };
	if :: M_LOOKS_FIRST -> open_centre() :: else fi;
	atomic { raisers == 0 || M_RAISERS_NOT_AWAITED -> mark.last = 0; mark.known = 0; mark.accepted++; durable = 0; recorded = 0; printf("accepted\n") };
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
		if :: REPLACED -> run Operator(SESSIONS + 2) :: else fi;
		if :: OTHER_NODE -> run OtherNode(SESSIONS + 3) :: else fi;
		i = 0
	}
}
