/*
 * cache.pml - the slots of engine.pml, and what is checked of each id.
 *
 * A slot is only a cache of ids: it may go at any time, and whatever a process
 * leaves in it about itself is a hint that becomes void by itself. What is in
 * d_step { } or atomic { } here happens under the slot's lock.
 *
 * An id is a bit, and a set of ids a mask: the next id is the lowest bit. In
 * era 1, after the row was set back, the same bits are other ids.
 */
#define LOW(set) ((set) & -(set))
#define STRANGE 16384 /* an id of whoever has the slot next */

typedef Slot {
	bit there;
	byte version;   /* compared by whoever draws with the one that it has validated by */
	byte emptied;   /* number of the last event that has voided ids, or of its making */
	short ids[2];   /* published, of each era */
	byte claim;     /* hint: the xid that refills */
	byte allocator; /* hint: the top xid that has allocated last */
	byte waiters;
};
Slot slot[NAMES];
byte number = 0; /* of events; none is used twice */

typedef Pending { short ids; bit era; bit gapless; byte good_as_of };

/* checked */
typedef Issued { short era[2] };
Issued issued[NAMES];
bit change_returned = 0; /* the COMMIT of the change has: era 0 of row 0 is void */
byte refills = 0;

/* next_number() */
inline next_number()
{
	assert(number < 250); number++
}

/* idgen_cache_attach_to(), lock_or_make_slot(): a handle that is validated attaches to it, before anything is allocated. */
inline make_slot(n)
{
	if
	:: !slot[n].there ->
		slot[n].there = 1; next_number(); slot[n].version = number;
		slot[n].emptied = (M_MADE_IS_NOT_EMPTIED -> 0 : slot[n].version);
		slot[n].ids[0] = 0; slot[n].ids[1] = 0;
		slot[n].claim = 0; slot[n].allocator = 0; slot[n].waiters = 0
	:: else
	fi
}

/* idgen_slot_empty(), by tell() in a callback: what is cached is void (C1). */
inline drop_cached(n)
{
	if
	:: slot[n].there ->
		next_number(); slot[n].version = number; slot[n].emptied = slot[n].version;
		slot[n].ids[0] = 0; slot[n].ids[1] = 0
	:: else
	fi
}

/* get_slot(): another id sequence gets the place (K1). What was left is a gap. */
inline evict_slot(n)
{
	printf("slot %d is evicted\n", n);
	slot[n].there = 0; next_number(); slot[n].version = number;
	slot[n].ids[0] = STRANGE; slot[n].ids[1] = 0;
	slot[n].claim = 0; slot[n].allocator = 0; slot[n].waiters = 0
}

/*
 * idgen_slot_finish(), by the end of the transaction: what is left of a block.
 * The callback finds the slot, it makes none. What the slot has lost since the
 * block was allocated may have been lost because the block became void, so that
 * is a gap, too.
 */
inline publish(n, b)
{
	if
	:: b.ids != 0 && !b.gapless && (slot[n].there || M_MADE_AT_COMMIT) &&
		(slot[n].emptied <= b.good_as_of || M_VOID_IS_PUBLISHED || (M_MADE_AT_COMMIT && !slot[n].there)) ->
		if :: M_MADE_AT_COMMIT -> make_slot(n) :: else fi;
		printf("%d: publishes %d of era %d\n", s, b.ids, b.era);
		slot[n].ids[b.era] = slot[n].ids[b.era] | b.ids
	:: else
	fi;
	b.ids = 0
}

#define CACHED_BELOW(n, id) (((slot[n].ids[0] | slot[n].ids[1]) & ((id) - 1)) != 0)

/*
 * idgen_slot_draw(), take_for(): the lowest id. What comes from the cache is on
 * disk, so whenever the server crashes, it is not issued again (U3).
 */
inline take_cached(n)
{
	era = ((slot[n].ids[0]) != 0 -> 0 : 1);
	id = LOW(slot[n].ids[era]); slot[n].ids[era] = slot[n].ids[era] & ~id;
	printf("%d: draws %d of era %d from the cache\n", s, id, era);
	assert(id < row[n].durable[era]);
	assert(!(change_returned && n == 0 && era == 0)); /* C1, and T2 when block_size became 1 */
	issue(n);
	last_safe = last; era_safe = era_last
}

/* idgen_pending_draw() */
inline take_pending(n, b)
{
	era = b.era; id = LOW(b.ids); b.ids = b.ids & ~id;
	printf("%d: draws %d of era %d from its pending block\n", s, id, era);
	if :: of_savepoint -> drawn_inside = drawn_inside | id :: else -> drawn = drawn | id fi;
	issue(n)
}

/* A check: no id twice (U1), and those that a session draws ascend. */
inline issue(n)
{
	assert(id != STRANGE); /* U4 */
	assert((issued[n].era[era] & id) == 0);
	issued[n].era[era] = issued[n].era[era] | id;
	assert(id > last || era != era_last);
	last = id; era_last = era
}

/*
 * compute_allocation(): a block into b, with the row locked by x. A refill is
 * good as of the number that is the last one when the row is there; and it
 * leaves a hint for whoever gets the row before this transaction has published.
 */
inline allocate(n, x, b)
{
	b.good_as_of = number; b.era = row[n].new_era; b.gapless = row[n].new_gapless;
	if
	:: b.gapless -> b.ids = row[n].new_next; row[n].new_next = row[n].new_next << 1
	:: else ->
		b.ids = row[n].new_next * ((1 << BLOCK) - 1); row[n].new_next = row[n].new_next << BLOCK;
		if
		:: slot[n].there && slot[n].waiters > 0 ->
			b.ids = b.ids | b.ids << BLOCK; row[n].new_next = row[n].new_next << BLOCK;
			assert(slot[n].waiters < SESSIONS); slot[n].waiters = 0
		:: else
		fi
	fi;
	printf("%d: allocates %d of era %d as xid %d\n", s, b.ids, b.era, x);
	assert(row[n].new_next > 0 && row[n].new_next < STRANGE);
	row[n].written = 1;
	refills++; assert(refills <= REFILLS);
	if :: slot[n].there && !M_NO_ALLOCATOR -> slot[n].allocator = TOP(x) :: else fi
}
