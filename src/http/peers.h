/* How many connections there are from each address. An IPv6 address counts with its whole /64. */
#ifndef HTTP_PEERS_H
#define HTTP_PEERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct peer {
    struct peer *next;
    uint64_t key;
    int count;
};

enum { PEERS_SLOTS = 1024 };

struct peers {
    struct peer *slots[PEERS_SLOTS];
};

/* One more from there; NULL for an address that is not counted (no IP). */
struct peer *peers_add(struct peers *peers, const struct sockaddr *address);
void peers_remove(struct peers *peers, struct peer *peer); /* one less; accepts NULL */

/* The address alone, as text; "local" for one that is no IP. */
enum { PEER_TEXT = 48 };
void peer_text(const struct sockaddr *address, char text[PEER_TEXT]);
bool peer_is_loopback(const struct sockaddr *address);

#endif
