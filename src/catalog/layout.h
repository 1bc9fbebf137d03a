/*
 * layout.h
 *		Composing ids of several fields, and taking them apart.
 */
#ifndef IDGEN_LAYOUT_H
#define IDGEN_LAYOUT_H

#include "utils/numeric.h"

/* The digits of composed ids: bigints, and numerics */
#define IDGEN_ID_DIGITS     19
#define IDGEN_BIG_ID_DIGITS 38

/* The node numbers that such an id can begin with */
#define IDGEN_LEAST_DIGIT    1
#define IDGEN_GREATEST_DIGIT 8

/* How an id is composed. */
typedef struct IdgenLayout
{
	const char *name;  /* the value of column "layout" */
	int prefix_digits; /* before the sequence value; 0 = the id is one number */
	bool has_channel;  /* is there a channel among them? */
	bool reversed;     /* are the digits of the sequence value reversed? */
	bool scrambled;    /* is the sequence value scrambled before anything else? */
	int64 values;      /* sequence values that a bigint has room for: 0 to this - 1 */
} IdgenLayout;

/* What stands before the sequence value. */
typedef struct IdgenPrefix
{
	int node;
	int channel; /* of layouts that have one */
	int session;
} IdgenPrefix;

/*
 * All there are, and one without a name behind them. The first is that of an id
 * that is the sequence value itself, the second that of one that is the
 * sequence value scrambled (scramble.h). The functions below take that for
 * plain: they are given what is scrambled already.
 */
extern const IdgenLayout idgen_layouts[];
#define idgen_layout_plain     (idgen_layouts[0])
#define idgen_layout_scrambled (idgen_layouts[1])

/* Is an id of more than one number? */
static inline bool
idgen_layout_is_composed(const IdgenLayout *layout)
{
	return layout->prefix_digits > 0;
}

extern int idgen_layout_prefix(const IdgenLayout *layout);
extern void idgen_layout_limits(const IdgenLayout *layout, int64 max_value, int64 *least, int64 *greatest);
extern void idgen_layout_big_limits(const IdgenLayout *layout, Numeric big_base, int64 *least, int64 *greatest);
extern bool idgen_layout_can_begin(const IdgenLayout *layout, int64 value, Numeric big_base);
extern void idgen_layout_check(const IdgenLayout *layout, Oid relid, const char *name, int64 value);
extern void idgen_layout_check_big(const IdgenLayout *layout, const char *name,
                                   int64 value, Numeric big_base);
extern int64 idgen_layout_compose(const IdgenLayout *layout, int prefix, int64 value);
extern Numeric idgen_layout_compose_big(const IdgenLayout *layout, int prefix,
                                        int64 value, Numeric big_base);
extern void idgen_layout_parse(const IdgenLayout *layout, int64 id,
                               IdgenPrefix *prefix, int64 *value);
extern void idgen_layout_parse_big(const IdgenLayout *layout, Numeric id,
                                   IdgenPrefix *prefix, Numeric *value);

#endif /* IDGEN_LAYOUT_H */
