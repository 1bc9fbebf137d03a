/*
 * job_lists.c
 *		The jobs of the worker that have been tried, and are not over.
 *
 * They are listed by what is to be done with them, in such a way that the
 * worker looks only at those for which it is time. There may be many others:
 * one transaction may have locked all rows, or another server may not answer.
 *
 * READY, IN_LINE Lists: who comes first is served first. PAUSED A heap, with
 * the pause on top that ends first. REMOTE A list of those of which a statement
 * is at work at another server; as there are few connections, it is short. The
 * others wait for a connection to their server, in a list for each server. Only
 * the first one of each is asked whether it goes on: it also is the first one
 * to be given up.
 */
#include "postgres.h"

#include <limits.h>

#include "lib/ilist.h"
#include "lib/pairingheap.h"
#include "utils/memutils.h"

#include "worker/job_lists.h"

/* The jobs that wait for a connection to the same server. */
typedef struct Crowd
{
	dlist_node node;
	dlist_head jobs; /* never empty */
} Crowd;

MemoryContext idgen_job_memory;

static int compare_pauses(const pairingheap_node *a, const pairingheap_node *b, void *arg);

static dlist_head ready_jobs = DLIST_STATIC_INIT(ready_jobs);
static dlist_head jobs_in_line = DLIST_STATIC_INIT(jobs_in_line);
static pairingheap paused_jobs = {.ph_compare = compare_pauses};
static dlist_head remote_jobs = DLIST_STATIC_INIT(remote_jobs); /* at work */
static dlist_head crowds = DLIST_STATIC_INIT(crowds);

/* Greater is the one whose pause ends earlier. */
static int
compare_pauses(const pairingheap_node *a, const pairingheap_node *b, void *arg)
{
	int32 later = pairingheap_const_container(IdgenJob, pause_node, a)->paused_ms -
		pairingheap_const_container(IdgenJob, pause_node, b)->paused_ms;

	return later < 0 ? 1 : later > 0 ? -1
									 : 0;
}

static IdgenJob *
first_of(dlist_head *list)
{
	return dlist_is_empty(list) ? NULL : dlist_head_element(IdgenJob, node, list);
}

static IdgenJob *
take_first(dlist_head *list)
{
	return dlist_is_empty(list) ? NULL : dlist_container(IdgenJob, node, dlist_pop_head_node(list));
}

/* Put a job at the end of those that wait for a connection to its server. */
static void
add_to_crowd(IdgenJob *job)
{
	Crowd *crowd;
	dlist_iter iter;

	dlist_foreach(iter, &crowds)
	{
		const IdgenJob *first;

		/* A crowd has at least one job. */
		crowd = dlist_container(Crowd, node, iter.cur);
		first = dlist_head_element(IdgenJob, node, &crowd->jobs);
		if (idgen_remote_shares_connections(first->query, job->query))
		{
			dlist_push_tail(&crowd->jobs, &job->node);
			return;
		}
	}
	crowd = MemoryContextAlloc(idgen_job_memory, sizeof(Crowd));
	dlist_init(&crowd->jobs);
	dlist_push_tail(&crowd->jobs, &job->node);
	dlist_push_tail(&crowds, &crowd->node);
}

/* Put a job that is not over on the list of its state. */
void
idgen_jobs_add(IdgenJob *job)
{
	Assert(!idgen_job_is_over(job));
	if (job->state == IDGEN_JOB_READY)
		dlist_push_tail(&ready_jobs, &job->node);
	else if (job->state == IDGEN_JOB_IN_LINE)
		dlist_push_tail(&jobs_in_line, &job->node);
	else if (job->state == IDGEN_JOB_PAUSED)
		pairingheap_add(&paused_jobs, &job->pause_node);
	else if (idgen_remote_lacks_connection(job->query))
		add_to_crowd(job);
	else
		dlist_push_tail(&remote_jobs, &job->node);
}

static IdgenJob *
first_paused(void)
{
	return pairingheap_is_empty(&paused_jobs) ? NULL
											  : pairingheap_container(IdgenJob, pause_node, pairingheap_first(&paused_jobs));
}

static void
resume_paused(void)
{
	IdgenJob *job;

	while ((job = first_paused()) != NULL && idgen_job_resume(job))
	{
		(void) pairingheap_remove_first(&paused_jobs);
		idgen_jobs_add(job);
	}
}

/* Go on with the jobs of which a statement is at work at another server. */
static void
resume_remote(void)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &remote_jobs)
	{
		IdgenJob *job = dlist_container(IdgenJob, node, iter.cur);

		if (!idgen_job_resume(job))
			continue;
		dlist_delete(&job->node);
		idgen_jobs_add(job);
	}
}

/* Go on with those that get a connection now, or do not wait any longer. */
static void
resume_crowds(void)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &crowds)
	{
		Crowd *crowd = dlist_container(Crowd, node, iter.cur);
		IdgenJob *job;

		while ((job = first_of(&crowd->jobs)) != NULL &&
		       (idgen_job_resume(job) || !idgen_remote_lacks_connection(job->query)))
		{
			dlist_delete(&job->node);
			idgen_jobs_add(job);
		}
		if (job != NULL)
			continue;
		dlist_delete(&crowd->node);
		pfree(crowd);
	}
}

/* Make READY the jobs that wait for something that has come. */
void
idgen_jobs_resume(void)
{
	resume_paused();
	resume_remote();
	resume_crowds();
}

/* The next job to be tried together with others, or NULL. */
IdgenJob *
idgen_jobs_take_ready(void)
{
	return take_first(&ready_jobs);
}

/* The next job to be tried alone, or NULL. */
IdgenJob *
idgen_jobs_take_in_line(void)
{
	return take_first(&jobs_in_line);
}

/*
 * In how many milliseconds to look at the jobs again; LONG_MAX if there are
 * none.
 */
long
idgen_jobs_wait(void)
{
	long wait = LONG_MAX;
	dlist_iter iter;

	if (!dlist_is_empty(&ready_jobs) || !dlist_is_empty(&jobs_in_line))
		return 0;
	if (first_paused() != NULL)
		wait = idgen_job_wait(first_paused());
	dlist_foreach(iter, &remote_jobs)
		wait = Min(wait, idgen_job_wait(dlist_container(IdgenJob, node, iter.cur)));
	dlist_foreach(iter, &crowds)
		wait = Min(wait, idgen_job_wait(first_of(&dlist_container(Crowd, node, iter.cur)->jobs)));
	return wait;
}

/* Forget all jobs. */
void
idgen_jobs_forget(void)
{
	dlist_init(&ready_jobs);
	dlist_init(&jobs_in_line);
	pairingheap_reset(&paused_jobs);
	dlist_init(&remote_jobs);
	dlist_init(&crowds);
	MemoryContextReset(idgen_job_memory);
}

/* Called once by the worker. */
void
idgen_jobs_init(void)
{
	idgen_job_memory = AllocSetContextCreate(TopMemoryContext, "idgen worker jobs",
	                                         ALLOCSET_DEFAULT_SIZES);
}
