/*
 * job_lists.c
 *		The jobs of the worker that have been tried, and are not over.
 *
 * They are listed by what is to be done with them, in such a way that the
 * worker looks only at those for which it is time: one transaction may have
 * locked all rows.
 *
 * READY, IN_LINE, REMOTE: lists; who comes first is served first. PAUSED: a
 * heap, with the pause on top that ends first.
 */
#include "postgres.h"

#include <limits.h>

#include "lib/ilist.h"
#include "lib/pairingheap.h"
#include "utils/memutils.h"

#include "worker/job_lists.h"

MemoryContext idgen_job_memory;

static int compare_pauses(const pairingheap_node *a, const pairingheap_node *b, void *arg);

static dlist_head ready_jobs = DLIST_STATIC_INIT(ready_jobs);
static dlist_head jobs_in_line = DLIST_STATIC_INIT(jobs_in_line);
static pairingheap paused_jobs = {.ph_compare = compare_pauses};
static dlist_head remote_jobs = DLIST_STATIC_INIT(remote_jobs);

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
take_first(dlist_head *list)
{
	return dlist_is_empty(list) ? NULL : dlist_container(IdgenJob, node, dlist_pop_head_node(list));
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
	else
		dlist_push_tail(&remote_jobs, &job->node);
}

static IdgenJob *
first_paused(void)
{
	return pairingheap_is_empty(&paused_jobs) ? NULL
											  : pairingheap_container(IdgenJob, pause_node, pairingheap_first(&paused_jobs));
}

/* Make READY the jobs whose pause is over. */
void
idgen_jobs_resume(void)
{
	IdgenJob *job;

	while ((job = first_paused()) != NULL && idgen_job_resume(job))
	{
		(void) pairingheap_remove_first(&paused_jobs);
		idgen_jobs_add(job);
	}
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

/* The next job for which a server is to be asked, or NULL. */
IdgenJob *
idgen_jobs_take_remote(void)
{
	return take_first(&remote_jobs);
}

/*
 * In how many milliseconds to look at the jobs again; LONG_MAX if there are
 * none.
 */
long
idgen_jobs_wait(void)
{
	if (!dlist_is_empty(&ready_jobs) || !dlist_is_empty(&jobs_in_line) || !dlist_is_empty(&remote_jobs))
		return 0;
	return first_paused() != NULL ? idgen_job_wait(first_paused()) : LONG_MAX;
}

/* Forget all jobs. */
void
idgen_jobs_forget(void)
{
	dlist_init(&ready_jobs);
	dlist_init(&jobs_in_line);
	pairingheap_reset(&paused_jobs);
	dlist_init(&remote_jobs);
	MemoryContextReset(idgen_job_memory);
}

/* Called once by the worker. */
void
idgen_jobs_init(void)
{
	idgen_job_memory = AllocSetContextCreate(TopMemoryContext, "idgen worker jobs",
	                                         ALLOCSET_DEFAULT_SIZES);
}
