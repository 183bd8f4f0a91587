#include "agent/openai/sse.h"

void sse_init(struct sse *sse)
{
    *sse = (struct sse){0};
    buf_init(&sse->line, SSE_EVENT_BYTES);
    buf_init(&sse->data, SSE_EVENT_BYTES);
}

void sse_clear(struct sse *sse)
{
    buf_clear(&sse->line);
    buf_clear(&sse->data);
}

static enum fault_code too_large(struct fault *fault)
{
    return fault_set(fault, FAULT_AGENT_FAILED,
                     "the model's server sent an event of more than %d bytes", SSE_EVENT_BYTES);
}

static enum fault_code dispatch(struct sse *sse, sse_event *event, void *context,
                                struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    if (sse->has_data)
        code = event(context, buf_str(&sse->data), fault);
    sse->has_data = false;
    buf_reset(&sse->data);
    return code;
}

/* The value of a field: what stands behind the colon, without one blank. */
static struct str value_of(struct str line, size_t name)
{
    struct str value = {line.p + name, line.n - name};

    if (value.n && value.p[0] == ' ')
        value = (struct str){value.p + 1, value.n - 1};
    return value;
}

static enum fault_code line_end(struct sse *sse, sse_event *event, void *context,
                                struct fault *fault)
{
    struct str line = buf_str(&sse->line);
    enum fault_code code = FAULT_OK;

    if (!sse->begun && str_starts(line, STR("\xef\xbb\xbf")))
        line = (struct str){line.p + 3, line.n - 3};
    sse->begun = true;
    if (line.n == 0) {
        code = dispatch(sse, event, context, fault);
    } else if (str_starts(line, STR("data:")) || str_eq(line, STR("data"))) {
        if (sse->has_data)
            buf_add_char(&sse->data, '\n');
        buf_add_str(&sse->data, value_of(line, line.n > 4 ? 5 : 4));
        sse->has_data = true;
        if (sse->data.full)
            code = too_large(fault);
    }
    /* Comments and other fields say nothing here. */
    buf_reset(&sse->line);
    return code;
}

enum fault_code sse_feed(struct sse *sse, struct str bytes, sse_event *event, void *context,
                         struct fault *fault)
{
    enum fault_code code = FAULT_OK;
    size_t at = 0;

    while (at < bytes.n && !code) {
        size_t from = at;

        if (sse->after_cr && bytes.p[at] == '\n')
            from = ++at;
        sse->after_cr = false;
        while (at < bytes.n && bytes.p[at] != '\n' && bytes.p[at] != '\r')
            at++;
        buf_add(&sse->line, bytes.p + from, at - from);
        if (sse->line.full)
            return too_large(fault);
        if (at < bytes.n) {
            sse->after_cr = bytes.p[at++] == '\r';
            code = line_end(sse, event, context, fault);
        }
    }
    return code;
}

enum fault_code sse_end(struct sse *sse, sse_event *event, void *context, struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    if (sse->line.n)
        code = line_end(sse, event, context, fault);
    return code ? code : dispatch(sse, event, context, fault);
}
