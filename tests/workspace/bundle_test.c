/* Bundles: what is written is read again; what is none, or leads elsewhere, is refused. */
#include "support/check.h"

#include "workspace/bundle.h"

#include <stdio.h>

struct gathered {
    struct buf text;
    int64_t count;
};

static enum fault_code gather(void *context, struct str path, unsigned mode, struct str content,
                              struct fault *fault)
{
    struct gathered *gathered = context;

    (void)fault;
    gathered->count++;
    buf_add_format(&gathered->text, "%.*s %o %.*s\n", STR_ARG(path), mode, STR_ARG(content));
    return FAULT_OK;
}

static void put(struct bundle_out *out, struct str path, struct tree_entry entry,
                struct str content)
{
    struct fault fault;

    entry.size = (int64_t)content.n;
    CHECK_OK(bundle_out_entry(out, path, &entry, &fault), &fault);
    if (entry.type == TREE_FILE)
        CHECK_OK(bundle_out_bytes(out, content, &fault), &fault);
}

/* One with a file at the path given, and a few more. */
static struct str make(struct str path, struct buf *bytes)
{
    struct bundle_out *out;
    struct fault fault;

    buf_init(bytes, 64 * 1024);
    CHECK_OK(bundle_out_new(bytes, &out, &fault), &fault);
    put(out, STR("dir"), (struct tree_entry){.type = TREE_DIR, .mode = 0755}, STR_NONE);
    put(out, path, (struct tree_entry){.type = TREE_FILE, .mode = 0640}, STR("content"));
    put(out, STR("dir/link"), (struct tree_entry){.type = TREE_LINK, .target = STR("/etc/passwd")},
        STR_NONE);
    put(out, STR("empty"), (struct tree_entry){.type = TREE_FILE, .mode = 0755}, STR_NONE);
    CHECK_OK(bundle_out_end(out, &fault), &fault);
    bundle_out_free(out);
    return buf_str(bytes);
}

static enum fault_code take(struct str bytes, struct bundle_limits limits, struct gathered *out,
                            struct fault *fault)
{
    struct arena arena;
    enum fault_code code;

    *out = (struct gathered){0};
    buf_init(&out->text, 64 * 1024);
    arena_init(&arena);
    code = bundle_read(bytes, &limits, &arena, gather, out, fault);
    arena_clear(&arena);
    return code;
}

static const struct bundle_limits enough = {.files = 10, .bytes = 1000};

static void files_come_back(void **state)
{
    static const char *const names[] = {"dir/a", "\xc3\xbc", "no utf-8 \xff\xfe", "with\nline"};
    struct gathered gathered;
    struct fault fault;
    struct buf bytes, again;

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char want[100];

        make(str_of(names[i]), &bytes);
        make(str_of(names[i]), &again);
        assert_true(str_eq(buf_str(&bytes), buf_str(&again)));
        CHECK_OK(take(buf_str(&bytes), enough, &gathered, &fault), &fault);
        snprintf(want, sizeof(want), "%s 640 content\nempty 755 \n", names[i]);
        assert_string_equal(gathered.text.p, want);
        buf_clear(&gathered.text);
        buf_clear(&bytes);
        buf_clear(&again);
    }
}

static void what_leads_elsewhere_is_refused(void **state)
{
    static const char *const names[] = {"../x",  "/etc/x",      "a/../../x",
                                        "a/./b", ".git/config", "a//b"};
    struct gathered gathered;
    struct fault fault;
    struct buf bytes;

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        CHECK_FAULT(take(make(str_of(names[i]), &bytes), enough, &gathered, &fault),
                    FAULT_PATH_INVALID, &fault);
        assert_int_equal(gathered.count, 0);
        buf_clear(&gathered.text);
        buf_clear(&bytes);
    }
}

static void what_is_none_is_refused(void **state)
{
    static const struct str none[] = {
        {"", 0}, {"text", 4}, {"\x1f\x8b", 2}, {"\x1f\x8b\x08\0\0\0", 6}};
    struct gathered gathered;
    struct fault fault;
    struct buf bytes;
    struct str cut;

    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        CHECK_FAULT(take(none[i], enough, &gathered, &fault), FAULT_INVALID, &fault);
        buf_clear(&gathered.text);
    }
    cut = make(STR("a"), &bytes);
    cut.n /= 2;
    CHECK_FAULT(take(cut, enough, &gathered, &fault), FAULT_INVALID, &fault);
    buf_clear(&gathered.text);
    buf_clear(&bytes);
}

static void limits_hold(void **state)
{
    struct gathered gathered;
    struct bundle_out *out;
    struct fault fault;
    struct buf bytes;
    struct str all;

    (void)state;
    all = make(STR("a"), &bytes);
    CHECK_FAULT(take(all, (struct bundle_limits){1, 1000}, &gathered, &fault), FAULT_TOO_LARGE,
                &fault);
    buf_clear(&gathered.text);
    CHECK_FAULT(take(all, (struct bundle_limits){10, 6}, &gathered, &fault), FAULT_TOO_LARGE,
                &fault);
    buf_clear(&gathered.text);
    CHECK_OK(take(all, (struct bundle_limits){2, 7}, &gathered, &fault), &fault);
    buf_clear(&gathered.text);
    buf_clear(&bytes);
    buf_init(&bytes, 20);
    CHECK_OK(bundle_out_new(&bytes, &out, &fault), &fault);
    put(out, STR("a"), (struct tree_entry){.type = TREE_FILE, .mode = 0644}, STR("content"));
    CHECK_FAULT(bundle_out_end(out, &fault), FAULT_TOO_LARGE, &fault);
    bundle_out_free(out);
    buf_clear(&bytes);
}

static void what_is_passed_over_has_a_limit(void **state)
{
    struct gathered gathered;
    struct bundle_out *out;
    struct fault fault;
    struct buf bytes;

    (void)state;
    buf_init(&bytes, 64 * 1024);
    CHECK_OK(bundle_out_new(&bytes, &out, &fault), &fault);
    for (int i = 0; i < 8; i++)
        put(out, STR("dir"), (struct tree_entry){.type = TREE_DIR, .mode = 0755}, STR_NONE);
    CHECK_OK(bundle_out_end(out, &fault), &fault);
    bundle_out_free(out);
    CHECK_OK(take(buf_str(&bytes), (struct bundle_limits){2, 7}, &gathered, &fault), &fault);
    buf_clear(&gathered.text);
    CHECK_FAULT(take(buf_str(&bytes), (struct bundle_limits){1, 7}, &gathered, &fault),
                FAULT_TOO_LARGE, &fault);
    buf_clear(&gathered.text);
    buf_clear(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_back),
        cmocka_unit_test(what_leads_elsewhere_is_refused),
        cmocka_unit_test(what_is_none_is_refused),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(what_is_passed_over_has_a_limit),
    };

    return cmocka_run_group_tests_name("bundle", tests, NULL, NULL);
}
