/*
 * restart.pml - the cache while the server is stopped (K3), and a crash at any
 * point (U3).
 *
 * The file names the state of the cluster that it belongs to, by what the
 * control file says of the last checkpoint, and that it was shut down. The
 * server may run without idgen's cache in between: in single-user mode, or
 * without preloading it. Then the row may go on, or be set back.
 *
 * An id is a bit, a block is two ids. What a refill has taken is on disk before
 * an id of it is drawn; engine.pml looks at that.
 *
 * Bounds: RUNS=4 DRAWS=2
 * SET_BACK=0  1: a run without the cache may set the row back, which voids all ids before
 */
int next = 1;                     /* the row */
byte checkpoint = 0; bit shut_down = 0; /* the control file */
typedef File { bit there; byte checkpoint; int ids };
File file;                        /* as the server sees it */
File kept;                        /* as it is on disk */
int cached = 0;

/* checked */
int issued = 0; int voided = 0;

#define LOW(set) ((set) & -(set))

/* idgen_draw_one() */
inline draw_one(by_cache)
{
	if
	:: by_cache && cached != 0 -> id = LOW(cached); cached = cached & ~id; assert((id & voided) == 0)
	:: else -> id = next; cached = (by_cache -> next << 1 : 0); voided = voided & ~(next * 3); next = next << 2; assert(next > 0)
	fi;
	printf("draws %d\n", id);
	assert((issued & id) == 0); issued = issued | id; id = 0; draws++
}

/* idgen_restart_file_read(): remove it for good, then publish what it holds, before a session can come. */
inline read_file()
{
	if
	:: (file.there && ((file.checkpoint == checkpoint || M_CHECKPOINT_NOT_COMPARED) && (was_shut_down || M_SHUTDOWN_NOT_COMPARED))) -> cached = file.ids
	:: else
	fi;
	was_shut_down = 0;
	if :: goto dead :: skip fi;
	file.there = 0;
	if :: goto dead :: skip fi;
	if :: !M_NOT_REMOVED_DURABLY -> kept.there = 0 :: else fi
}

/* idgen_restart_file_write(): by the postmaster, when sessions are gone and the last checkpoint is made */
inline write_file()
{
	file.ids = cached; file.checkpoint = checkpoint; file.there = 1;
	if :: goto dead :: skip fi;
	kept.there = 1; kept.checkpoint = file.checkpoint; kept.ids = file.ids
}

/* Of the model: one run of the server after the other, each of which may crash anywhere. */
active proctype Server()
{
	byte runs = 0; byte draws = 0; int id = 0; bit was_shut_down = 0;

	do
	:: runs < RUNS ->
		runs++; draws = 0; cached = 0;
		was_shut_down = shut_down; shut_down = 0;
		if
		:: /* without the cache */
			was_shut_down = 0;
			do :: atomic { draws < DRAWS -> draw_one(0) } :: break od;
			if
			:: atomic { SET_BACK && voided == 0 -> printf("the row is set back\n"); voided = kept.ids; next = 1; issued = 0 };
				do :: atomic { draws < DRAWS -> draw_one(0) } :: break od
			:: skip
			fi;
			if :: atomic { checkpoint++; shut_down = 1 } :: skip fi
		:: /* with it */
			file.there = kept.there; file.checkpoint = kept.checkpoint; file.ids = kept.ids;
			read_file();
			if :: checkpoint++ :: skip fi;
			do
			:: atomic { draws < DRAWS -> draw_one(1) }
			:: goto dead
			:: break
			od;
			atomic { checkpoint++; shut_down = 1 };
			write_file();
			if :: M_WRITTEN_TOO_EARLY && draws < DRAWS -> atomic { draw_one(1) } :: else fi
		fi;
dead:		skip
	:: else -> break
	od
}
