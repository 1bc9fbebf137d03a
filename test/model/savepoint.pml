/*
 * savepoint.pml - the pending blocks of one transaction (T1), and the stack of
 * what a rollback to a savepoint undoes.
 *
 * A list consists of cells, which never change; a refill makes new ones: what
 * is left of the old blocks first, then the new block. Blocks are shared by all
 * lists, so what was drawn of an outer block stays drawn when an older list is
 * restored (U1), and a block of the savepoint cannot be reached any more. Only
 * a gapless block gets its values back, for the row gets its own back, too.
 *
 * An id is a bit.
 *
 * Bounds: STEPS=7 LEVELS=3 BLOCK=2
 * RANGES=0   1: ranges of two consecutive ids, too. Single ids ascend.
 * GAPLESS=0  1: a gapless id sequence, of which BLOCK ids are reserved at once (T2)
 */
#define BLOCKS 10
#define CELLS 40
#define NIL 255

typedef Block { int next; byte left; byte level };
Block block[BLOCKS]; byte blocks = 0;
byte cell_block[CELLS]; byte cell_next[CELLS]; byte cells = 0;
byte first = NIL;

int next = 1;             /* the row, and what it was before each savepoint */
int next_before[LEVELS + 2];
byte level = 1;

typedef Undo { byte level; byte first; byte gapless; int next; byte left };
Undo undo[LEVELS + 2]; byte undos = 0;

/* checked */
int issued = 0; int issued_of[BLOCKS]; int last = 0;

/* Of the model: in front of the cell n */
inline new_cell(b, n)
{
	assert(cells < CELLS); cell_block[cells] = b; cell_next[cells] = n; cells++
}

/* save(), before a subtransaction first changes what is pending */
inline save()
{
	if
	:: level > 1 && (undos == 0 || undo[undos - 1].level < level) && !M_NOT_SAVED ->
		undo[undos].level = level; undo[undos].first = first; undo[undos].gapless = NIL;
		if
		:: (GAPLESS || M_VALUES_RESTORED) && first != NIL ->
			undo[undos].gapless = cell_block[first];
			undo[undos].next = block[cell_block[first]].next; undo[undos].left = block[cell_block[first]].left
		:: else
		fi;
		undos++
	:: else
	fi
}

/* idgen_pending_add(), idgen_refill_into_pending() */
inline refill()
{
	save();
	assert(blocks < BLOCKS);
	block[blocks].next = next; block[blocks].left = BLOCK; block[blocks].level = level;
	next = next << BLOCK; assert(next > 0);
	printf("block %d from %d, at level %d\n", blocks, block[blocks].next, level);
	if
	:: M_NEW_BLOCK_IN_FRONT -> new_cell(blocks, first); first = cells - 1
	:: M_APPENDED_TO_SHARED_LIST && first != NIL ->
		c = first; do :: cell_next[c] != NIL -> c = cell_next[c] :: else -> break od;
		new_cell(blocks, NIL); cell_next[c] = cells - 1
	:: else ->
		/* from the last one to the first one */
		c = first; i = 0;
		do
		:: c != NIL -> if :: block[cell_block[c]].left > 0 -> old[i] = cell_block[c]; i++ :: else fi; c = cell_next[c]
		:: else -> break
		od;
		new_cell(blocks, NIL);
		do :: i > 0 -> i--; new_cell(old[i], cells - 1); old[i] = 0 :: else -> break od;
		first = cells - 1
	fi;
	blocks++; c = 0
}

/* idgen_pending_draw(): n consecutive ids of the block b */
inline take(b, n)
{
	id = block[b].next * (n == 1 -> 1 : 3);
	printf("draws %d from block %d\n", id, b);
	assert((issued & id) == 0 && block[b].next < next); /* U1; and no other transaction gets it after the commit */
	issued = issued | id; issued_of[b] = issued_of[b] | id;
	if :: n == 1 -> assert(id > last); last = id :: else fi;
	block[b].next = block[b].next << n; block[b].left = block[b].left - n; id = 0
}

/* idgen_draw_one(): of the first block that has one. To pass over blocks that are used up changes nothing. */
inline draw_one()
{
	do
	:: first != NIL && block[cell_block[first]].left == 0 -> first = cell_next[first]
	:: else -> break
	od;
	if :: first == NIL -> refill() :: else fi;
	if :: GAPLESS || M_VALUES_RESTORED -> save() :: else fi;
	take(cell_block[first], 1)
}

/* idgen_draw_slow(): two consecutive ids, of the first block that has them */
inline draw_range()
{
	c = first;
	do :: c != NIL && block[cell_block[c]].left < 2 -> c = cell_next[c] :: else -> break od;
	if
	:: c == NIL -> refill(); c = first; do :: block[cell_block[c]].left < 2 -> c = cell_next[c] :: else -> break od
	:: else
	fi;
	i = cell_block[c]; c = 0; take(i, 2); i = 0
}

/* idgen_pending_roll_back_savepoint(): assigns what was saved. */
inline roll_back()
{
	printf("ROLLBACK TO %d\n", level);
	next = next_before[level];
	do
	:: undos > 0 && undo[undos - 1].level >= level ->
		undos--; first = undo[undos].first; i = undo[undos].gapless;
		if
		:: i != NIL ->
			block[i].next = undo[undos].next; block[i].left = undo[undos].left;
			/* a gapless id that was drawn in the savepoint is drawn anew */
			if :: GAPLESS -> issued = issued & (undo[undos].next - 1); issued_of[i] = issued_of[i] & (undo[undos].next - 1); last = 0 :: else fi
		:: else
		fi
	:: else -> break
	od;
	for (i : 0 .. BLOCKS - 1) {
		if
		:: i < blocks && block[i].level >= level ->
			if :: issued_of[i] != 0 -> last = 0 :: else fi;
			issued = issued & ~issued_of[i]; issued_of[i] = 0; block[i].level = 0
		:: else
		fi
	}
	i = 0; level--
}

/* idgen_pending_release_savepoint(): the record goes one level up, unless that has one of its own. */
inline release()
{
	printf("RELEASE %d\n", level);
	for (i : 0 .. BLOCKS - 1) {
		if :: i < blocks && block[i].level == level -> block[i].level = level - 1 :: else fi
	}
	i = 0;
	if
	:: undos > 0 && undo[undos - 1].level == level ->
		if
		:: level == 2 || M_RELEASED_IS_FORGOTTEN || (undos > 1 && undo[undos - 2].level == level - 1) -> undos--
		:: else -> undo[undos - 1].level = level - 1
		fi
	:: else
	fi;
	level--
}

/* Of the model: one transaction that does anything. What is left at its commit is published. */
active proctype Transaction()
{
	byte step = 0; byte c = 0; byte i = 0; int id = 0; byte old[BLOCKS];

	do
	:: step < STEPS ->
		step++;
		if
		:: atomic { true -> draw_one() }
		:: atomic { RANGES -> draw_range() }
		:: atomic { level <= LEVELS -> level++; next_before[level] = next; printf("SAVEPOINT %d\n", level) }
		:: atomic { level > 1 -> roll_back() }
		:: atomic { level > 1 -> release() }
		fi
	:: break
	od;
	atomic {
		c = first;
		do
		:: c != NIL ->
			assert(block[cell_block[c]].left == 0 || (block[cell_block[c]].next < next && (issued & block[cell_block[c]].next) == 0));
			c = cell_next[c]
		:: else -> break
		od
	}
}
