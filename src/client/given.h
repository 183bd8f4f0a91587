/*
 * A connection that somebody else made, for curl to use.
 *
 * Curl can be told that a socket is connected already, but some versions (7.88 among them) connect
 * it all the same and fail. So curl is given a plain socket and something to connect it to; when
 * that is done, and before anything is sent, the socket is replaced, under its number, by the one
 * that was made elsewhere.
 */
#ifndef CLIENT_GIVEN_H
#define CLIENT_GIVEN_H

#include <curl/curl.h>

struct given {
    int fd;       /* the connection; -1: none is waiting */
    int stand_in; /* what curl thinks it is */
    int listener; /* what the stand-in is connected to */
};

/* For CURLOPT_OPENSOCKETFUNCTION: takes over `fd`. Gives the stand-in, and its address. */
curl_socket_t given_open(struct given *given, int fd, struct curl_sockaddr *address);

/* For CURLOPT_PREREQFUNCTION: the stand-in becomes the connection. False when that fails. */
int given_replace(struct given *given);

/* Closes what was not used. */
void given_drop(struct given *given);

#endif
