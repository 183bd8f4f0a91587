#include "dialect/once_reply.h"

/* The longest reply that is rendered to be kept; the store refuses what is over its own limit. */
enum { ONCE_RENDER_MAX = 128 * 1024 * 1024 };

static void request_hash(const struct exchange *x, unsigned char out[HASH_BYTES])
{
    struct hasher *hasher = hasher_new();

    hasher_begin(hasher);
    hasher_add_int(hasher, (int64_t)x->request.method);
    hasher_add_str(hasher, x->request.path);
    hasher_add_str(hasher, x->request.body);
    hasher_end(hasher, out);
    hasher_free(hasher);
}

static enum fault_code key_take(struct exchange *x, struct str key, struct once *self,
                                struct once **out, struct fault *fault)
{
    *out = NULL;
    if (!key.p)
        return FAULT_OK;
    if (key.n == 0 || key.n > LIMIT_KEY_BYTES)
        return fault_set(fault, FAULT_INVALID, "Idempotency-Key must have 1 to %d bytes",
                         LIMIT_KEY_BYTES);
    for (size_t i = 0; i < key.n; i++)
        if (key.p[i] < 0x20 || key.p[i] > 0x7e)
            return fault_set(fault, FAULT_INVALID, "Idempotency-Key must be printable ASCII");
    self->owner = x->request.caller.owner;
    self->key = key;
    request_hash(x, self->request);
    *out = self;
    return FAULT_OK;
}

enum fault_code once_key(struct exchange *x, struct once *self, struct once **out,
                         struct fault *fault)
{
    return key_take(x, request_header(&x->request, "Idempotency-Key"), self, out, fault);
}

static struct str render(void *context, struct arena *arena)
{
    const struct reply_once *self = context;
    struct json_out out;
    struct buf body;

    buf_init(&body, ONCE_RENDER_MAX);
    json_out_init(&out, &body);
    self->write(&out, self->result);
    return buf_take(&body, arena);
}

enum fault_code once_begin(struct exchange *x, struct str other, struct reply_once *self,
                           reply_write *write, const void *result, struct once **out,
                           struct fault *fault)
{
    struct str key = request_header(&x->request, "Idempotency-Key");

    *self = (struct reply_once){.write = write, .result = result};
    self->once.render = render;
    self->once.context = self;
    return key_take(x, key.p ? key : other, &self->once, out, fault);
}

void once_say(struct exchange *x)
{
    reply_header(x, "Idempotent-Replay", STR("true"));
}

enum fault_code once_reply(struct exchange *x, const struct reply_once *self, atomic_llong *counter,
                           struct fault *fault)
{
    if (self->once.repeated) {
        buf_reset(&x->reply.body);
        buf_add_str(&x->reply.body, self->once.answer);
        once_say(x);
        atomic_fetch_add(&app_of(x)->counts.replays, 1);
        return FAULT_OK;
    }
    if (counter)
        atomic_fetch_add(counter, 1);
    return reply_object(x, self->write, self->result, fault);
}
