#include "http/metrics.h"

#include <pthread.h>
#include <stdlib.h>

static const int64_t bucket_us[] = {500,    1000,   2500,   5000,    10000,   25000,   50000,
                                    100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000};
static const char *const bucket_names[] = {"0.0005", "0.001", "0.0025", "0.005", "0.01",
                                           "0.025",  "0.05",  "0.1",    "0.25",  "0.5",
                                           "1",      "2.5",   "5",      "10"};
enum { BUCKETS = sizeof(bucket_us) / sizeof(bucket_us[0]) };

static const char *const refusal_names[REFUSED_COUNT] = {
    "connections", "connections_peer", "streams", "queue",    "pending_bytes",
    "timeout",     "malformed",        "origin",  "stopping",
};

struct tally {
    enum http_method method;
    int status;
    int64_t count;
};

struct route_count {
    const char *dialect, *route;
    struct tally *tallies; /* few */
    size_t tally_count;
    int64_t buckets[BUCKETS + 1]; /* each by itself; the last has what is slower than all */
    int64_t timed, took_us;
};

struct metrics {
    pthread_mutex_t lock; /* of all below */
    const struct route_table *const *tables;
    size_t table_count;
    struct route_count *routes; /* those of all tables in their order; the last: no route */
    size_t route_count;
    int64_t refused[REFUSED_COUNT];
    int64_t bytes_in, bytes_out, opened;
    int connections, streams;
};

struct metrics *metrics_new(const struct route_table *const *tables, size_t count)
{
    struct metrics *metrics = calloc(1, sizeof(*metrics));
    size_t n = 0;

    if (!metrics)
        abort();
    pthread_mutex_init(&metrics->lock, NULL);
    metrics->tables = tables;
    metrics->table_count = count;
    for (size_t i = 0; i < count; i++)
        metrics->route_count += tables[i]->count;
    metrics->route_count++;
    metrics->routes = calloc(metrics->route_count, sizeof(*metrics->routes));
    if (!metrics->routes)
        abort();
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < tables[i]->count; j++) {
            metrics->routes[n].dialect = tables[i]->name;
            metrics->routes[n++].route = tables[i]->routes[j].name;
        }
    metrics->routes[n].dialect = metrics->routes[n].route = "none";
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    if (!metrics)
        return;
    for (size_t i = 0; i < metrics->route_count; i++)
        free(metrics->routes[i].tallies);
    free(metrics->routes);
    pthread_mutex_destroy(&metrics->lock);
    free(metrics);
}

static struct route_count *count_of(struct metrics *metrics, const struct metrics_request *request)
{
    size_t before = 0;

    for (size_t i = 0; request->route && i < metrics->table_count; i++) {
        if (metrics->tables[i] == request->table)
            return &metrics->routes[before + (size_t)(request->route - request->table->routes)];
        before += metrics->tables[i]->count;
    }
    return &metrics->routes[metrics->route_count - 1];
}

static void tally_add(struct route_count *route, enum http_method method, int status)
{
    struct tally *tallies;

    for (size_t i = 0; i < route->tally_count; i++)
        if (route->tallies[i].method == method && route->tallies[i].status == status) {
            route->tallies[i].count++;
            return;
        }
    tallies = realloc(route->tallies, (route->tally_count + 1) * sizeof(*tallies));
    if (!tallies)
        abort();
    route->tallies = tallies;
    tallies[route->tally_count++] = (struct tally){method, status, 1};
}

void metrics_add(struct metrics *metrics, const struct metrics_request *request)
{
    struct route_count *route;
    size_t bucket = 0;

    pthread_mutex_lock(&metrics->lock);
    route = count_of(metrics, request);
    tally_add(route, request->method, request->status);
    metrics->bytes_in += request->bytes_in;
    metrics->bytes_out += request->bytes_out;
    if (request->timed) {
        while (bucket < BUCKETS && request->took_us > bucket_us[bucket])
            bucket++;
        route->buckets[bucket]++;
        route->timed++;
        route->took_us += request->took_us;
    }
    pthread_mutex_unlock(&metrics->lock);
}

void metrics_refused(struct metrics *metrics, enum metrics_refusal why)
{
    pthread_mutex_lock(&metrics->lock);
    metrics->refused[why]++;
    pthread_mutex_unlock(&metrics->lock);
}

void metrics_open(struct metrics *metrics, int connections, int streams)
{
    pthread_mutex_lock(&metrics->lock);
    metrics->connections += connections;
    metrics->streams += streams;
    if (connections > 0)
        metrics->opened += connections;
    pthread_mutex_unlock(&metrics->lock);
}

static void help(struct buf *out, const char *name, const char *type, const char *about)
{
    buf_add_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, about, name, type);
}

static void one(struct buf *out, const char *name, const char *type, const char *about,
                int64_t value)
{
    help(out, name, type, about);
    buf_add_format(out, "%s %lld\n", name, (long long)value);
}

static void write_requests(const struct metrics *metrics, struct buf *out)
{
    help(out, "tine_http_requests_total", "counter", "Requests that have ended.");
    for (size_t i = 0; i < metrics->route_count; i++) {
        const struct route_count *route = &metrics->routes[i];

        for (size_t j = 0; j < route->tally_count; j++)
            buf_add_format(out,
                           "tine_http_requests_total{dialect=\"%s\",route=\"%s\",method=\"%s\","
                           "status=\"%d\"} %lld\n",
                           route->dialect, route->route,
                           request_method_name(route->tallies[j].method), route->tallies[j].status,
                           (long long)route->tallies[j].count);
    }
}

static void write_times(const struct metrics *metrics, struct buf *out)
{
    static const char name[] = "tine_http_request_seconds";

    help(out, name, "histogram",
         "Time from a request's first line to the end of its reply; not of streams.");
    for (size_t i = 0; i < metrics->route_count; i++) {
        const struct route_count *route = &metrics->routes[i];
        int64_t sum = 0;

        if (route->timed == 0)
            continue;
        for (size_t j = 0; j <= BUCKETS; j++) {
            sum += route->buckets[j];
            buf_add_format(out, "%s_bucket{dialect=\"%s\",route=\"%s\",le=\"%s\"} %lld\n", name,
                           route->dialect, route->route, j < BUCKETS ? bucket_names[j] : "+Inf",
                           (long long)sum);
        }
        buf_add_format(out, "%s_sum{dialect=\"%s\",route=\"%s\"} %lld.%06lld\n", name,
                       route->dialect, route->route, (long long)(route->took_us / 1000000),
                       (long long)(route->took_us % 1000000));
        buf_add_format(out, "%s_count{dialect=\"%s\",route=\"%s\"} %lld\n", name, route->dialect,
                       route->route, (long long)route->timed);
    }
}

void metrics_write(struct metrics *metrics, struct buf *out)
{
    pthread_mutex_lock(&metrics->lock);
    write_requests(metrics, out);
    write_times(metrics, out);
    help(out, "tine_http_refused_total", "counter", "What the edge refused, by reason.");
    for (int i = 0; i < REFUSED_COUNT; i++)
        buf_add_format(out, "tine_http_refused_total{reason=\"%s\"} %lld\n", refusal_names[i],
                       (long long)metrics->refused[i]);
    one(out, "tine_http_connections", "gauge", "Open connections.", metrics->connections);
    one(out, "tine_http_connections_total", "counter", "Connections so far.", metrics->opened);
    one(out, "tine_http_streams", "gauge", "Open event streams.", metrics->streams);
    one(out, "tine_http_bytes_in_total", "counter", "Bytes of request bodies.", metrics->bytes_in);
    one(out, "tine_http_bytes_out_total", "counter", "Bytes of reply bodies.", metrics->bytes_out);
    pthread_mutex_unlock(&metrics->lock);
}
