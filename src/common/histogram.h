/*
 * histogram.h
 *		A coarse histogram: how often something took how long.
 */
#ifndef IDGEN_HISTOGRAM_H
#define IDGEN_HISTOGRAM_H

/*
 * Each bucket but the last one has a bound, which is ten times that of the one
 * before. The last one has what is longer.
 */
#define IDGEN_HISTOGRAM_BUCKETS 6

typedef struct IdgenHistogram
{
	uint32 counts[IDGEN_HISTOGRAM_BUCKETS]; /* they stop at the greatest number */
} IdgenHistogram;

extern void idgen_histogram_add(IdgenHistogram *histogram, int64 first_bound, int64 value);
extern void idgen_histogram_remove(IdgenHistogram *histogram, int64 first_bound, int64 value);
extern void idgen_histogram_merge(IdgenHistogram *histogram, const IdgenHistogram *other);
extern bool idgen_histogram_is_empty(const IdgenHistogram *histogram);
extern double idgen_histogram_percentile(const IdgenHistogram *histogram, int64 first_bound,
                                         int percent);

#endif /* IDGEN_HISTOGRAM_H */
