#include "http/peers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/* IPv4 in its lower half; of IPv6 the first half, which no IPv4 address looks like. */
static bool key_of(const struct sockaddr *address, uint64_t *key)
{
    if (address && address->sa_family == AF_INET) {
        *key = ((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr;
        return true;
    }
    if (address && address->sa_family == AF_INET6) {
        const struct in6_addr *six =
            &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;

        if (IN6_IS_ADDR_V4MAPPED(six)) {
            uint32_t four;

            memcpy(&four, six->s6_addr + 12, sizeof(four));
            *key = four;
        } else {
            memcpy(key, six->s6_addr, sizeof(*key));
            *key ^= UINT64_C(1) << 63; /* ::1 has zeros there */
        }
        return true;
    }
    return false;
}

static struct peer **slot_of(struct peers *peers, uint64_t key)
{
    return &peers->slots[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
}

struct peer *peers_add(struct peers *peers, const struct sockaddr *address)
{
    struct peer **slot, *peer;
    uint64_t key;

    if (!key_of(address, &key))
        return NULL;
    slot = slot_of(peers, key);
    for (peer = *slot; peer && peer->key != key; peer = peer->next)
        ;
    if (!peer) {
        peer = calloc(1, sizeof(*peer));
        if (!peer)
            abort();
        peer->key = key;
        peer->next = *slot;
        *slot = peer;
    }
    peer->count++;
    return peer;
}

void peers_remove(struct peers *peers, struct peer *peer)
{
    struct peer **at;

    if (!peer || --peer->count > 0)
        return;
    for (at = slot_of(peers, peer->key); *at != peer; at = &(*at)->next)
        ;
    *at = peer->next;
    free(peer);
}

void peer_text(const struct sockaddr *address, char text[PEER_TEXT])
{
    const void *bytes = NULL;

    if (address && address->sa_family == AF_INET)
        bytes = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
    else if (address && address->sa_family == AF_INET6)
        bytes = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    if (!bytes || !inet_ntop(address->sa_family, bytes, text, PEER_TEXT))
        memcpy(text, "local", sizeof("local"));
}

bool peer_is_loopback(const struct sockaddr *address)
{
    if (address && address->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const void *)address;

        return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    }
    if (address && address->sa_family == AF_INET6) {
        const struct in6_addr *six =
            &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;

        return IN6_IS_ADDR_LOOPBACK(six) || (IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == 127);
    }
    return true;
}
