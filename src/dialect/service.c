#include "dialect/service.h"

#include "dialect/app.h"

#include <inttypes.h>

static struct app *app_of(struct exchange *x)
{
    return x->app;
}

enum fault_code service_health(struct exchange *x, struct fault *fault)
{
    (void)fault;
    x->reply.fixed = STR("{\"status\":\"ok\"}");
    return FAULT_OK;
}

enum fault_code service_ready(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    int64_t version;

    if (atomic_load(&app->stopping))
        return fault_set(fault, FAULT_STOPPING, "the server is stopping");
    if (store_version(app->store, &version, fault) != FAULT_OK)
        return fault_set(fault, FAULT_BUSY, "the store cannot be reached");
    x->reply.fixed = STR("{\"status\":\"ok\"}");
    return FAULT_OK;
}

/* ---- metrics ---- */

static void family(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_add_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void metric(struct buf *out, const char *name, const char *type, const char *help,
                   int64_t value)
{
    family(out, name, type, help);
    buf_add_format(out, "%s %" PRId64 "\n", name, value);
}

static void seconds(struct buf *out, const char *name, const char *help, int64_t us)
{
    family(out, name, "counter", help);
    buf_add_format(out, "%s %" PRId64 ".%06" PRId64 "\n", name, us / 1000000, us % 1000000);
}

static void acts_write(struct app_counts *counts, struct buf *out)
{
    metric(out, "tine_sessions_created_total", "counter", "Sessions made over the API.",
           atomic_load(&counts->sessions));
    metric(out, "tine_forks_total", "counter", "Forks made over the API.",
           atomic_load(&counts->forks));
    metric(out, "tine_rewinds_total", "counter", "Rewinds.", atomic_load(&counts->rewinds));
    metric(out, "tine_undos_total", "counter", "Undos.", atomic_load(&counts->undos));
    metric(out, "tine_redos_total", "counter", "Redos.", atomic_load(&counts->redos));
    metric(out, "tine_adopts_total", "counter", "Adopts.", atomic_load(&counts->adopts));
    metric(out, "tine_merges_total", "counter", "Merges.", atomic_load(&counts->merges));
    metric(out, "tine_file_writes_total", "counter", "Files put or deleted over the API.",
           atomic_load(&counts->file_writes));
    metric(out, "tine_file_restores_total", "counter", "Paths brought back one by one.",
           atomic_load(&counts->restores));
    metric(out, "tine_appends_total", "counter", "Messages that clients sent.",
           atomic_load(&counts->messages));
    metric(out, "tine_deletes_total", "counter", "Sessions deleted.",
           atomic_load(&counts->deletes));
    metric(out, "tine_replays_total", "counter", "Answers given again for an idempotency key.",
           atomic_load(&counts->replays));
}

static void turns_write(struct turns *turns, struct buf *out)
{
    struct turns_counts counts;

    turns_count(turns, &counts);
    metric(out, "tine_turns_running", "gauge", "Turns that run now.", counts.running);
    metric(out, "tine_turns_waiting", "gauge", "Turns that wait for an answer.", counts.waiting);
    metric(out, "tine_turns_queued", "gauge", "Turns that wait.", counts.queued);
    family(out, "tine_turns_total", "counter", "Turns that have ended, by how.");
    buf_add_format(out, "tine_turns_total{state=\"done\"} %" PRId64 "\n", counts.done);
    buf_add_format(out, "tine_turns_total{state=\"failed\"} %" PRId64 "\n", counts.failed);
    buf_add_format(out, "tine_turns_total{state=\"cancelled\"} %" PRId64 "\n", counts.cancelled);
}

static void files_write(struct workspaces *workspaces, struct buf *out)
{
    struct workspaces_counts counts;

    workspaces_count(workspaces, &counts);
    metric(out, "tine_snapshots_total", "counter", "Snapshots of directories.", counts.snapshots);
    seconds(out, "tine_snapshot_seconds_total", "Time spent in taking them.", counts.snapshot_us);
    metric(out, "tine_snapshot_files_read_total", "counter", "Files that had to be read for them.",
           counts.files_read);
    metric(out, "tine_snapshot_bytes_read_total", "counter", "Bytes of those.", counts.bytes_read);
    metric(out, "tine_paths_restored_total", "counter", "Paths written by moves and merges.",
           counts.restored);
    metric(out, "tine_paths_deleted_total", "counter", "Paths deleted by them.", counts.deleted);
}

static void hub_write(struct hub *hub, struct buf *out)
{
    struct hub_counts counts;

    hub_count(hub, &counts);
    metric(out, "tine_listeners", "gauge", "Clients that listen to events.", counts.listeners);
    metric(out, "tine_events_total", "counter", "Events that were read for listeners.",
           counts.events);
    metric(out, "tine_events_caught_up_total", "counter",
           "Events that were read for one listener that was behind.", counts.caught_up);
    metric(out, "tine_deltas_dropped_total", "counter",
           "Pieces of running text that a slow listener did not get.", counts.dropped);
}

static void store_write(struct store *store, struct buf *out)
{
    struct store_timings times;

    store_time(store, &times);
    metric(out, "tine_store_commits_total", "counter", "Transactions of the writer.",
           times.commits);
    metric(out, "tine_store_pieces_total", "counter", "Pieces of work in them.", times.pieces);
    seconds(out, "tine_store_commit_seconds_total", "Time spent in committing.", times.commit_us);
    seconds(out, "tine_store_work_seconds_total", "Time spent in the pieces.", times.work_us);
    metric(out, "tine_store_waiting", "gauge", "Pieces of work that wait.", times.waiting);
}

static void pages_write(struct page_cache *pages, struct buf *out)
{
    struct page_cache_counts counts;

    page_cache_count(pages, &counts);
    metric(out, "tine_pages_again_total", "counter", "Pages of messages given again from memory.",
           counts.found);
    metric(out, "tine_pages_written_total", "counter", "Pages of messages that had to be written.",
           counts.missed);
    metric(out, "tine_pages_kept", "gauge", "Pages in memory.", counts.pages);
    metric(out, "tine_pages_kept_bytes", "gauge", "Their bytes.", counts.bytes);
}

/* The hub belongs to the loop; its counts are read there, and the reply goes out from there. */
static void finish(void *context)
{
    struct exchange *x = context;

    hub_write(app_of(x)->hub, &x->reply.body);
    exchange_answer(x, FAULT_OK, NULL);
}

enum fault_code service_metrics(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct buf *out = &x->reply.body;

    (void)fault;
    x->reply.type = "text/plain; version=0.0.4; charset=utf-8";
    server_metrics(exchange_server(x), out);
    acts_write(&app->counts, out);
    turns_write(app->turns, out);
    files_write(app->workspaces, out);
    store_write(app->store, out);
    pages_write(app->pages, out);
    exchange_defer(x);
    server_post(exchange_server(x), finish, x);
    return FAULT_OK;
}
