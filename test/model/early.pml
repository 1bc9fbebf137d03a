/*
 * early.pml - early release: commits that let their locks go before they are on
 * disk (rule T8), beside those that publish ids (U3).
 *
 * Row e is gapless, with early_release; row b is cached. The WAL is a list of
 * commit records: on_disk and on_standby say how many of them are there. A
 * crash keeps the first on_disk ones, a promotion the first on_standby ones;
 * Crash looks at that at any moment.
 *
 * Bounds: SESSIONS=2 XACTS=1
 * DRAWS=1      from row b, in each transaction
 * ROLLBACKS=1
 * SAVEPOINTS=0 1: the number may be rolled back to a savepoint
 * PREPARES=0   1: one transaction may be prepared
 * STANDBY=0    1: commits wait for it
 * READER=0     1: a session reads, and waits until that is durable
 */
#define NOBODY 255
#define PREPARED 254
#define RECORDS (SESSIONS * XACTS + 2)
#define BIT(n) (1 << (n))
#define XACT (s * XACTS + xact)
#define SAFE(lsn) (on_disk >= (lsn) && (!STANDBY || on_standby >= (lsn)))

/* CommitOrder of early_release.c */
#define AS_SET 0
#define FLUSHES_LAST 1
#define FLUSHES_FIRST 2

typedef Record { byte e; byte b; byte xact }; /* what the rows say after it, 0: as before */
Record wal[RECORDS];
byte written = 0; byte on_disk = 0; byte on_standby = 0;

byte e_last = 0; byte e_holder = NOBODY; /* as others see the rows */
byte b_next = 1; byte b_holder = NOBODY;
short cached = 0;                        /* ids of b: bits */
byte visible = 0;                        /* transactions: bits */
byte noted = 0;                          /* the last early commit whose callback has come */
bit lowered[SESSIONS];                   /* is synchronous_commit of the session? */
byte prepared_e = 0; byte prepared_xact = 0; bit any_prepared = 0;

/* checked */
byte told = 0;   /* transactions that clients know to be committed: bits */
byte vouched = 0; /* and those that a reader relies on */
short issued = 0; /* ids of b that came from the cache */

/* RecordTransactionCommit(), before its flush */
inline write_record(e_value, b_value, n)
{
	atomic {
		printf("%d: record %d: e %d, b %d\n", s, written, e_value, b_value);
		wal[written].e = e_value; wal[written].b = b_value; wal[written].xact = n; written++; lsn = written
	}
}

/* idgen_pending_draw(), idgen_slot_draw(), idgen_refill_pending() */
inline draw_cached()
{
	do
	:: atomic { pending != 0 -> pending = pending & (pending - 1); break }
	:: atomic { pending == 0 && cached != 0 -> issued = issued | (cached & -cached); cached = cached & (cached - 1); break }
	:: atomic { pending == 0 && cached == 0 && new_b == 0 && b_holder == NOBODY ->
			b_holder = s; pending = BIT(b_next) | BIT(b_next + 1); new_b = b_next + 2;
			order = (M_MIXED_RELEASES_EARLY && order == FLUSHES_LAST -> FLUSHES_LAST : FLUSHES_FIRST) }
	:: pending == 0 && cached == 0 && new_b != 0 -> break
	od
}

/* idgen_commit_flushes_last() */
inline draw_number()
{
	atomic {
		e_holder == NOBODY || M_ROW_NOT_LOCKED -> e_holder = s; new_e = e_last + 1;
		if :: order == AS_SET || M_MIXED_RELEASES_EARLY -> order = FLUSHES_LAST :: else fi
	}
}

/* ResourceOwnerRelease(), as far as rows are concerned: from "visible" on they are free */
inline let_rows_go()
{
	if :: e_holder == s -> e_holder = NOBODY :: else fi;
	if :: b_holder == s -> b_holder = NOBODY :: else fi
}

/* idgen_early_release_begin(), the server's commit, end_of_transaction(), after_locks() */
inline commit()
{
	if :: order == FLUSHES_LAST -> lowered[s] = 1 :: else fi;
	write_record(new_e, new_b, XACT);
	if :: !lowered[s] -> SAFE(lsn) :: else fi;
	atomic {
		if :: new_e != 0 -> e_last = new_e :: else fi;
		if :: new_b != 0 -> b_next = new_b :: else fi;
		let_rows_go(); visible = visible | BIT(XACT)
	};
	atomic { cached = cached | pending; pending = 0; if :: lsn > noted -> noted = lsn :: else fi };
	if
	:: order == FLUSHES_LAST && !M_NOT_FLUSHED ->
		if
		:: M_EARLIER_PLACE_FLUSHED -> SAFE(lsn - 1)
		:: M_STANDBY_NOT_AWAITED -> on_disk >= lsn
		:: !M_EARLIER_PLACE_FLUSHED && !M_STANDBY_NOT_AWAITED -> SAFE(lsn)
		fi
	:: else
	fi;
	if :: !M_LEVEL_STAYS -> lowered[s] = 0 :: else fi;
	atomic { printf("%d: COMMIT is told\n", s); told = told | BIT(XACT) }
}

/* end_of_transaction() at abort */
inline roll_back()
{
	atomic { let_rows_go(); pending = 0 }
}

/* idgen_early_release_forget() at PREPARE; what is pending is lost (T3) */
inline prepare()
{
	write_record(0, 0, RECORDS);
	if :: !(M_PREPARE_IS_LOWERED && order == FLUSHES_LAST) -> SAFE(lsn) :: else fi;
	atomic {
		prepared_e = new_e; prepared_xact = XACT;
		if :: e_holder == s -> e_holder = PREPARED :: else fi;
		let_rows_go(); pending = 0
	};
	assert(SAFE(lsn));
	/* COMMIT PREPARED, of which the server makes an ordinary commit: no callback runs */
	write_record(prepared_e, 0, prepared_xact);
	SAFE(lsn);
	atomic {
		if :: e_holder == PREPARED -> e_last = prepared_e; e_holder = NOBODY :: else fi;
		told = told | BIT(prepared_xact); visible = visible | BIT(prepared_xact)
	}
}

/* idgen_draw_one(), and what a client does */
proctype Session(byte s)
{
	byte xact = 0; byte order = AS_SET; byte draws = 0; byte lsn = 0;
	byte new_e = 0; byte new_b = 0; short pending = 0;

	do
	:: xact < XACTS ->
		do
		:: draws < DRAWS -> draws++; draw_cached()
		:: break
		od;
		if
		:: draw_number();
			if
			:: SAVEPOINTS -> atomic { e_holder = NOBODY; new_e = 0 }
			:: skip
			fi
		:: skip
		fi;
		if
		:: commit()
		:: ROLLBACKS -> roll_back()
		:: atomic { PREPARES && !any_prepared && new_b == 0 -> any_prepared = 1 }; prepare()
		fi;
		atomic { xact++; order = AS_SET; draws = 0; new_e = 0; new_b = 0; pending = 0 }
	:: else -> break
	od
}

/* Of the model: the WAL gets to the disk, and to the standby. */
proctype Disk()
{
end:	do
	:: atomic { on_disk < written -> on_disk++ }
	:: atomic { STANDBY && on_standby < on_disk -> on_standby++ }
	od
}

/* idgen_wait_durable(): for all that is in the WAL now */
proctype Reader()
{
	byte seen = 0; byte lsn = 0;

	seen = visible;
	lsn = (M_NOTED_PLACE_AWAITED -> noted : written);
	SAFE(lsn);
	vouched = seen
}

/* Of the model: what is there after a crash, or after the standby was promoted */
proctype Crash()
{
	byte kept; byte i = 0; byte e = 0; byte b = 1; byte survives = 0;

	atomic {
		if
		:: kept = on_disk
		:: STANDBY -> kept = on_standby
		fi;
		do
		:: i < kept ->
			if :: wal[i].xact != RECORDS -> survives = survives | BIT(wal[i].xact) :: else fi;
			if :: wal[i].e != 0 -> assert(wal[i].e == e + 1); e = wal[i].e :: else fi; /* T2, T8 */
			if :: wal[i].b != 0 -> assert(wal[i].b > b); b = wal[i].b :: else fi;
			i++
		:: else -> break
		od;
		assert((told & ~survives) == 0);
		assert((vouched & ~survives) == 0);
		assert((issued & ~(BIT(b) - 1)) == 0) /* U3 */
	}
}

init
{
	byte i;

	atomic {
		for (i : 1 .. SESSIONS) {
			run Session(i - 1)
		}
		run Disk();
		run Crash();
		if :: READER -> run Reader() :: else fi;
		i = 0
	}
}
