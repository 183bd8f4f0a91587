/* Searching, everywhere and in one session. */
#include "game_own.h"

#include "support/check.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- everywhere ---- */

/* Does any session that can be named have the act: the one that wrote it, or a fork of it? */
static bool findable(const struct play *run, int act)
{
    for (int i = 0; i < run->model->session_count; i++) {
        const struct model_session *session = run->model->sessions[i];

        if (session->alive && !session->sub && model_raw_index(session, act) >= 0)
            return true;
    }
    return false;
}

/* Does the act have the word, or for a reference, anything that the place it names ever had? */
static bool has_word(const struct model *model, int act, const char *word)
{
    const struct model_act *a = model->acts[act];

    if (strstr(a->body, word))
        return true;
    for (int i = 0; i < a->had.count; i++)
        if (has_word(model, a->had.items[i], word))
            return true;
    return false;
}

static void compare_hit(struct play *run, const struct hit *hit, const char *word)
{
    const struct model *model = run->model;
    const struct model_session *named = NULL;
    int act = -1;

    for (int i = 0; i < model->session_count; i++)
        if (model->sessions[i]->alive && str_eq(str_of(model->sessions[i]->id), hit->session))
            named = model->sessions[i];
    if (!named)
        run_differ(run, NULL, "search for %s names session \"%.*s\", which is none", word,
                   STR_ARG(hit->session));
    for (int i = 0; i < named->raw.count; i++)
        if (str_eq(str_of(model->acts[named->raw.items[i]]->id), hit->message))
            act = named->raw.items[i];
    if (act < 0 || !has_word(model, act, word))
        run_differ(run, named, "search for %s found \"%.*s\", which does not have it", word,
                   STR_ARG(hit->message));
    compare_text(run, named, "the title of a hit", hit->title, named->title);
    if (!memmem(hit->snippet.p, hit->snippet.n, word, strlen(word)))
        run_differ(run, named, "the snippet \"%.*s\" lacks %s", STR_ARG(hit->snippet), word);
    if (!strstr(model->acts[act]->body, word))
        return; /* it is inside what the message refers to */
    if (model->sessions[model->acts[act]->writer]->alive &&
        !model->sessions[model->acts[act]->writer]->sub)
        compare_number(run, named, "the session that a hit names", named->number,
                       model->acts[act]->writer);
    compare_number(run, named, "the role of a hit", hit->role, model->acts[act]->role);
    compare_number(run, named, "the time of a hit", hit->at_us, model->acts[act]->at_us);
}

struct model_session *play_search(struct play *run, struct model_session *session)
{
    struct gathered got = {.arena = &run->arena};
    char word[24] = "";
    struct search_spec spec = {.owner = run->rig.owner, .limit = 100};
    int want = 0;
    struct fault fault;

    if (run->model->act_count == 0)
        return NULL;
    sscanf(run->model->acts[chance_below(&run->chance, run->model->act_count)]->body,
           "{\"text\":\"words %20[w0-9x]", word);
    if (!*word)
        return NULL;
    doing(run, "search for %s", word);
    spec.words = str_of(word);
    run_expect(run, session, "search",
               store_search(run->rig.store, &spec, gather_hit, &got, NULL, &fault), FAULT_OK,
               &fault);
    for (int i = 0; i < run->model->act_count; i++)
        want += strstr(run->model->acts[i]->body, word) && findable(run, i);
    for (size_t i = 0; i < got.count; i++)
        compare_hit(run, &got.hits[i], word);
    if (got.count < (size_t)want)
        run_differ(run, session, "search for %s found %zu, the model has %d", word, got.count,
                   want);
    return session;
}

/* ---- within one session ---- */

/* The visible messages on the path with that word; *items must have room for all. */
static int within_want(const struct play *run, const struct model_session *session,
                       const char *word, int *items)
{
    const struct model_list *path = &model_head(session)->path;
    int count = 0;

    for (int i = 0; i < path->count; i++) {
        const struct model_act *act = run->model->acts[path->items[i]];

        if (model_visible(run->model, path->items[i]) && !act->erased && strstr(act->body, word))
            items[count++] = path->items[i];
    }
    return count;
}

/* The hits of one way, in as many pages as it takes, against the same of the model. */
static void compare_within(struct play *run, const struct model_session *session,
                           struct search_spec *spec, const char *word)
{
    struct gathered got = {.arena = &run->arena};
    int want[2 * ACTS_MAX];
    int count = within_want(run, session, word, want);
    bool up = spec->way == SEARCH_AFTER;
    int64_t first = spec->place;
    size_t seen = 0;

    assert_true(model_head(session)->path.count <= (int)(sizeof(want) / sizeof(*want)));
    for (;;) {
        struct search_info info;
        struct fault fault;

        run_expect(run, session, "search in a session",
                   store_search(run->rig.store, spec, gather_hit, &got, &info, &fault), FAULT_OK,
                   &fault);
        if (info.next < 0)
            break;
        if (spec->way != SEARCH_NEWEST &&
            (up ? info.next <= spec->place : info.next >= spec->place))
            run_differ(run, session, "search for %s goes on at %" PRId64 ", where it was", word,
                       info.next);
        if (spec->way == SEARCH_NEWEST)
            spec->way = SEARCH_BEFORE, first = INT64_MAX;
        spec->place = info.next;
    }
    if (spec->way == SEARCH_NEWEST)
        first = INT64_MAX;
    for (int i = 0; i < count; i++) {
        int act = want[up ? i : count - 1 - i];
        int64_t index = run->model->acts[act]->index;

        if (up ? index <= first : index >= first)
            continue;
        if (seen == got.count)
            run_differ(run, session, "search for %s found %zu and not #%" PRId64, word, got.count,
                       index);
        compare_number(run, session, "the place of a hit", got.hits[seen].index, index);
        compare_text(run, session, "the message of a hit", got.hits[seen].message,
                     run->model->acts[act]->id);
        compare_text(run, session, "the session of a hit", got.hits[seen].session, session->id);
        compare_text(run, session, "the title of a hit", got.hits[seen].title, session->title);
        if (!memmem(got.hits[seen].snippet.p, got.hits[seen].snippet.n, word, strlen(word)))
            run_differ(run, session, "the snippet of #%" PRId64 " lacks %s", index, word);
        seen++;
    }
    compare_number(run, session, "the number of hits", (int64_t)got.count, (int64_t)seen);
}

struct model_session *play_within(struct play *run, struct model_session *session)
{
    static const char *const ways[] = {"newest", "before", "after"};
    int total = model_visible_count(run->model, &model_head(session)->path);
    char word[24] = "words";
    struct search_spec spec = {.owner = run->rig.owner, .session = str_of(session->id)};

    spec.way = (enum search_way)chance_below(&run->chance, 3);
    spec.place = chance_below(&run->chance, total + 3) - 1;
    spec.limit = 1 + chance_below(&run->chance, chance_of(&run->chance, 50) ? 4 : 60);
    if (run->model->act_count && chance_of(&run->chance, 30))
        sscanf(run->model->acts[chance_below(&run->chance, run->model->act_count)]->body,
               "{\"text\":\"words %20[w0-9x]", word);
    spec.words = str_of(word);
    if (chance_of(&run->chance, 40))
        spec.words = arena_printf(&run->arena, "%s*", word);
    doing(run, "search for %s in session %d, %s %" PRId64 ", %" PRId64 " at a time", word,
          session->number, ways[spec.way], spec.place, spec.limit);
    compare_within(run, session, &spec, word);
    return NULL;
}
