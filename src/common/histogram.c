/*
 * histogram.c
 *		A coarse histogram: how often something took how long.
 *
 * It is for what is slow, and is kept for each of very many id sequences. So it
 * is small, and tells orders of magnitude.
 *
 * The first bound is the caller's, and always the same for one histogram. It is
 * not kept with the counts, for lack of room. Values have the unit of the first
 * bound.
 */
#include "postgres.h"

#include "common/int.h"
#include "utils/float.h"

#include "common/histogram.h"

/* The bucket of a value: of those with a greater bound, the first one. */
static int
bucket_of(int64 first_bound, int64 value)
{
	int64 bound = first_bound;
	int bucket = 0;

	while (bucket < IDGEN_HISTOGRAM_BUCKETS - 1 && value >= bound)
	{
		bucket++;
		bound *= 10;
	}
	return bucket;
}

static void
add_count(uint32 *count, uint32 n)
{
	if (pg_add_u32_overflow(*count, n, count))
		*count = PG_UINT32_MAX;
}

/* Count a value. */
void
idgen_histogram_add(IdgenHistogram *histogram, int64 first_bound, int64 value)
{
	add_count(&histogram->counts[bucket_of(first_bound, value)], 1);
}

/* Do not count a value any more, which may have been forgotten meanwhile. */
void
idgen_histogram_remove(IdgenHistogram *histogram, int64 first_bound, int64 value)
{
	uint32 *count = &histogram->counts[bucket_of(first_bound, value)];

	if (*count > 0)
		(*count)--;
}

/* Count what another one with the same bounds has counted. */
void
idgen_histogram_merge(IdgenHistogram *histogram, const IdgenHistogram *other)
{
	for (int i = 0; i < IDGEN_HISTOGRAM_BUCKETS; i++)
		add_count(&histogram->counts[i], other->counts[i]);
}

static uint64
total(const IdgenHistogram *histogram)
{
	uint64 sum = 0;

	for (int i = 0; i < IDGEN_HISTOGRAM_BUCKETS; i++)
		sum += histogram->counts[i];
	return sum;
}

/* Has nothing been counted? */
bool
idgen_histogram_is_empty(const IdgenHistogram *histogram)
{
	return total(histogram) == 0;
}

/*
 * The least bound below which that percentage of all values lies: infinity if
 * it takes the last bucket. The histogram must not be empty.
 */
double
idgen_histogram_percentile(const IdgenHistogram *histogram, int64 first_bound, int percent)
{
	uint64 sum = total(histogram);
	uint64 below = 0;
	double bound = first_bound;

	Assert(sum > 0);
	for (int i = 0; i < IDGEN_HISTOGRAM_BUCKETS - 1; i++)
	{
		below += histogram->counts[i];
		if (below * 100 >= sum * percent)
			return bound;
		bound *= 10;
	}
	return get_float8_infinity();
}
