/* Labels: bookmarks on messages. */
#include "dialect/native/handler.h"

static enum fault_code visit(void *context, const struct label *label, struct fault *fault)
{
    (void)fault;
    object_write_label(context, NULL, label);
    return FAULT_OK;
}

enum fault_code native_labels_list(struct exchange *x, struct fault *fault)
{
    struct json_out out;

    reply_open(x, &out);
    json_out_array(&out, "labels");
    if (store_labels(app_of(x)->store, x->request.caller.sees, session_of(x), visit, &out, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    json_out_array_end(&out);
    return reply_close(x, &out, fault);
}

static void write_label(struct json_out *out, const void *label)
{
    object_write_label(out, NULL, label);
}

/* The message that the path names, and the text; an empty one takes the label away. */
static enum fault_code label_set(struct exchange *x, struct str text, struct label *out,
                                 struct fault *fault)
{
    struct label_spec spec = {
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .text = text,
    };

    if (point_word_read(x->request.params[1], "message", query_flag(x, 0), &spec.message, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    return engine_label(app_of(x)->engine, &spec, &x->arena, out, fault);
}

enum fault_code native_label_put(struct exchange *x, struct fault *fault)
{
    struct json_member m[] = {JSON_MUST("label", JSON_STRING)};
    struct label label;
    struct str text;

    if (body_members(x, m, 1, fault) != FAULT_OK)
        return fault_pass(fault);
    text = member_text(x, &m[0]);
    if (text.n == 0)
        return fault_set(fault, FAULT_INVALID, "\"label\" is empty");
    if (label_set(x, text, &label, fault) != FAULT_OK)
        return fault_pass(fault);
    return reply_object(x, write_label, &label, fault);
}

enum fault_code native_label_delete(struct exchange *x, struct fault *fault)
{
    struct label label;

    if (label_set(x, STR_NONE, &label, fault) != FAULT_OK)
        return fault_pass(fault);
    return reply_object(x, write_label, &label, fault);
}
