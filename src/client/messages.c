/* Messages: pages of them, and what is said to a session. */
#include "client/errand.h"
#include "client/streaming.h"

bool tine_messages(struct tine *tine, const char *session,
                   const struct tine_messages_options *options, struct tine_result **out,
                   struct tine_error *error)
{
    static const struct tine_messages_options none = {0};
    struct errand errand;

    options = options ? options : &none;
    errand_begin_session(&errand, tine, "GET", session, options->raw ? "/raw" : "/messages", error);
    path_query_int(&errand.path, "limit", options->limit);
    path_query(&errand.path, "cursor", options->cursor);
    if (!options->raw && !options->cursor) {
        path_query(&errand.path, "at", options->at);
        path_query(&errand.path, "part", options->at && options->part ? "1" : NULL);
        path_query_int(&errand.path, "from", options->from);
        path_query_int(&errand.path, "tail", options->tail);
        path_query(&errand.path, "all", options->all ? "1" : NULL);
    }
    return errand_end(&errand, options->raw ? REPLY_RAW : REPLY_MEMBERS, out);
}

/* ---- saying something ---- */

/* Is there a member "run" in the JSON that was given, and what does it say? */
static bool says_run(const struct json_value *object, bool *run)
{
    struct json_value member;

    if (!member_find(object, "run", &member) || member.type != JSON_BOOL)
        return false;
    *run = json_true(&member);
    return true;
}

/* The body as it was given, its members one after the other, for more to stand behind them. */
static bool body_copy(struct errand *errand, const struct tine_send_options *options, bool *said)
{
    struct json_value body;
    struct fault fault;
    bool run = false;

    if (json_read(str_of(options->json), REPLY_DEPTH, "the message", &body, &fault) != FAULT_OK)
        return error_set(errand->error, 0, "usage", "%s", fault.message);
    if (body.type != JSON_OBJECT)
        return error_set(errand->error, 0, "usage", "the message is no object");
    *said = says_run(&body, &run);
    if (*said && run && options->store_only)
        return error_set(errand->error, 0, "usage",
                         "the message says \"run\": true, and is to be stored only");
    json_out_members(&errand->body, body.raw);
    return true;
}

static bool body_write(struct errand *errand, const struct tine_send_options *options)
{
    bool run_said = false;

    errand_body(errand);
    if (!options->text == !options->json)
        return error_set(errand->error, 0, "usage", "give either a text or JSON");
    if (options->json) {
        if (!body_copy(errand, options, &run_said))
            return false;
    } else {
        errand_text(errand, "text", options->text);
        errand_text(errand, "role", options->role);
        errand_text(errand, "id", options->id);
        errand_text(errand, "turn", options->turn);
    }
    if (options->store_only && !run_said)
        json_out_bool(&errand->body, "run", false);
    errand_text(errand, "expect_head", options->expect_head);
    errand_text(errand, "busy", options->wait ? "wait" : NULL);
    return true;
}

/* How the turn ended is what a stream's last event says. */
static bool stream_result(struct streaming *streaming, struct tine_result **out,
                          struct tine_error *error)
{
    struct arena *arena;
    struct tine_result *result;

    if (streaming->failed)
        return error_set(error, streaming->error.status, streaming->error.code, "%s",
                         streaming->error.detail);
    result = result_new(&arena);
    result->status = 200;
    if (streaming->turn.n)
        result->turn = arena_dup(arena, buf_str(&streaming->turn)).p;
    if (streaming->state.n)
        result->turn_state = arena_dup(arena, buf_str(&streaming->state)).p;
    if (streaming->reason.n)
        result->reason = arena_dup(arena, buf_str(&streaming->reason)).p;
    *out = result;
    return true;
}

static bool send_streamed(struct errand *errand, const struct tine_send_options *options,
                          struct tine_result **out)
{
    struct streaming streaming;
    bool done;

    streaming_init(&streaming, errand->tine, options->on_event, options->context);
    streaming.until_done = true;
    errand->transfer.take = streaming_take;
    errand->transfer.context = &streaming;
    done = errand_send(errand);
    if (done && !errand->transfer.streamed)
        done = errand_result(errand, REPLY_MEMBERS, out); /* it was only stored */
    else if (errand->transfer.streamed && (streaming.done || streaming.failed || streaming.stopped))
        done = stream_result(&streaming, out, errand->error);
    else if (done)
        done = error_set(errand->error, 0, "connection", "the answer broke off before its end");
    streaming_clear(&streaming);
    return done;
}

bool tine_send(struct tine *tine, const char *session, const struct tine_send_options *options,
               struct tine_result **out, struct tine_error *error)
{
    struct tine_result *result = NULL;
    struct errand errand;
    bool done;

    errand_begin_session(&errand, tine, "POST", session, "/messages", error);
    errand.transfer.key = options->key;
    errand.transfer.endless = !options->store_only;
    done = body_write(&errand, options);
    if (done && options->on_event && !options->store_only)
        done = send_streamed(&errand, options, &result);
    else if (done)
        done = errand_send(&errand) && errand_result(&errand, REPLY_MEMBERS, &result);
    errand_clear(&errand);
    if (out)
        *out = result;
    else
        tine_result_free(result);
    return done;
}

bool tine_answer(struct tine *tine, const char *session, const struct tine_answer_options *options,
                 struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "POST", session, "/answer", error);
    errand_body(&errand);
    json_out_bool(&errand.body, "approve", options->approve);
    errand_text(&errand, "always", options->always);
    errand_text(&errand, "text", options->text);
    errand_text(&errand, "id", options->id);
    return errand_end(&errand, REPLY_SESSION, out);
}

bool tine_cancel(struct tine *tine, const char *session, struct tine_result **out,
                 struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "POST", session, "/cancel", error);
    errand_body(&errand);
    return errand_end(&errand, REPLY_SESSION, out);
}
