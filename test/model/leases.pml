/*
 * leases.pml - a node number that servers lease at a centre.
 *
 * The number belongs to whoever shows the token of the last renewal, or the one
 * before, since an answer may be lost. But as long as the lease lasts, only its
 * holder gets it: one start of one server, or the next start of the same one,
 * which knows that the holder is dead. So a copy of a server that knows its
 * token has to wait until the lease has ended.
 *
 * A server takes its lease for ended before the centre does, since it counts
 * from before it has asked, and leaves out a part. For time-ordered ids, the
 * centre knows up to which time those of the holder may go, by the holder's own
 * clock. Whoever gets the number next begins behind that.
 *
 * Here all servers are copies of one.
 *
 * Bounds: SERVERS=2 TICKS=6 ASKS=2
 * TIMED=0    0: ids have the number while the lease lasts; 1: time-ordered ids
 * CRASHES=1  of the first server
 * SKEW=1     the clock of the last server is ahead by that
 */
#define LEASE 3  /* ticks */
#define MARGIN 1 /* of them are left out */

byte now = 1;    /* by the centre's clock; the boot clocks of servers go on as evenly */

typedef Number { byte holder; byte token; byte previous; byte until; byte used_until };
Number number;   /* a row of idgen_node_numbers */
byte tokens = 1; byte holders = 0;

typedef Server {
	byte holder; byte dead_holder; /* this start; the last start before it, which is over */
	byte token; byte token_holder; /* on disk: that of the last answer, and who has got it */
	byte until;                    /* by its boot clock; 0: no lease */
	byte ids_from; byte ids_until; /* times of time-ordered ids, by its own clock */
};
Server server[SERVERS];
byte issued[TICKS + LEASE + 6]; /* checked: which server has issued an id of that time; 0 nobody */

#define CLOCK (now + (s == SERVERS - 1 -> SKEW : 0))
#define MAX(a, b) ((a) > (b) -> (a) : (b))

/* May it have the number? */
#define HOLDS (number.holder == server[s].holder || (number.holder == server[s].dead_holder && server[s].dead_holder != 0))
#define HAS_TOKEN (server[s].token == number.token || \
	(server[s].token == number.previous && (number.holder != server[s].holder || number.token == token)))

/*
 * idgen_lease_node(): the centre decides, one after the other. The clock of
 * whoever asks has to be behind the times that are used already, or about to.
 */
inline lease_node()
{
	given = 0;
	if
	:: (HOLDS || number.until <= now || M_HOLDER_NOT_COMPARED) && HAS_TOKEN ->
		given = 1; used = number.used_until; own = (number.holder == server[s].token_holder);
		number.previous = server[s].token; number.token = token; number.holder = server[s].holder;
		number.until = now + LEASE; number.used_until = MAX(number.used_until, until_ids);
		printf("%d: gets the number until %d, for ids up to %d\n", s, number.until, until_ids)
	:: else
	fi
}

/* idgen_renewal_turn(), idgen_lease_install(): on disk, then sessions get to see it. */
inline install()
{
	server[s].token = token; server[s].token_holder = server[s].holder; token = 0;
	if
	:: TIMED -> skip
	:: !TIMED -> server[s].until = (M_COUNTED_FROM_ANSWER -> now + LEASE : begun + LEASE - MARGIN)
	fi;
	server[s].ids_until = (TIMED -> until_ids : 0);
	if :: TIMED && !own && !M_USED_TIMES_FORGOTTEN -> server[s].ids_from = MAX(server[s].ids_from, used + 1) :: else fi
}

/* A check: no other server has the number at that moment. */
inline use_number()
{
	for (i : 0 .. SERVERS - 1) {
		assert(i == s || server[i].until <= now)
	}
	i = 0
}

/* idgen_unique_id(): the lease may have ended meanwhile; the time of the id decides. */
inline use_time()
{
	i = MAX(CLOCK, server[s].ids_from);
	if
	:: i <= server[s].ids_until || M_BOUND_NOT_COMPARED ->
		printf("%d: issues an id of time %d\n", s, i);
		assert(issued[i] == 0 || issued[i] == s + 1); issued[i] = s + 1; server[s].ids_from = i
	:: else
	fi;
	i = 0
}

/* idgen_renewal_turn(), idgen_node_leased() and what draws; and the death of the server at any moment */
proctype Life(byte s)
{
	byte ask = 0; byte crash = 0; byte i = 0;
	byte token = 0; byte begun = 0; byte until_ids = 0; bit given = 0; bit own = 0; byte used = 0;

	atomic { holders++; server[s].holder = holders };
	do
	:: ask < ASKS ->
		ask++;
		atomic {
			begun = now; until_ids = CLOCK + LEASE;
			if :: token == 0 -> tokens++; token = tokens :: else fi
		};
		atomic { lease_node() };
		if
		:: given -> atomic { install() }
		:: true -> skip    /* refused, or the answer is lost */
		fi;
		atomic { given = 0; own = 0; used = 0; begun = 0; until_ids = 0 }
	:: atomic { !TIMED && now < server[s].until -> use_number() }
	:: atomic { TIMED && server[s].ids_until != 0 -> use_time() }
	:: atomic { s == 0 && crash < CRASHES ->
			printf("%d: crashes, and starts anew\n", s);
			crash++; server[s].dead_holder = server[s].holder; holders++; server[s].holder = holders;
			server[s].until = 0; server[s].ids_until = 0; token = 0 }
	:: break
	od;
	atomic { server[s].until = 0; server[s].ids_until = 0 }
}

/* Of the model: time goes on. */
proctype Time()
{
	do
	:: now < TICKS -> now++
	:: else -> break
	od
}

/* Of the model: everything begins. */
init
{
	byte i;

	atomic {
		number.token = 1;
		for (i : 1 .. SERVERS) {
			server[i - 1].token = 1; run Life(i - 1)
		}
		run Time();
		i = 0
	}
}
