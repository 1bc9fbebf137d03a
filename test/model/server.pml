/*
 * server.pml - what engine.pml takes from the server: transactions, the locks
 * of their xids, rows, commit. These are facts, which idgen cannot change; they
 * were tried on PostgreSQL 15.
 *
 * A commit has four moments. Its record is flushed (RecordTransactionCommit());
 * it becomes visible to others (ProcArrayEndTransaction()); callbacks run
 * (CallXactCallbacks()); its locks go (ResourceOwnerRelease()). From the second
 * one on its rows are free: whoever locks them waits for nobody. Only who asks
 * for the lock of its top xid waits until the end. The lock of a
 * subtransaction's xid goes when that is released, long before.
 *
 * Each process that writes has a number, here always called s. An xid says
 * which process, which of its transactions (gen), which subtransaction (k; 0 is
 * the top one). 0 is no xid. A wait has the xid in the variable w.
 */
#define NOBODY 255

#define XID(s, k) ((s) * 32 + proc[s].gen * 4 + (k) + 1)
#define PROC(x) (((x) - 1) / 32)
#define SUB(x) (((x) - 1) % 4)
#define TOP(x) ((x) - SUB(x))
#define OWN(x) ((x) != 0 && PROC(x) == s && IS_LAST(x))
/* of the transaction that its process is in or has ended last */
#define IS_LAST(x) (proc[PROC(x)].gen == (((x) - 1) / 4) % 8)

typedef Proc {
	byte gen;
	bit running;   /* TransactionIdIsInProgress() */
	bit locked;    /* holds the lock of its top xid */
	byte sub;      /* the subtransaction that it is in, or 0 */
	bit sublocked; /* 0: that was released into an outer savepoint, with which it may still be rolled back */
	byte released; /* bit k: subtransaction k was released into the top one */
};
Proc proc[PROCS];

#define RUNNING(x) ((x) != 0 && IS_LAST(x) && proc[PROC(x)].running && \
	(SUB(x) == 0 || SUB(x) == proc[PROC(x)].sub || (proc[PROC(x)].released >> SUB(x)) & 1))
#define LOCKED(x) ((x) != 0 && IS_LAST(x) && \
	((SUB(x) == 0 && proc[PROC(x)].locked) || (SUB(x) != 0 && SUB(x) == proc[PROC(x)].sub && proc[PROC(x)].sublocked)))

/* What a row says, and how far that is on disk in each era; an era ends when the row is set back. */
typedef Row {
	short next; bit era; bit gapless;            /* committed */
	short new_next; bit new_era; bit new_gapless; /* as the holder sees it */
	byte holder; byte holder_xid; bit written;   /* written: not only locked */
	short durable[2];
};
Row row[NAMES];

/* XactLockTableWait(): for the end of w, and of what that was released into. Then w is 0. */
inline wait_for_xid()
{
	do
	:: atomic { !LOCKED(w) -> if :: RUNNING(w) -> w = TOP(w) :: else -> w = 0; break fi }
	od
}

/* StartTransaction() */
inline begin_transaction()
{
	atomic { proc[s].running = 1; proc[s].locked = 1 }
}

/* lock_row(): s gets the row for the (sub)transaction x, however long that takes. */
inline lock_row(n, x)
{
	do
	:: atomic { row[n].holder == NOBODY -> get_row(n, x); break }
	:: atomic { row[n].holder == s -> break }
	:: atomic { row[n].holder != NOBODY && row[n].holder != s -> w = row[n].holder_xid }; wait_for_xid()
	od
}

/* idgen_row_lock() of a row that is free */
inline get_row(n, x)
{
	row[n].holder = s; row[n].holder_xid = x; row[n].written = 0;
	row[n].new_next = row[n].next; row[n].new_era = row[n].era; row[n].new_gapless = row[n].gapless
}

/* Of the model: nobody has the row. */
inline let_row_go(n)
{
	row[n].holder = NOBODY; row[n].holder_xid = 0; row[n].written = 0
}

/* RecordTransactionCommit() */
inline flush()
{
	d_step {
		for (i : 0 .. NAMES - 1) {
			if :: row[i].holder == s && row[i].written -> row[i].durable[row[i].new_era] = row[i].new_next :: else fi
		}
		i = 0
	}
}

/* ProcArrayEndTransaction() of a commit */
inline become_visible()
{
	d_step {
		printf("%d: visible to others\n", s);
		for (i : 0 .. NAMES - 1) {
			if
			:: row[i].holder == s ->
				if
				:: row[i].written -> row[i].next = row[i].new_next; row[i].era = row[i].new_era; row[i].gapless = row[i].new_gapless
				:: else
				fi;
				let_row_go(i)
			:: else
			fi
		}
		i = 0; proc[s].running = 0
	}
}

/* ProcArrayEndTransaction() of an abort */
inline abort_rows()
{
	d_step {
		for (i : 0 .. NAMES - 1) {
			if :: row[i].holder == s -> let_row_go(i) :: else fi
		}
		i = 0; proc[s].running = 0
	}
}

/* ResourceOwnerRelease(). The next transaction has another xid. */
inline let_locks_go()
{
	d_step {
		printf("%d: its locks go\n", s);
		proc[s].locked = 0; proc[s].sub = 0; proc[s].sublocked = 0; proc[s].released = 0;
		proc[s].gen++; assert(proc[s].gen < 8)
	}
}
