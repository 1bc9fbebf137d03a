/*
 * desk.pml - the requests of engine.pml, and its workers.
 *
 * A request has a serial, which is never used again. Whoever waits for it
 * sleeps until its place has another serial, or none, and then looks into the
 * cache. So nobody is told a result: a request that is gone is over.
 *
 * What is in one atomic { } here happens under the desk's lock. A worker leaves
 * under that lock too, so that no session leaves a request to one that is gone.
 */
#define NONE 0
#define STARTING 1
#define RUNS 2

typedef Request { byte serial; byte name; bit begun };
Request request[PLACES];
byte serials = 0;
bit failed[32]; /* the ring of failures, by serial */

typedef Entry { byte state; bit latch };
Entry worker[WORKERS + 1];
byte deaths = 0;

typedef Sleeper { bit listed; bit woken; byte place };
Sleeper sleeper[SESSIONS]; /* on the condition variables of the requests */

#define WORKER_OF(n) ((n) % (WORKERS + (WORKERS == 0)))

/* ConditionVariableBroadcast() of a request's condition variable */
inline broadcast(p)
{
	for (j : 0 .. SESSIONS - 1) {
		if
		:: sleeper[j].listed && sleeper[j].place == p && !M_NO_BROADCAST -> sleeper[j].listed = 0; sleeper[j].woken = 1
		:: else
		fi
	}
	j = 0
}

/* end_request(): the request is over; whoever waits for it looks again. */
inline end_request(p)
{
	request[p].serial = 0; request[p].begun = 0; broadcast(p)
}

/* start_worker(), by idgen_desk_wake() */
inline wake_worker(n)
{
	if :: worker[WORKER_OF(n)].state == NONE -> worker[WORKER_OF(n)].state = STARTING :: else fi;
	if :: !M_LATCH_NOT_SET -> worker[WORKER_OF(n)].latch = 1 :: else fi
}

/* idgen_desk_ask(), make_request(): the request for n that is there, or a new one if there is a place */
inline leave_request()
{
	place = PLACES;
	for (i : 0 .. PLACES - 1) {
		if
		:: request[i].serial != 0 && request[i].name == n -> place = i; break
		:: request[i].serial == 0 && place == PLACES -> place = i
		:: else
		fi
	}
	for (i : 0 .. PLACES - 1) {
		if :: request[i].serial != 0 && request[i].name == n -> place = i :: else fi
	}
	i = 0; serial = 0;
	if
	:: place < PLACES ->
		if
		:: request[place].serial == 0 -> assert(serials < 31); serials++; request[place].serial = serials; request[place].name = n
		:: else
		fi;
		serial = request[place].serial; wake_worker(n); printf("%d: waits for request %d\n", s, serial)
	:: else
	fi
}

/* ConditionVariablePrepareToSleep() */
inline get_on_list()
{
	atomic { sleeper[s].listed = 1; sleeper[s].woken = 0; sleeper[s].place = place }
}

/*
 * idgen_desk_look(): is it over? Then the handle is validated again:
 * if there is nothing in the cache, the row may have changed. A session that
 * still has to wait, and finds no worker, starts one.
 */
inline look_at_request()
{
	if
	:: request[place].serial != serial ->
		step = LOOK; known = 0;
		if :: failed[serial] -> assert(CULPRIT && n == 0); draw = DRAWS; step = DRAWN :: else fi
	:: else ->
		if :: worker[WORKER_OF(n)].state == NONE && !M_NOBODY_STARTS_ANOTHER -> wake_worker(n) :: else fi
	fi
}

/*
 * idgen_by_worker_draw(), sleep_until_over(). With "auto", a session refills
 * itself if no worker can be had, and stands in line for a row that stays
 * locked; either may happen at any time here.
 */
inline ask_worker()
{
	atomic { leave_request() };
	if
	:: serial == 0 -> alone = (REFILL == 2); step = LOOK    /* if not "auto", an error: the caller tries again */
	:: else ->
		if :: !M_LISTED_LATE -> get_on_list() :: else fi;
		atomic { look_at_request() };
		if :: M_LISTED_LATE && step == ASK -> get_on_list() :: else fi;
		do
		:: step != ASK -> break
		:: atomic { step == ASK && sleeper[s].woken -> sleeper[s].woken = 0; sleeper[s].listed = 1; look_at_request() }
		:: atomic { step == ASK && REFILL == 2 -> alone = 1; step = LOOK }
		:: atomic { step == ASK && REFILL == 2 && row[n].holder != NOBODY && row[n].holder != s -> w = row[n].holder_xid; step = LOOK };
			wait_for_xid()
		od;
		atomic { sleeper[s].listed = 0; sleeper[s].woken = 0; sleeper[s].place = 0; place = 0; serial = 0 }
	fi
}

/* idgen_desk_take(): in one pass, those of this worker's names; or, by refill_in_line(), one alone. */
inline take_request()
{
	if
	:: request[p].serial != 0 && WORKER_OF(request[p].name) == v && (!request[p].begun || later[p]) && !(one_by_one && count > 0) ->
		request[p].begun = 1; mine[p] = 1; later[p] = 0; n = request[p].name
	:: else
	fi
}

/* Is there enough in the slot? Then another refill has served whoever asked. */
#define IS_SERVED(n) (slot[n].there && CACHED_BELOW(n, STRANGE) && !M_NO_LOOK_BEFORE_REFILL)
#define ABOUT_TO_PUBLISH(x) (LOCKED(x) && !RUNNING(x))

/*
 * idgen_job_try(), change_row(): a refill in a subtransaction. A worker
 * waits for nobody: a row that is locked, or whose last allocator has not
 * published yet, is tried later.
 */
inline try_request()
{
	if
	:: IS_SERVED(n) || (row[n].gapless && REFILL == 2) -> end_request(p); mine[p] = 0
	:: else ->
		if
		:: row[n].holder == NOBODY && !(slot[n].there && ABOUT_TO_PUBLISH(slot[n].allocator) && !M_WORKER_PASSES_ALLOCATOR) ->
			if :: count == 0 -> proc[s].running = 1; proc[s].locked = 1 :: else fi;
			count++; proc[s].sub = count; get_row(n, XID(s, count)); allocate(n, XID(s, count), block[n]);
			proc[s].released = proc[s].released | (1 << count); proc[s].sub = 0;
			if :: CULPRIT && n == 0 -> fails = 1 :: else fi
		:: else -> mine[p] = 0; later[p] = 1
		fi
	fi;
	n = 0
}

/* finish(), by end_of_transaction() at the worker's commit, with the rows' last xid still locked */
inline publish_blocks()
{
	d_step {
		for (p : 0 .. NAMES - 1) {
			publish(p, block[p])
		}
		p = 0
	}
}

/* end_transaction() of a commit that has succeeded */
inline commit_refills()
{
	if :: M_WORKER_PUBLISHES_FIRST -> publish_blocks() :: else fi;
	flush();
	become_visible();
	if :: M_WORKER_UNLOCKS_FIRST -> let_locks_go() :: else fi;
	if :: !M_WORKER_PUBLISHES_FIRST -> publish_blocks() :: else fi;
	if :: !M_WORKER_UNLOCKS_FIRST -> let_locks_go() :: else fi;
	if
	:: deaths < DEATHS -> deaths++; goto dies
	:: skip
	fi;
	end_requests(0);
	one_by_one = 0
}

/* settle_job(): the requests of this batch are over. */
inline end_requests(failure)
{
	for (p : 0 .. PLACES - 1) {
		atomic {
			if
			:: mine[p] -> mine[p] = 0; if :: failure -> failed[request[p].serial] = 1 :: else fi; end_request(p)
			:: else
			fi
		}
	}
	p = 0
}

/* commit_failed(): each request is tried alone once, so only the culprit fails. */
inline fail_to_commit()
{
	d_step { for (p : 0 .. NAMES - 1) { block[p].ids = 0 } p = 0 };
	abort_rows();
	let_locks_go();
	if
	:: count == 1 || M_ALL_FAIL -> end_requests(1); one_by_one = 0
	:: else -> atomic { for (p : 0 .. PLACES - 1) { later[p] = later[p] || mine[p]; mine[p] = 0 } p = 0; one_by_one = 1 }
	fi;
	fails = 0
}

/* idgen_desk_leave(), by sign_off() at an error: requests are for the next worker, and somebody has to start it. */
inline die()
{
	if :: proc[s].running -> abort_rows() :: else fi;
	if :: proc[s].locked -> let_locks_go() :: else fi;
	atomic {
		printf("worker %d dies\n", v);
		worker[v].state = NONE;
		for (p : 0 .. PLACES - 1) {
			if
			:: request[p].serial != 0 && WORKER_OF(request[p].name) == v && !M_DIES_SILENTLY -> request[p].begun = 0; broadcast(p)
			:: else
			fi;
			mine[p] = 0; later[p] = 0
		}
		for (p : 0 .. NAMES - 1) { block[p].ids = 0 }
		p = 0; count = 0; one_by_one = 0; fails = 0; n = 0
	}
}

/* idgen_desk_leave_if_idle(), of this worker's names: there are at most three places */
#define IS_ASKED(p) (request[p].serial != 0 && WORKER_OF(request[p].name) == v)
#define HAS_REQUESTS (IS_ASKED(0) || IS_ASKED(PLACES / 2) || IS_ASKED(PLACES - 1))
#define HAS_LATER (later[0] || later[PLACES / 2] || later[PLACES - 1])

/* idgen_worker_main(), idgen_refill_loop_turn() */
proctype Worker(byte v)
{
	byte s = WORKER(v); byte n = 0; byte p = 0; byte i = 0; byte j = 0; byte count = 0;
	Pending block[NAMES];
	bit mine[PLACES]; bit later[PLACES]; bit one_by_one = 0; bit fails = 0;

start:
end:	worker[v].state == STARTING;
	worker[v].state = RUNS;
	do
	:: true ->
		if :: !M_LATCH_RESET_LATE -> worker[v].latch = 0 :: else fi;
		count = 0;
		for (p : 0 .. PLACES - 1) {
			atomic { take_request() };
			if
			:: mine[p] ->
				atomic { if :: !IS_SERVED(n) -> make_slot(n) :: else fi };
				atomic { try_request() }
			:: else
			fi
		}
		p = 0;
		if
		:: count > 0 ->
			if
			:: deaths < DEATHS -> deaths++; goto dies
			:: fails -> fail_to_commit()
			:: !fails -> commit_refills()
			fi;
			worker[v].latch = 1    /* look again */
		:: else ->
			/* wait_for_work(), idgen_desk_leave_if_idle() */
			if :: M_LATCH_RESET_LATE -> worker[v].latch = 0 :: else fi;
			if
			:: HAS_LATER -> skip    /* the pause is over */
			:: worker[v].latch -> skip
			:: M_LEAVES_WITHOUT_LOCK && !HAS_LATER && !worker[v].latch && !HAS_REQUESTS -> worker[v].state = NONE; goto start
			:: atomic { !M_LEAVES_WITHOUT_LOCK && !HAS_LATER && !worker[v].latch && !HAS_REQUESTS -> worker[v].state = NONE; goto start }
			fi
		fi
	od;
dies:
	die();
	goto start
}
