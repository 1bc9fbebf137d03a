/*
 * early_release.h
 *		Commits whose locks go before they are on disk.
 */
#ifndef IDGEN_EARLY_RELEASE_H
#define IDGEN_EARLY_RELEASE_H

extern void idgen_commit_flushes_first(void);
extern void idgen_commit_flushes_last(void);
extern void idgen_early_release_begin(void);
extern void idgen_early_release_forget(void);
extern void idgen_early_release_init(void);

#endif /* IDGEN_EARLY_RELEASE_H */
