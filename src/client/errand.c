#include "client/errand.h"

#include "base/utf8.h"

#include <stdlib.h>

/* ---- results ---- */

/* A result with the memory of everything in it. */
struct owned {
    struct tine_result result; /* first */
    struct arena arena;
};

struct tine_result *result_new(struct arena **arena)
{
    struct owned *owned = calloc(1, sizeof(*owned));

    if (!owned)
        abort();
    arena_init(&owned->arena);
    owned->result.json = "";
    *arena = &owned->arena;
    return &owned->result;
}

void tine_result_free(struct tine_result *result)
{
    struct owned *owned = (struct owned *)result;

    if (!result)
        return;
    arena_clear(&owned->arena);
    free(owned);
}

/* ---- calls ---- */

void errand_begin(struct errand *errand, struct tine *tine, const char *method,
                  struct tine_error *error)
{
    *errand = (struct errand){.tine = tine, .error = error, .transfer = {.method = method}};
    path_init(&errand->path);
    buf_init(&errand->text, BODY_BYTES_MAX);
    buf_init(&errand->transfer.reply, 0);
}

void errand_begin_session(struct errand *errand, struct tine *tine, const char *method,
                          const char *session, const char *then, struct tine_error *error)
{
    errand_begin(errand, tine, method, error);
    path_add(&errand->path, "/sessions");
    path_word(&errand->path, session);
    path_add(&errand->path, then);
}

void errand_clear(struct errand *errand)
{
    transfer_clear(&errand->transfer);
    path_clear(&errand->path);
    buf_clear(&errand->text);
}

void errand_body(struct errand *errand)
{
    errand->has_body = true;
    json_out_init(&errand->body, &errand->text);
    json_out_object(&errand->body, NULL);
}

static void usage(struct errand *errand, const char *name, const char *why)
{
    if (!errand->usage_wrong)
        error_set(errand->error, 0, "usage", "\"%s\" %s", name, why);
    errand->usage_wrong = true;
}

void errand_text(struct errand *errand, const char *name, const char *value)
{
    if (!value)
        return;
    if (utf8_valid(str_of(value)))
        json_out_string(&errand->body, name, str_of(value));
    else
        usage(errand, name, "is not valid UTF-8");
}

void errand_json(struct errand *errand, const char *name, const char *json)
{
    struct json_value value;
    struct fault fault;

    if (!json)
        return;
    if (json_read(str_of(json), REPLY_DEPTH, name, &value, &fault) == FAULT_OK)
        json_out_raw(&errand->body, name, value.raw);
    else
        usage(errand, name, "is not valid JSON");
}

void errand_flag(struct errand *errand, const char *name, bool value)
{
    if (value)
        json_out_bool(&errand->body, name, true);
}

bool errand_send(struct errand *errand)
{
    if (errand->has_body) {
        json_out_object_end(&errand->body);
        errand->transfer.body = buf_str(&errand->text);
    }
    if (errand->usage_wrong)
        return false;
    if (errand->path.wrong)
        return error_set(errand->error, 0, "usage", "a name is missing or cannot be one");
    if (errand->path.text.full)
        return error_set(errand->error, 0, "usage", "the names and words are too long");
    if (errand->text.full)
        return error_set(errand->error, 0, "usage", "the request has more than %d bytes",
                         BODY_BYTES_MAX);
    errand->transfer.path = buf_str(&errand->path.text);
    return transfer_run(errand->tine, &errand->transfer, errand->error);
}

bool errand_result(struct errand *errand, enum reply_shape shape, struct tine_result **out)
{
    struct str bytes = buf_str(&errand->transfer.reply);
    struct arena *arena;
    struct tine_result *result = result_new(&arena);
    struct reader reader = {.arena = arena, .error = errand->error};

    result->status = errand->transfer.status;
    if (bytes.n) {
        bytes = arena_dup(arena, bytes);
        result->json = bytes.p;
        result->json_bytes = bytes.n;
    }
    if (bytes.n || shape == REPLY_CONTENT ? reply_read(&reader, bytes, shape, result)
                                          : errand->transfer.status == 204) {
        *out = result;
        return true;
    }
    if (bytes.n == 0)
        error_set(errand->error, 0, "protocol", "the reply is empty");
    tine_result_free(result);
    return false;
}

bool errand_end(struct errand *errand, enum reply_shape shape, struct tine_result **out)
{
    struct tine_result *result = NULL;
    bool done = errand_send(errand) && errand_result(errand, shape, &result);

    errand_clear(errand);
    if (out)
        *out = result;
    else
        tine_result_free(result);
    return done;
}
