/*
 * plan.h
 *		What a client does in a transaction, as a function of seed, client and
 *		number.
 */
#ifndef STRESS_PLAN_H
#define STRESS_PLAN_H

#include <stdio.h>

#include "children.h"
#include "sequences.h"

#define MAX_STEPS     16
#define MAX_SEQUENCES 3 /* in one transaction */

/*
 * A transaction's number is ROUND_STEP times that of its round, plus a count.
 */
#define ROUND_STEP 1000000

typedef enum Action
{
	DRAW,          /* one id */
	DRAW_MANY,     /* count ids in one statement */
	DRAW_BIG,      /* count ids by idgen_next_big */
	DRAW_TWO,      /* count ids of this and of another id sequence, in turn */
	DRAW_RANGE,    /* count ids in a row */
	DRAW_IN_BLOCK, /* count ids in a PL/pgSQL block whose exception may be caught */
	DRAW_TEXT,     /* count text ids */
	DRAW_CHILD,    /* count ids of a member of a family */
	DRAW_UNIQUE,   /* count time-ordered ids */
	DRAW_UUID,     /* count UUIDs */
	PEEK,
	COLLIDE, /* a unique violation, of what was drawn before or of anything else */
	CLASSIC, /* a block by the classic protocol, or by nextval() */
	SET_SAVEPOINT,
	ROLL_BACK_TO_SAVEPOINT,
	RELEASE_SAVEPOINT,
	SET_TIMEOUT, /* statement_timeout or lock_timeout, of count ms */
	WAIT,        /* count ms */
} Action;

typedef struct Step
{
	Action action;
	Sequence *sequence;
	Sequence *other;
	const Family *family; /* DRAW_CHILD */
	int member;           /* likewise */
	int count;
	bool flag;     /* DRAW: prepared; DRAW_IN_BLOCK: fails; CLASSIC: not by SELECT FOR UPDATE;
				    * SET_TIMEOUT: lock_timeout; DRAW_CHILD: as text */
	bool collides; /* DRAW_IN_BLOCK: fails by a unique violation */
} Step;

typedef enum End
{
	COMMIT,
	ROLLBACK,
	PREPARE_THEN_COMMIT,
	PREPARE_THEN_ROLLBACK,
	DISCONNECT,
	ABANDON, /* disconnect while a statement runs */
	NENDS,
} End;

typedef enum Isolation
{
	READ_COMMITTED,
	REPEATABLE_READ,
	SERIALIZABLE,
	NISOLATIONS,
} Isolation;

typedef struct Plan
{
	bool single; /* one statement without BEGIN */
	bool privileged;
	bool calm;         /* the round is */
	bool asynchronous; /* likewise */
	Isolation isolation;
	bool synchronous_commit;
	int nsequences;
	Sequence *sequences[MAX_SEQUENCES]; /* those of the steps */
	int nsteps;
	Step steps[MAX_STEPS];
	End end;
} Plan;

extern const char *const isolation_names[NISOLATIONS];

extern bool round_is_calm(int round);
extern bool round_is_asynchronous(int round);
extern bool round_has_workers(int round);
extern bool round_has_slots(int round);
extern Database database_of_client(int client);
extern bool client_is_privileged(int client);
extern void plan_transaction(Plan *plan, uint64_t seed, int client, int transaction);
extern void print_plan(const Plan *plan, FILE *file);

#endif
