/* Why a path is in the way of a move or a merge, for people: not part of the library. */
#ifndef CLIENT_CONFLICT_WORDS_H
#define CLIENT_CONFLICT_WORDS_H

/* `reason` as in struct tine_conflict; one that is not known is its own words. */
const char *conflict_words(const char *reason);

#endif
