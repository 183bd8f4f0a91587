/* Single values of the configuration file: numbers, switches, words of a list, names, addresses. */
#ifndef CONFIG_VALUE_H
#define CONFIG_VALUE_H

#include "config/outline.h"

#include <stdint.h>

/* A value and where it stands; `text` NULL: it was not said. */
struct value {
    const struct outline *outline;
    const struct node *node;
    const char *text;
};

/* The member `key` of a map that was read as `text`. */
struct value value_of(const struct outline *outline, const struct node *map, const char *key,
                      const char *text);

/* Each leaves *out alone when the value was not said. FAULT_INVALID says what would be right. */
FAULT_CHECK enum fault_code value_int(struct value value, int64_t min, int64_t max, int64_t *out,
                                      struct fault *fault);
FAULT_CHECK enum fault_code value_switch(struct value value, const char *on, const char *off,
                                         bool *out, struct fault *fault);

/* Digits with at most 9 behind the point, in 1e-9: 2.5 is 2500000000. `max` is a whole number. */
FAULT_CHECK enum fault_code value_decimal(struct value value, int64_t max, int64_t *out,
                                          struct fault *fault);

/* One of the words; NULL ends them. `what` is what they are: "kind of agent". */
FAULT_CHECK enum fault_code value_word(struct value value, const char *what,
                                       const char *const *words, struct fault *fault);

/* Letters, digits and the `marks`, `max` bytes at most. */
FAULT_CHECK enum fault_code value_name(struct value value, const char *marks, size_t max,
                                       struct fault *fault);

/* "127.0.0.1:8463", "[::1]:80", "localhost:0" */
FAULT_CHECK enum fault_code value_listen(struct value value, struct fault *fault);

/* "http://…" or "https://…" without a name and password in it. */
FAULT_CHECK enum fault_code value_url(struct value value, struct fault *fault);

/* The name of a host, or its address; a port may follow. */
FAULT_CHECK enum fault_code value_host(struct value value, struct fault *fault);

/* Takes "ADDR:PORT" apart; false when it is none. Without brackets. */
bool listen_split(struct str text, struct str *address, int *port);

#endif
