#include "store/facts.h"

#include <assert.h>

static const struct str content_tag = {"tine content 1", 14};
static const struct str path_tag = {"tine path 1", 11};

void content_hash(struct hasher *hasher, const struct content *content,
                  unsigned char out[HASH_BYTES])
{
    hasher_begin(hasher);
    hasher_add_str(hasher, content_tag);
    hasher_add(hasher, content->salt, SALT_BYTES);
    hasher_add_int(hasher, content->kind);
    hasher_add_int(hasher, content->role);
    hasher_add_str(hasher, content->id);
    hasher_add_str(hasher, content->turn);
    hasher_add_int(hasher, content->at_us);
    hasher_add_int(hasher, content->usage.input);
    hasher_add_int(hasher, content->usage.output);
    hasher_add_int(hasher, content->usage.cost);
    hasher_add_str(hasher, content->state);
    hasher_add_str(hasher, content->tree);
    hasher_add_str(hasher, content->pinned);
    hasher_add_str(hasher, content->body);
    hasher_end(hasher, out);
}

static void path_hash(struct hasher *hasher, const unsigned char *before,
                      const unsigned char *content, unsigned char out[HASH_BYTES])
{
    hasher_begin(hasher);
    hasher_add_str(hasher, path_tag);
    hasher_add(hasher, before, HASH_BYTES);
    hasher_add(hasher, content, HASH_BYTES);
    hasher_end(hasher, out);
}

static void usage_add(struct usage *sum, const struct usage *usage)
{
    sum->input += usage->input;
    sum->output += usage->output;
    sum->cost += usage->cost;
}

/* Calls of a turn that another turn has followed are nobody's any more. */
static int64_t open_calls(const struct facts *before, const struct facts_step *step)
{
    int64_t open = step->in_turn && !step->same_turn ? 0 : before->open;

    open += step->calls;
    return open > step->results ? open - step->results : 0;
}

struct facts facts_next(struct hasher *hasher, const struct facts *before, struct usage spent,
                        const struct facts_step *step)
{
    struct facts after = *before;
    bool visible = entry_visible(step->kind, step->role);

    assert(step->kind != ENTRY_MOVE);
    after.visible += visible;
    after.user += visible && step->role == ROLE_USER;
    after.tool += visible && step->role == ROLE_TOOL;
    after.flat += visible;
    after.flat_user += visible && step->role == ROLE_USER;
    if (step->ref) {
        after.flat += step->ref->flat;
        after.flat_user += step->ref->flat_user;
    }
    usage_add(&after.path, &step->usage);
    after.spent = spent;
    usage_add(&after.spent, &step->usage);
    after.open = open_calls(before, step);
    if (step->in_turn)
        after.turn = step->turn;
    if (after.open == 0)
        after.good = step->at;
    if (step->kind == ENTRY_SUMMARY)
        after.summary = step->at;
    if (step->has_state)
        after.state = step->at;
    if (step->tree)
        after.tree = step->tree;
    path_hash(hasher, before->hash, step->content, after.hash);
    return after;
}

struct facts facts_move(struct hasher *hasher, const struct facts *target, struct usage spent,
                        const struct facts_step *step)
{
    struct facts after = *target;

    assert(step->kind == ENTRY_MOVE);
    after.spent = spent;
    if (step->tree)
        after.tree = step->tree;
    if (step->has_state) {
        after.state = step->at;
        path_hash(hasher, target->hash, step->content, after.hash);
    }
    return after;
}

int64_t act_time(int64_t now_us, int64_t before_us)
{
    return now_us > before_us ? now_us : before_us + 1;
}
