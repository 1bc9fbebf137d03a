/*
 * plan.c
 *		What a client does in a transaction, as a function of seed, client and
 *		number.
 *
 * Of three rounds, one is calm: nothing is interrupted, prepared or restarted,
 * and no transaction can fail. Then every id must be accounted for. Another one
 * is asynchronous: all transactions commit without waiting for the disk, so
 * that if idgen does not see to it that blocks are there, nobody else does, and
 * the crash at its end shows that. For the same reason they all draw from
 * sources of one kind, with one kind of refill, and none that another process
 * refills: with refill "auto" where there is no worker.
 *
 * Between its rounds, the server is started with other settings.
 */
#include "plan.h"

const char *const isolation_names[NISOLATIONS] = {
	[READ_COMMITTED] = "READ COMMITTED",
	[REPEATABLE_READ] = "REPEATABLE READ",
	[SERIALIZABLE] = "SERIALIZABLE",
};

static const char *const end_names[NENDS] = {
	[COMMIT] = "COMMIT",
	[ROLLBACK] = "ROLLBACK",
	[PREPARE_THEN_COMMIT] = "PREPARE TRANSACTION, COMMIT PREPARED",
	[PREPARE_THEN_ROLLBACK] = "PREPARE TRANSACTION, ROLLBACK PREPARED",
	[DISCONNECT] = "disconnect",
	[ABANDON] = "disconnect while a statement runs",
};

bool
round_is_calm(int round)
{
	return round % 3 == 2;
}

bool
round_is_asynchronous(int round)
{
	return round % 3 == 1;
}

/*
 * What the server lacks in a round. It begins when the server is restarted at
 * the end of the round before; after a calm one it is not.
 */
typedef enum Lack
{
	NOTHING,
	WORKERS, /* it has no slot for a background worker */
	SLOTS,   /* the cache has few, and id sequences give way all the time */
	BOTH,
} Lack;

static Lack
lack_of_round(int round)
{
	static const Lack asynchronous[] = {BOTH, SLOTS, SLOTS, WORKERS};
	static const Lack calm[] = {WORKERS, SLOTS, BOTH, NOTHING};

	if (round == 0)
		return NOTHING;
	if (round_is_asynchronous(round))
		return asynchronous[round / 3 % lengthof(asynchronous)];
	return calm[((round + 1) / 3 - 1) % lengthof(calm)];
}

bool
round_has_workers(int round)
{
	return lack_of_round(round) != WORKERS && lack_of_round(round) != BOTH;
}

bool
round_has_slots(int round)
{
	return lack_of_round(round) != SLOTS && lack_of_round(round) != BOTH;
}

Database
database_of_client(int client)
{
	static const Database databases[] = {DATABASE_A, DATABASE_A, DATABASE_A, DATABASE_B, DATABASE_A,
	                                     DATABASE_A, DATABASE_A, DATABASE_C, DATABASE_A, DATABASE_B};

	return databases[client % (int) lengthof(databases)];
}

/* How many ids in one statement: mostly few, now and then thousands. */
static int
random_count(Random *random, const Sequence *sequence)
{
	/* where each block costs a commit, or rows are inserted */
	int most = sequence->stream->gapless || (sequence->kind->refill == BY_WORKER && sequence->kind->block_size < 1000) ||
			sequence->kind->block_size < 5
		? 100
		: 10000;

	if (!one_in(random, 4))
		return random_from(random, 1, 30);
	return random_from(random, 1, one_in(random, 3) ? most : Min(most, 1000));
}

/* Are ids of consecutive sequence values consecutive? */
static bool
has_ranges(const Sequence *sequence)
{
	Layout layout = sequence->kind->layout;

	return layout != PREFIXED_REVERSED && layout != SESSION_REVERSED && layout != SCRAMBLED;
}

static Step
random_draw(Random *random, Sequence *sequence)
{
	Step step = {.action = DRAW, .sequence = sequence, .count = random_count(random, sequence)};

	if (sequence->kind->collides && one_in(random, 2))
	{
		step.action = DRAW_IN_BLOCK;
		step.flag = step.collides = true;
		return step;
	}
	if (sequence->kind->format != NO_FORMAT && one_in(random, 2))
	{
		step.action = DRAW_TEXT;
		return step;
	}
	switch (random_below(random, 10))
	{
		case 0:
		case 1:
		case 2:
			step.count = 1;
			step.flag = one_in(random, 2);
			break;
		case 3:
		case 4:
		case 5:
			step.action = DRAW_MANY;
			break;
		case 6:
			step.action = sequence->kind->layout == SCRAMBLED ? DRAW_MANY : DRAW_BIG;
			break;
		case 7:
			step.action = has_ranges(sequence) ? DRAW_RANGE : DRAW_MANY;
			break;
		case 8:
			/* the block answers with ids, not with sequence values */
			step.action = sequence->kind->layout == SCRAMBLED ? DRAW_MANY : DRAW_IN_BLOCK;
			step.flag = one_in(random, 2);
			step.collides = step.flag && sequence->stream->gapless && one_in(random, 2);
			break;
		case 9:
			step.action = one_in(random, 2) ? PEEK : DRAW_UNIQUE;
			if (step.action == DRAW_UNIQUE && one_in(random, 2))
				step.action = DRAW_UUID;
			break;
	}
	return step;
}

static Step
random_draw_of_child(Random *random, Sequence *sequence)
{
	const Family *family = &families[random_below(random, nfamilies)];

	return (Step){.action = DRAW_CHILD,
	              .sequence = sequence,
	              .family = family,
	              .member = random_below(random, family->members),
	              .count = one_in(random, 3) ? random_from(random, 1, 20) : 1,
	              .flag = one_in(random, 2)};
}

/* Half of the clients do with what everybody may do. */
bool
client_is_privileged(int client)
{
	return client % 2 == 1;
}

/* Whether it makes sense at this point to allocate as other programs do. */
static bool
may_allocate(const Plan *plan, const Sequence *sequence)
{
	if (!plan->privileged || sequence->kind->capacity > 0)
		return false;
	/* what it has allocated might be gone with its commit */
	if (!plan->synchronous_commit)
		return false;
	if (sequence->kind->source == SEQUENCE)
		return sequence->kind->block_size > 0;
	if (sequence->kind->source != TABLE)
		return false;
	/* to a program that is serializable, every refill is a conflict */
	if (plan->isolation == SERIALIZABLE)
		return false;
	/*
	 * it may fail then; and the worker cannot get at a row that the caller has
	 * locked
	 */
	if (plan->calm && (plan->isolation != READ_COMMITTED || sequence->kind->refill != BY_TRANSACTION || sequence->kind->switched))
		return false;
	/*
	 * what a transaction holds of a gapless one it cannot give back once it has
	 * allocated behind it by itself
	 */
	return !sequence->stream->gapless || plan->nsteps == 0;
}

/*
 * A child is gapless, and its rows are committed like any others: an
 * asynchronous commit would have to wait for the disk.
 */
static bool
may_draw_of_children(const Plan *plan, const Sequence *sequence)
{
	return !plan->asynchronous && database_has_families(sequence->database);
}

static Step
random_step(Random *random, const Plan *plan)
{
	Sequence *sequence = plan->sequences[random_below(random, plan->nsequences)];
	Step step = {.sequence = sequence};

	switch (random_below(random, plan->calm ? 17 : 22))
	{
		case 11:
		case 12:
			step.action = SET_SAVEPOINT;
			return step;
		case 13:
			step.action = ROLL_BACK_TO_SAVEPOINT;
			return step;
		case 14:
			step.action = RELEASE_SAVEPOINT;
			return step;
		case 15:
			step.action = WAIT;
			step.count = random_from(random, 1, 20);
			return step;
		case 16:
			if (sequence->kind->collides)
			{
				step.action = COLLIDE;
				return step;
			}
			if (!may_allocate(plan, sequence))
				break;
			step.action = CLASSIC;
			step.flag = plan->isolation == REPEATABLE_READ;
			return step;
		case 17:
			step.action = SET_TIMEOUT;
			step.count = one_in(random, 3) ? random_from(random, 1, 10) : random_from(random, 10, 500);
			step.flag = one_in(random, 2);
			return step;
		case 18:
			if (plan->nsequences == 1)
				break;
			step.action = DRAW_TWO;
			step.sequence = plan->sequences[0];
			step.other = plan->sequences[1];
			step.count = random_from(random, 1, 30);
			if (step.sequence->stream->gapless || step.other->stream->gapless)
				break;
			return step;
		case 20:
		case 21:
			if (may_draw_of_children(plan, sequence))
				return random_draw_of_child(random, sequence);
			break;
	}
	return random_draw(random, sequence);
}

static End
random_end(Random *random, bool may_prepare)
{
	if (random_below(random, 100) < 60)
		return COMMIT;
	if (!may_prepare || random_below(random, 100) < 55)
		return ROLLBACK;
	return random_from(random, PREPARE_THEN_COMMIT, NENDS - 1);
}

/* Of an asynchronous round: see above. */
static bool
suits(const Sequence *sequence, int round)
{
	bool native = round / 3 % 2 == 1;
	Refill refill = round_has_workers(round) ? BY_TRANSACTION : BY_EITHER;

	return (sequence->kind->source == SEQUENCE) == native && sequence->kind->source != SERVER &&
		sequence->kind->refill == refill && !sequence->kind->switched;
}

static Sequence *
random_sequence(Random *random, const Plan *plan, int client, int round)
{
	int first;
	int n = sequences_of(database_of_client(client), &first);
	Sequence *sequence;

	do
		sequence = &sequences[first + random_below(random, n)];
	while (sequence->kind->audience == (plan->privileged ? UNPRIVILEGED : PRIVILEGED) ||
	       (plan->asynchronous && !suits(sequence, round)));
	return sequence;
}

void
plan_transaction(Plan *plan, uint64_t seed, int client, int transaction)
{
	Random random = random_stream(seed, (uint64_t) client + 1, (uint64_t) transaction);
	int round = transaction / ROUND_STEP;
	bool may_prepare;

	*plan = (Plan){.privileged = client_is_privileged(client),
	               .calm = round_is_calm(round),
	               .asynchronous = round_is_asynchronous(round),
	               .end = COMMIT};
	plan->single = one_in(&random, 2) && !plan->asynchronous;
	plan->isolation = random_below(&random, NISOLATIONS);
	plan->synchronous_commit = !one_in(&random, 4) && !plan->asynchronous;

	/* of several, locks may be taken in any order: then there are deadlocks */
	plan->nsequences = plan->single || plan->calm ? 1 : random_from(&random, 1, MAX_SEQUENCES);
	for (int i = 0; i < plan->nsequences; i++)
		plan->sequences[i] = random_sequence(&random, plan, client, round);

	/* the function's own update may fail in a snapshot */
	if (plan->calm && plan->sequences[0]->kind->source == FUNCTION)
		plan->isolation = READ_COMMITTED;

	if (plan->single)
	{
		plan->steps[plan->nsteps++] = may_draw_of_children(plan, plan->sequences[0]) && one_in(&random, 6)
			? random_draw_of_child(&random, plan->sequences[0])
			: random_draw(&random, plan->sequences[0]);
		return;
	}
	for (int wanted = random_from(&random, 1, one_in(&random, 3) ? MAX_STEPS : 4); plan->nsteps < wanted;)
		plan->steps[plan->nsteps++] = random_step(&random, plan);
	/*
	 * a prepared transaction would keep the database from being dropped, and is
	 * on disk
	 */
	may_prepare = !plan->calm && !plan->asynchronous && database_of_client(client) != DATABASE_C;
	plan->end = random_end(&random, may_prepare);
}

static void
print_step(const Step *step, FILE *file)
{
	const char *name = step->sequence->kind->name;

	switch (step->action)
	{
		case DRAW:
			fprintf(file, "draw 1 of %s%s", name, step->flag ? ", prepared statement" : "");
			break;
		case DRAW_MANY:
			fprintf(file, "draw %d of %s", step->count, name);
			break;
		case DRAW_BIG:
			fprintf(file, "draw %d of %s, idgen_next_big", step->count, name);
			break;
		case DRAW_TWO:
			fprintf(file, "draw %d each of %s and %s", step->count, name, step->other->kind->name);
			break;
		case DRAW_RANGE:
			fprintf(file, "range of %d of %s", step->count, name);
			break;
		case DRAW_IN_BLOCK:
			fprintf(file, "draw %d of %s in a block%s%s", step->count, name, step->flag ? " that fails" : "",
			        step->collides ? " by a unique violation" : "");
			break;
		case DRAW_TEXT:
			fprintf(file, "draw %d text ids of %s", step->count, name);
			break;
		case DRAW_CHILD:
			fprintf(file, "draw %d of child %d of %s%s", step->count, step->member, step->family->template,
			        step->flag ? ", as text" : "");
			break;
		case DRAW_UNIQUE:
			fprintf(file, "draw %d time-ordered ids", step->count);
			break;
		case DRAW_UUID:
			fprintf(file, "draw %d UUIDs", step->count);
			break;
		case PEEK:
			fprintf(file, "peek at %s", name);
			break;
		case COLLIDE:
			fprintf(file, "unique violation");
			break;
		case CLASSIC:
			fprintf(file, "allocation by another program from %s%s", name,
			        step->flag ? ", without FOR UPDATE" : "");
			break;
		case SET_SAVEPOINT:
			fprintf(file, "savepoint");
			break;
		case ROLL_BACK_TO_SAVEPOINT:
			fprintf(file, "rollback to savepoint");
			break;
		case RELEASE_SAVEPOINT:
			fprintf(file, "release savepoint");
			break;
		case SET_TIMEOUT:
			fprintf(file, "%s %d ms", step->flag ? "lock_timeout" : "statement_timeout", step->count);
			break;
		case WAIT:
			fprintf(file, "wait %d ms", step->count);
			break;
	}
}

void
print_plan(const Plan *plan, FILE *file)
{
	fprintf(file, "      plan: %s%s: ", plan->single ? "single statement" : isolation_names[plan->isolation],
	        plan->synchronous_commit ? "" : ", asynchronous commit");
	for (int i = 0; i < plan->nsteps; i++)
	{
		print_step(&plan->steps[i], file);
		fprintf(file, "; ");
	}
	fprintf(file, "%s\n", plan->single ? "" : end_names[plan->end]);
}
