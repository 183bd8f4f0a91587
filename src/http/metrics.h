/* What the edge counts, for Prometheus. All functions may be called from any thread. */
#ifndef HTTP_METRICS_H
#define HTTP_METRICS_H

#include "base/buf.h"
#include "http/route.h"

/* Why the edge said no before a route had a say. */
enum metrics_refusal {
    REFUSED_CONNECTIONS,
    REFUSED_PEER,
    REFUSED_STREAMS,
    REFUSED_QUEUE,
    REFUSED_PENDING,
    REFUSED_TIMEOUT,
    REFUSED_MALFORMED,
    REFUSED_ORIGIN,
    REFUSED_STOPPING,
    REFUSED_COUNT
};

struct metrics;

struct metrics *metrics_new(const struct route_table *const *tables, size_t count);
void metrics_free(struct metrics *metrics);

/* A request has ended; table and route are NULL when none was found. `timed`: not a stream. */
struct metrics_request {
    const struct route_table *table;
    const struct route *route;
    enum http_method method;
    int status;
    bool timed;
    int64_t took_us, bytes_in, bytes_out;
};
void metrics_add(struct metrics *metrics, const struct metrics_request *request);
void metrics_refused(struct metrics *metrics, enum metrics_refusal why);

/* Connections that open (+1) and close (-1), and streams likewise. */
void metrics_open(struct metrics *metrics, int connections, int streams);

void metrics_write(struct metrics *metrics, struct buf *out);

#endif
