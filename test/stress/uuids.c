/*
 * uuids.c
 *		UUIDs that were drawn: each once, and in order.
 *
 * They ascend over all sessions: whoever asks after somebody has got an answer
 * gets a greater one, also after a crash. What a round has drawn is greater
 * than all of the rounds before.
 */
#include "uuids.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_LENGTH 36

typedef struct Uuid
{
	char text[TEXT_LENGTH + 1]; /* in lower case, so that its order is that of the UUIDs */
	Time sent;                  /* when the statement was sent */
	Time replied;               /* when its answer was there */
} Uuid;

static Uuid *uuids = NULL; /* of this round */
static size_t nuuids = 0;
static size_t uuids_allocated = 0;
static char greatest[TEXT_LENGTH + 1] = ""; /* of the rounds before */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Has it the form of version 7 (RFC 9562)? */
static bool
has_form(const char *uuid)
{
	return strlen(uuid) == TEXT_LENGTH && uuid[14] == '7' && strchr("89ab", uuid[19]) != NULL &&
		strspn(uuid, "0123456789abcdef-") == TEXT_LENGTH;
}

/*
 * Takes down the answer of one statement. False if these are not UUIDs, or not
 * in order.
 */
bool
uuids_add(const char *const *texts, int n, Time sent, Time replied)
{
	bool good = true;

	pthread_mutex_lock(&lock);
	uuids = make_room(uuids, nuuids + n, &uuids_allocated, sizeof(*uuids));
	for (int i = 0; i < n && good; i++)
	{
		Uuid *uuid = &uuids[nuuids];

		good = has_form(texts[i]) && (i == 0 || strcmp(texts[i - 1], texts[i]) < 0);
		if (good)
		{
			strcpy(uuid->text, texts[i]);
			uuid->sent = sent;
			uuid->replied = replied;
			nuuids++;
		}
	}
	pthread_mutex_unlock(&lock);
	return good;
}

static int
compare_uuids(const void *a, const void *b)
{
	return strcmp(((const Uuid *) a)->text, ((const Uuid *) b)->text);
}

static int
complain(const Uuid *uuid, const char *what)
{
	printf("WRONG: UUID %s, drawn between %.3f and %.3f ms, %s\n", uuid->text, (double) uuid->sent / MILLISECOND,
	       (double) uuid->replied / MILLISECOND, what);
	fflush(stdout);
	return 1;
}

/* At the end of a round: the number of complaints, which are printed. */
int
uuids_check(void)
{
	Time earliest = NEVER; /* answer that has a greater one */
	int complaints = 0;

	qsort(uuids, nuuids, sizeof(*uuids), compare_uuids);
	for (size_t i = nuuids; i-- > 0 && complaints < 3;)
	{
		const Uuid *uuid = &uuids[i];

		if (strcmp(uuid->text, greatest) <= 0)
			complaints += complain(uuid, "is not greater than those of the round before");
		if (i + 1 < nuuids && strcmp(uuid->text, uuids[i + 1].text) == 0)
			complaints += complain(uuid, "was drawn twice");
		if (uuid->sent > earliest)
			complaints += complain(uuid, "was drawn after a greater one");
		earliest = Min(earliest, uuid->replied);
	}
	if (nuuids > 0)
		strcpy(greatest, uuids[nuuids - 1].text);
	nuuids = 0;
	return complaints;
}
