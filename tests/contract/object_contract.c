/* Objects and trees: kept once, kept as long as something names them, and no longer. */
#include "contract.h"

#include "store/limits.h"
#include "support/plant.h"

#include <time.h>

static int64_t wall_us(void)
{
    return (int64_t)time(NULL) * 1000000;
}

#define HOUR_US INT64_C(3600000000)

static int64_t since(struct talk *t)
{
    int64_t us;

    CHECK_OK(store_objects_since(t->rig.store, &us, &t->fault), &t->fault);
    return us;
}

/* As if it were run in an hour, and an hour after the one before it. */
static struct gc_result gc(struct talk *t, int64_t keep_us)
{
    int64_t last = since(t), now = wall_us();
    struct gc_spec spec = {.now_us = (last > now ? last : now) + HOUR_US, .keep_us = keep_us};
    struct gc_result result;

    CHECK_OK(store_gc(t->rig.store, &spec, NULL, NULL, &result, &t->fault), &t->fault);
    return result;
}

static struct str long_text(struct talk *t, size_t n, char c)
{
    char *bytes = arena_alloc(&t->arena, n + 1);

    memset(bytes, c, n);
    return (struct str){bytes, n};
}

static bool there(struct talk *t, const unsigned char hash[HASH_BYTES])
{
    struct object object;
    enum fault_code code = store_object_get(t->rig.store, hash, &t->arena, &object, &t->fault);

    if (code != FAULT_NOT_FOUND)
        CHECK_OK(code, &t->fault);
    return code == FAULT_OK;
}

/* A tree with a file, one in pieces, a directory in a directory, a link, and something left out:
 * 8 objects. */
static struct tree_spec plant_tree(struct talk *t, const char *word)
{
    struct tree_entry in[1], sub[1], top[5], out;
    struct tree_spec tree = {.given = true, .since_us = since(t)};
    struct plant plant;

    plant_init(&plant, t->rig.store, &t->arena);
    CHECK_OK(plant_file(&plant, STR("deep"), arena_printf(&t->arena, "deep %s", word), &in[0],
                        &t->fault),
             &t->fault);
    CHECK_OK(plant_dir(&plant, STR("inner"), in, 1, &sub[0], &t->fault), &t->fault);
    CHECK_OK(plant_file(&plant, STR("a"), str_of(word), &top[0], &t->fault), &t->fault);
    CHECK_OK(plant_file(&plant, STR("big"), long_text(t, OBJECT_PIECE_BYTES + 100, *word), &top[1],
                        &t->fault),
             &t->fault);
    CHECK_OK(plant_dir(&plant, STR("dir"), sub, 1, &top[2], &t->fault), &t->fault);
    top[3] = (struct tree_entry){.type = TREE_LEFT, .left = LEFT_SIZE, .name = STR("huge")};
    top[4] = (struct tree_entry){.type = TREE_LINK, .name = STR("link"), .target = STR("a")};
    CHECK_OK(plant_dir(&plant, STR("top"), top, 5, &out, &t->fault), &t->fault);
    memcpy(tree.hash, out.hash, HASH_BYTES);
    plant_clear(&plant);
    return tree;
}

enum { TREE_OBJECTS = 8 };

static void check_whole(struct talk *t, const struct tree_spec *tree)
{
    struct plant plant;

    plant_init(&plant, t->rig.store, &t->arena);
    CHECK_OK(plant_check(&plant, tree->hash, &t->fault), &t->fault);
    plant_clear(&plant);
}

static enum fault_code record(struct talk *t, struct str session, const struct tree_spec *tree)
{
    struct append_spec spec = {.owner = t->rig.owner, .session = session};
    struct entry_spec entry = {.kind = ENTRY_FILES,
                               .body = STR("{}"),
                               .tree = {(const char *)tree->hash, HASH_BYTES},
                               .tree_since = tree->since_us};
    struct append_result result;

    return engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &result, &t->fault);
}

/* ---- objects ---- */

static void an_object_comes_back(struct talk *t)
{
    struct object object, found;
    struct plant plant;
    struct str content;

    plant_init(&plant, t->rig.store, &t->arena);
    object = plant_make(&plant, OBJECT_FILE, long_text(t, 5000, 'x'));
    CHECK_FAULT(store_object_get(t->rig.store, object.hash, &t->arena, &found, &t->fault),
                FAULT_NOT_FOUND, &t->fault);
    CHECK_OK(store_objects_put(t->rig.store, &object, 1, &t->fault), &t->fault);
    CHECK_OK(store_objects_put(t->rig.store, &object, 1, &t->fault), &t->fault);
    assert_int_equal(talk_counts(t).objects, 1);
    CHECK_OK(store_object_get(t->rig.store, object.hash, &t->arena, &found, &t->fault), &t->fault);
    assert_int_equal(found.kind, OBJECT_FILE);
    assert_int_equal(found.size, 5000);
    assert_memory_equal(found.hash, object.hash, HASH_BYTES);
    assert_true(str_eq(found.data, object.data));
    CHECK_OK(object_unpack(found.data, found.size, &t->arena, &content, &t->fault), &t->fault);
    assert_true(str_eq(content, long_text(t, 5000, 'x')));
    CHECK_OK(store_objects_put(t->rig.store, NULL, 0, &t->fault), &t->fault);
    plant_clear(&plant);
}

static void have_says_which_are_there(struct talk *t)
{
    unsigned char hashes[3][HASH_BYTES];
    struct object objects[3];
    struct plant plant;
    bool have[3];

    plant_init(&plant, t->rig.store, &t->arena);
    for (int i = 0; i < 3; i++) {
        objects[i] = plant_make(&plant, OBJECT_FILE, arena_printf(&t->arena, "content %d", i));
        memcpy(hashes[i], objects[i].hash, HASH_BYTES);
    }
    objects[1] = objects[2];
    CHECK_OK(store_objects_put(t->rig.store, objects, 2, &t->fault), &t->fault);
    CHECK_OK(store_objects_have(t->rig.store, (const unsigned char(*)[HASH_BYTES])hashes, 3, have,
                                &t->fault),
             &t->fault);
    assert_true(have[0] && !have[1] && have[2]);
    plant_clear(&plant);
}

static void too_much_at_once_is_refused(struct talk *t)
{
    static const unsigned char hashes[LIMIT_HAVE + 1][HASH_BYTES];
    static bool have[LIMIT_HAVE + 1];
    char *bytes = arena_alloc(&t->arena, OBJECT_PUT_BYTES);
    struct object objects[2] = {
        {.hash = {1}, .kind = OBJECT_DIR, .data = {bytes, OBJECT_PUT_BYTES}},
        {.hash = {2}, .kind = OBJECT_FILE, .data = {bytes, 1}}};

    CHECK_FAULT(store_objects_put(t->rig.store, objects, 2, &t->fault), FAULT_TOO_LARGE, &t->fault);
    assert_int_equal(talk_counts(t).objects, 0);
    objects[1].kind = OBJECT_JSON;
    CHECK_FAULT(store_objects_put(t->rig.store, &objects[1], 1, &t->fault), FAULT_INVALID,
                &t->fault);
    CHECK_OK(store_objects_have(t->rig.store, hashes, LIMIT_HAVE, have, &t->fault), &t->fault);
    CHECK_FAULT(store_objects_have(t->rig.store, hashes, LIMIT_HAVE + 1, have, &t->fault),
                FAULT_TOO_LARGE, &t->fault);
}

/* ---- gc ---- */

static void gc_removes_what_nothing_names(struct talk *t)
{
    struct str session = talk_create(t, "files");
    struct tree_spec kept = plant_tree(t, "kept"), loose = plant_tree(t, "loose");

    CHECK_OK(record(t, session, &kept), &t->fault);
    assert_int_equal(talk_counts(t).objects, 2 * TREE_OBJECTS);
    assert_int_equal(gc(t, 0).objects, TREE_OBJECTS);
    check_whole(t, &kept);
    assert_false(there(t, loose.hash));
    assert_int_equal(talk_counts(t).objects, TREE_OBJECTS);
    /* what was rewound away can come back */
    talk_rewind(t, session, at_start());
    assert_int_equal(gc(t, 0).objects, 0);
    talk_undo(t, session);
    check_whole(t, &kept);
}

static void what_two_trees_share_stays_with_one(struct talk *t)
{
    struct str one = talk_create(t, "one"), other = talk_create(t, "other");
    struct tree_spec tree = plant_tree(t, "shared"), top = tree;
    struct tree_entry in, out;
    struct plant plant;

    plant_init(&plant, t->rig.store, &t->arena);
    in = (struct tree_entry){.type = TREE_DIR, .name = STR("below"), .mode = 0700};
    memcpy(in.hash, tree.hash, HASH_BYTES);
    CHECK_OK(plant_dir(&plant, STR("x"), &in, 1, &out, &t->fault), &t->fault);
    memcpy(top.hash, out.hash, HASH_BYTES);
    CHECK_OK(record(t, one, &tree), &t->fault);
    CHECK_OK(record(t, other, &top), &t->fault);
    talk_delete(t, one);
    assert_int_equal(gc(t, 0).objects, 0);
    check_whole(t, &top);
    talk_delete(t, other);
    assert_int_equal(gc(t, 0).objects, TREE_OBJECTS + 1);
    plant_clear(&plant);
}

static void a_fork_keeps_the_files_of_what_it_stands_on(struct talk *t)
{
    struct str session = talk_create(t, "source"), fork;
    struct tree_spec early = plant_tree(t, "early"), late;

    CHECK_OK(record(t, session, &early), &t->fault);
    fork = talk_fork(t, session, at_end()).session.id;
    late = plant_tree(t, "late");
    CHECK_OK(record(t, session, &late), &t->fault);
    talk_delete(t, session);
    assert_int_equal(gc(t, 0).objects, TREE_OBJECTS);
    check_whole(t, &early);
    assert_false(there(t, late.hash));
    talk_delete(t, fork);
    assert_int_equal(gc(t, 0).objects, TREE_OBJECTS);
}

static void what_is_young_stays(struct talk *t)
{
    struct tree_spec tree = plant_tree(t, "young");

    assert_int_equal(gc(t, 2 * HOUR_US).objects, 0);
    check_whole(t, &tree);
    assert_int_equal(gc(t, HOUR_US / 2).objects, TREE_OBJECTS);
}

static void what_is_named_again_is_young_again(struct talk *t)
{
    struct tree_spec tree = plant_tree(t, "again");
    struct gc_spec spec = {.now_us = since(t), .keep_us = 0};
    struct gc_result result;
    int64_t first;

    gc(t, 2 * HOUR_US); /* begins in an hour, so all of it was born before that */
    first = since(t);
    assert_true(first > spec.now_us);
    plant_tree(t, "again");
    assert_int_equal(since(t), first);
    spec.now_us = first; /* the clock stood still */
    CHECK_OK(store_gc(t->rig.store, &spec, NULL, NULL, &result, &t->fault), &t->fault);
    assert_int_equal(result.objects, 0);
    assert_true(since(t) > first);
    check_whole(t, &tree);
    spec.now_us = first + HOUR_US;
    CHECK_OK(store_gc(t->rig.store, &spec, NULL, NULL, &result, &t->fault), &t->fault);
    assert_int_equal(result.objects, TREE_OBJECTS);
}

static void metadata_stays_with_its_session(struct talk *t)
{
    struct create_spec spec = {.owner = t->rig.owner,
                               .title = STR("meta"),
                               .agent = STR("ns/a"),
                               .metadata = STR("{\"a\":1}"),
                               .limits = STR("{\"b\":2}"),
                               .settings = STR("{\"c\":3}")};
    struct session session, again;

    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &session, &t->fault), &t->fault);
    assert_int_equal(gc(t, 0).objects, 0);
    CHECK_STR(talk_session(t, session.id).metadata, "{\"a\":1}");
    CHECK_STR(talk_session(t, session.id).settings, "{\"c\":3}");
    talk_delete(t, session.id);
    /* the bytes are used again while they may be going */
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &again, &t->fault), &t->fault);
    assert_int_equal(gc(t, 0).objects, 0);
    talk_delete(t, again.id);
    assert_int_equal(gc(t, 0).objects, 3);
}

/* ---- recording ---- */

static void a_tree_that_may_be_gone_is_stale(struct talk *t)
{
    struct str session = talk_create(t, "files");
    struct tree_spec tree = plant_tree(t, "stale");

    gc(t, 0);
    CHECK_FAULT(record(t, session, &tree), FAULT_TREE_STALE, &t->fault);
    assert_int_equal(talk_session(t, session).head.n, 0);
    tree = plant_tree(t, "stale");
    CHECK_OK(record(t, session, &tree), &t->fault);
    check_whole(t, &tree);
}

static void a_tree_that_is_not_there_is_not_found(struct talk *t)
{
    struct str session = talk_create(t, "files");
    struct tree_spec tree = {.given = true, .hash = "no such tree", .since_us = since(t)};
    struct plant plant;

    CHECK_FAULT(record(t, session, &tree), FAULT_NOT_FOUND, &t->fault);
    plant_init(&plant, t->rig.store, &t->arena);
    CHECK_OK(plant_put(&plant, OBJECT_FILE, STR("a file"), tree.hash, &t->fault), &t->fault);
    CHECK_FAULT(record(t, session, &tree), FAULT_NOT_FOUND, &t->fault);
    plant_clear(&plant);
}

static void no_files_are_always_there(struct talk *t)
{
    struct str session = talk_create(t, "files");
    struct tree_spec tree = {.given = true, .since_us = -1}, other;

    memcpy(tree.hash, tree_empty, HASH_BYTES);
    CHECK_OK(record(t, session, &tree), &t->fault);
    other = plant_tree(t, "other");
    CHECK_OK(record(t, session, &other), &t->fault);
    gc(t, 0);
    CHECK_OK(record(t, session, &tree), &t->fault);
    talk_delete(t, session);
    gc(t, 0);
    assert_int_equal(talk_counts(t).objects, 0);
}

/* ---- export and import ---- */

static struct gathered export_all(struct talk *t)
{
    struct gathered items = {.arena = &t->arena};

    CHECK_OK(store_export(t->rig.store, t->rig.owner, STR_NONE, gather_item, &items, &t->fault),
             &t->fault);
    return items;
}

static enum fault_code import_all(struct talk *t, struct gathered *items)
{
    struct replay replay = {items, 0};

    return store_import(t->rig.store, t->rig.owner, replay_item, &replay, &t->fault);
}

static int count_objects(const struct gathered *items)
{
    int count = 0;

    for (size_t i = 0; i < items->count; i++)
        count += items->items[i].kind == LOG_OBJECT;
    return count;
}

static struct str furnish(struct talk *t, struct tree_spec *first, struct tree_spec *second)
{
    struct str session = talk_create(t, "files"), fork;
    struct tree_spec loose = plant_tree(t, "loose");

    *first = plant_tree(t, "first");
    *second = plant_tree(t, "second");
    (void)loose;
    CHECK_OK(record(t, session, first), &t->fault);
    talk_say(t, session, ROLE_USER, "m");
    CHECK_OK(record(t, session, second), &t->fault);
    fork = talk_fork(t, session, at_end()).session.id;
    CHECK_OK(record(t, fork, first), &t->fault);
    return session;
}

static void trees_travel_with_an_export(struct talk *t)
{
    struct tree_spec first, second;
    struct str session = furnish(t, &first, &second);
    struct gathered items = export_all(t), again;
    unsigned char hash[HASH_BYTES];
    struct talk other;

    assert_int_equal(count_objects(&items), 2 * TREE_OBJECTS); /* each once, the loose ones not */
    memcpy(hash, talk_session(t, session).hash, HASH_BYTES);
    talk_open(&other, t->rig.kind, 2);
    CHECK_OK(import_all(&other, &items), &other.fault);
    check_whole(&other, &first);
    check_whole(&other, &second);
    assert_memory_equal(talk_session(&other, session).hash, hash, HASH_BYTES);
    talk_verify(&other);
    again = export_all(&other);
    assert_int_equal(again.count, items.count);
    for (size_t i = 0; i < items.count; i++)
        if (items.items[i].kind == LOG_OBJECT) {
            assert_int_equal(again.items[i].kind, LOG_OBJECT);
            assert_memory_equal(again.items[i].object.hash, items.items[i].object.hash, HASH_BYTES);
        }
    assert_int_equal(gc(&other, 0).objects, 0);
    check_whole(&other, &second);
    talk_close(&other);
}

/* Objects that were there already, and were about to go, stay. */
static void an_import_keeps_what_was_there(struct talk *t)
{
    struct tree_spec first, second;
    struct gathered items;
    struct talk other;

    furnish(t, &first, &second);
    items = export_all(t);
    talk_open(&other, t->rig.kind, 2);
    plant_tree(&other, "first");
    gc(&other, 2 * HOUR_US);
    CHECK_OK(import_all(&other, &items), &other.fault);
    assert_int_equal(talk_counts(&other).objects, 2 * TREE_OBJECTS);
    gc(&other, 0);
    check_whole(&other, &first);
    check_whole(&other, &second);
    talk_close(&other);
}

enum alteration { ALTER_HASH, ALTER_KIND, ALTER_SIZE, ALTER_DATA, ALTER_NONE, ALTERATIONS };

static void alter(struct gathered *items, size_t i, enum alteration how, struct arena *arena)
{
    struct object *object = &items->items[i].object;
    char *data;

    switch (how) {
    case ALTER_HASH:
        object->hash[5] ^= 1;
        break;
    case ALTER_KIND:
        object->kind = object->kind == OBJECT_FILE ? OBJECT_DIR : OBJECT_FILE;
        break;
    case ALTER_SIZE:
        object->size++;
        break;
    case ALTER_DATA:
        data = arena_alloc(arena, object->data.n);
        memcpy(data, object->data.p, object->data.n);
        data[object->data.n - 1] ^= 1;
        object->data.p = data;
        break;
    case ALTER_NONE: /* it does not come at all */
    default:
        memmove(&items->items[i], &items->items[i + 1],
                (items->count - i - 1) * sizeof(*items->items));
        items->count--;
    }
}

static void an_altered_object_is_refused(struct talk *t)
{
    struct store_counts none = {0}, left;
    struct tree_spec first, second;
    struct gathered whole;
    struct talk other;

    furnish(t, &first, &second);
    whole = export_all(t);
    talk_open(&other, t->rig.kind, 2);
    for (size_t i = 0; i < whole.count; i++)
        for (int how = 0; how < ALTERATIONS && whole.items[i].kind == LOG_OBJECT; how++) {
            struct gathered items = export_all(t);
            enum fault_code code;

            alter(&items, i, (enum alteration)how, &t->arena);
            code = import_all(&other, &items);
            if (code != FAULT_TOO_LARGE)
                CHECK_FAULT(code, FAULT_INVALID, &other.fault);
            left = talk_counts(&other);
            assert_memory_equal(&left, &none, sizeof(left));
        }
    talk_close(&other);
}

/* What the store has does not stand in for what the export lacks: it may be going. */
static void a_tree_must_come_along(struct talk *t)
{
    struct tree_spec first, second;
    struct gathered items;
    struct talk other;
    size_t kept = 0;

    furnish(t, &first, &second);
    items = export_all(t);
    for (size_t i = 0; i < items.count; i++)
        if (items.items[i].kind != LOG_OBJECT)
            items.items[kept++] = items.items[i];
    items.count = kept;
    talk_open(&other, t->rig.kind, 2);
    plant_tree(&other, "first");
    plant_tree(&other, "second");
    CHECK_FAULT(import_all(&other, &items), FAULT_INVALID, &other.fault);
    talk_close(&other);
}

const struct contract_test object_contract[] = {
    CONTRACT(an_object_comes_back),
    CONTRACT(have_says_which_are_there),
    CONTRACT(too_much_at_once_is_refused),
    CONTRACT(gc_removes_what_nothing_names),
    CONTRACT(what_two_trees_share_stays_with_one),
    CONTRACT(a_fork_keeps_the_files_of_what_it_stands_on),
    CONTRACT(what_is_young_stays),
    CONTRACT(what_is_named_again_is_young_again),
    CONTRACT(metadata_stays_with_its_session),
    CONTRACT(a_tree_that_may_be_gone_is_stale),
    CONTRACT(a_tree_that_is_not_there_is_not_found),
    CONTRACT(no_files_are_always_there),
    CONTRACT(trees_travel_with_an_export),
    CONTRACT(an_import_keeps_what_was_there),
    CONTRACT(an_altered_object_is_refused),
    CONTRACT(a_tree_must_come_along),
    {0},
};
