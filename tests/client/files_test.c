/* Files through libtine: what is asked of the server, and what is made of its answers. */
#include "support/check.h"

#include "client/scripted.h"

#include <stdio.h>
#include <string.h>
#include <tine.h>

#define HEAD(status, type) "HTTP/1.1 " status "\r\nContent-Type: " type "\r\nConnection: close\r\n"
#define JSON(body)                                                    \
    {                                                                 \
        STR(HEAD("200 OK", "application/json") "\r\n" body), 0, false \
    }

struct rig {
    struct scripted *server;
    struct tine *tine;
    struct tine_result *result;
    struct tine_error error;
};

static struct rig rig_open(const struct scripted_reply *replies, size_t count)
{
    struct rig rig = {.server = scripted_start(replies, count)};

    rig.tine = tine_connect(&(struct tine_options){.server = scripted_url(rig.server)}, &rig.error);
    assert_non_null(rig.tine);
    return rig;
}

static void rig_close(struct rig *rig)
{
    tine_result_free(rig->result);
    tine_free(rig->tine);
    scripted_stop(rig->server);
}

#define RIG(...)                                           \
    const struct scripted_reply replies[] = {__VA_ARGS__}; \
    struct rig rig = rig_open(replies, sizeof(replies) / sizeof(replies[0]))

static void check_has(struct rig *rig, size_t request, const char *part)
{
    const char *text = scripted_request(rig->server, request);

    if (!strstr(text, part))
        fail_msg("no \"%s\" in: %s", part, text);
}

static void check_lacks(struct rig *rig, size_t request, const char *part)
{
    if (strstr(scripted_request(rig->server, request), part))
        fail_msg("\"%s\" is in: %s", part, scripted_request(rig->server, request));
}

/* ---- lists ---- */

static void a_list_is_read(void **state)
{
    RIG(JSON("{\"files\":[{\"path\":\"a\",\"type\":\"file\",\"mode\":\"0755\",\"size\":3,"
             "\"hash\":\"00ff\"},"
             "{\"path\":\"\\\\xFF \\u00e9\",\"path_bytes\":\"%FF%20%C3%A9/x\",\"type\":\"link\","
             "\"mode\":null,\"size\":0,\"hash\":null,\"target\":\"\\\\xFE\","
             "\"target_bytes\":\"%FE\"},"
             "{\"path\":\"big\",\"type\":\"left_out\",\"mode\":null,\"size\":9,\"hash\":null,"
             "\"reason\":\"size\"}],"
             "\"tree\":\"abcd\",\"left_out\":1,\"next\":\"c-1\"}"),
        JSON("{\"files\":[],\"tree\":null,\"left_out\":0}"));
    struct tine_files_options options = {
        .at = "#4", .part = true, .path = "d/\xff e", .deep = true, .limit = 3};
    const struct tine_file *f;

    (void)state;
    assert_true(tine_files(rig.tine, "s", &options, &rig.result, &rig.error));
    check_has(&rig, 0,
              "GET /api/v1/sessions/s/files?path=d%2F%FF%20e&limit=3&at=%234&part=1"
              "&deep=1 HTTP");
    assert_int_equal(rig.result->file_count, 3);
    assert_int_equal(rig.result->left_out, 1);
    assert_string_equal(rig.result->tree, "abcd");
    assert_string_equal(rig.result->next, "c-1");
    f = rig.result->files;
    assert_string_equal(f[0].path, "a");
    assert_string_equal(f[0].mode, "0755");
    assert_int_equal(f[0].size, 3);
    assert_string_equal(f[1].path, "\xff \xc3\xa9/x");
    assert_string_equal(f[1].name, "\\xFF \xc3\xa9");
    assert_string_equal(f[1].target, "\xfe");
    assert_null(f[1].mode);
    assert_string_equal(f[2].type, "left_out");
    assert_string_equal(f[2].reason, "size");
    tine_result_free(rig.result);

    options.cursor = "c-1"; /* which knows the rest */
    assert_true(tine_files(rig.tine, "s", &options, &rig.result, &rig.error));
    check_has(&rig, 1, "/files?path=d%2F%FF%20e&limit=3&cursor=c-1 HTTP");
    assert_null(rig.result->tree);
    rig_close(&rig);
}

static void bytes_that_are_none_are_refused(void **state)
{
    static const char *const wrong[] = {"\"%\"", "\"%4\"", "\"a%zz\"", "\"%4g\"", "4"};
    enum { COUNT = sizeof(wrong) / sizeof(wrong[0]) };
    struct scripted_reply replies[COUNT];
    char texts[COUNT][256];
    struct rig rig;

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof(texts[i]), "%s{\"files\":[{\"path\":\"a\",\"path_bytes\":%s}]}",
                 HEAD("200 OK", "application/json") "\r\n", wrong[i]);
        replies[i] = (struct scripted_reply){str_of(texts[i]), 0, false};
    }
    rig = rig_open(replies, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_false(tine_files(rig.tine, "s", NULL, &rig.result, &rig.error));
        assert_string_equal(rig.error.code, "protocol");
    }
    rig_close(&rig);
}

/* ---- one file ---- */

static void a_file_is_its_bytes(void **state)
{
    RIG({STR(HEAD("200 OK", "application/octet-stream") "\r\n{\"a\0b\n"), 0, false},
        {STR(HEAD("200 OK", "text/plain") "Content-Length: 0\r\n\r\n"), 0, false});

    (void)state;
    assert_true(tine_file_read(rig.tine, "s", "d e/\xff?", "@plan", true, &rig.result, &rig.error));
    check_has(&rig, 0, "GET /api/v1/sessions/s/files/d%20e/%FF%3F?at=%40plan&part=1 HTTP");
    check_has(&rig, 0, "\r\nAccept: */*\r\n");
    assert_int_equal(rig.result->content_bytes, 6);
    assert_memory_equal(rig.result->content, "{\"a\0b\n", 6);
    tine_result_free(rig.result);

    assert_true(tine_file_read(rig.tine, "s", "empty", NULL, true, &rig.result, &rig.error));
    check_has(&rig, 1, "/files/empty HTTP");
    assert_int_equal(rig.result->content_bytes, 0);
    rig_close(&rig);
}

static void a_file_is_written(void **state)
{
    RIG(JSON("{\"file\":{\"path\":\"a\",\"type\":\"file\",\"size\":2},\"tree\":\"ab\","
             "\"entry\":\"e-1\"}"),
        JSON("{\"file\":{\"path\":\"a\"},\"tree\":\"ab\",\"entry\":null}"),
        {STR("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"), 0, false});
    struct tine_file_options options = {.mode = "0755", .expect_head = "m-1"};

    (void)state;
    assert_true(tine_file_write(rig.tine, "s", "a", "\0x", 2, &options, &rig.result, &rig.error));
    check_has(&rig, 0, "PUT /api/v1/sessions/s/files/a?mode=0755&expect_head=m-1 HTTP");
    check_has(&rig, 0, "\r\nContent-Type: application/octet-stream\r\n");
    check_has(&rig, 0, "\r\nContent-Length: 2\r\n");
    assert_int_equal(rig.result->file->size, 2);
    assert_string_equal(rig.result->entry, "e-1");
    tine_result_free(rig.result);

    assert_true(tine_file_write(rig.tine, "s", "a", NULL, 0, NULL, &rig.result, &rig.error));
    check_has(&rig, 1, "\r\nContent-Length: 0\r\n");
    assert_null(rig.result->entry);

    assert_true(tine_file_delete(rig.tine, "s", "a/b", "m-1", &rig.error));
    check_has(&rig, 2, "DELETE /api/v1/sessions/s/files/a/b?expect_head=m-1 HTTP");
    rig_close(&rig);
}

static void a_path_that_leads_elsewhere_is_not_sent(void **state)
{
    static const char *const wrong[] = {"",   "/",    "/etc/passwd", "..", "a/../b",
                                        "a/", "a//b", ".",           "./a"};
    struct tine_error error;
    struct tine *tine = tine_connect(NULL, &error);

    (void)state;
    assert_non_null(tine);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        error.code[0] = '\0';
        assert_false(tine_file_read(tine, "s", wrong[i], NULL, false, NULL, &error));
        assert_string_equal(error.code, "usage");
        assert_false(tine_file_write(tine, "s", wrong[i], "x", 1, NULL, NULL, &error));
        assert_false(tine_file_delete(tine, "s", wrong[i], NULL, &error));
    }
    assert_false(tine_file_read(tine, "s", NULL, NULL, false, NULL, &error));
    assert_false(tine_restore(tine, "s", "\xff/../x", "#1", false, NULL, &error));
    assert_string_equal(error.code, "usage");
    tine_free(tine);
}

static void a_file_comes_back(void **state)
{
    RIG(JSON("{\"files\":{\"restored\":[\"a\"],\"deleted\":[],\"conflicts\":[],\"skipped\":[]},"
             "\"tree\":\"ab\",\"entry\":\"e-1\"}"),
        JSON("{}"));

    (void)state;
    assert_true(tine_restore(rig.tine, "s", "d/a b", "#4", true, &rig.result, &rig.error));
    check_has(&rig, 0, "POST /api/v1/sessions/s/restore HTTP");
    check_has(&rig, 0, "\r\n\r\n{\"path\":\"d/a b\",\"at\":\"#4\",\"part\":true}");
    assert_int_equal(rig.result->report->restored.count, 1);
    assert_string_equal(rig.result->report->restored.list[0], "a");
    assert_string_equal(rig.result->entry, "e-1");
    assert_true(tine_restore(rig.tine, "s", "d/\xff", "m-1", false, NULL, &rig.error));
    check_has(&rig, 1, "\r\n\r\n{\"path_bytes\":\"d/%FF\",\"at\":\"m-1\"}");
    rig_close(&rig);
}

/* ---- moves and merges ---- */

static void what_a_move_did_is_told(void **state)
{
    RIG(JSON("{\"rewind\":{\"act\":\"rewind\"},\"files\":{\"restored\":[\"a\",\"b\"],"
             "\"deleted\":[\"\\\\xFF\"],\"conflicts\":[],\"skipped\":[\"big\"],"
             "\"more\":{\"restored\":998,\"skipped\":7}}}"),
        JSON("{\"session\":{\"id\":\"n\"},\"files\":{}}"), JSON("{\"files\":{\"restored\":[4]}}"));
    struct tine_move_options move = {.point.after = "#1", .scope = "files", .force = true};
    const struct tine_files_report *report;

    (void)state;
    assert_true(tine_rewind(rig.tine, "s", &move, &rig.result, &rig.error));
    check_has(&rig, 0, "{\"after\":1,\"scope\":\"files\",\"force\":true}");
    report = rig.result->report;
    assert_int_equal(report->restored.count, 2);
    assert_string_equal(report->restored.list[1], "b");
    assert_int_equal(report->restored.more, 998);
    assert_string_equal(report->deleted.list[0], "\\xFF");
    assert_int_equal(report->deleted.more, 0);
    assert_int_equal(report->conflicts.count, 0);
    assert_int_equal(report->skipped.more, 7);
    assert_null(rig.result->files);
    tine_result_free(rig.result);

    assert_true(tine_fork(rig.tine, "s", &(struct tine_fork_options){.files = "live"}, &rig.result,
                          &rig.error));
    check_has(&rig, 1, "{\"files\":\"live\"}");
    assert_int_equal(rig.result->report->restored.count, 0);
    tine_result_free(rig.result);

    assert_false(tine_undo(rig.tine, "s", NULL, &rig.result, &rig.error));
    assert_string_equal(rig.error.code, "protocol");
    rig_close(&rig);
}

static void conflicts_can_be_read(void **state)
{
    RIG({STR(HEAD("409 Conflict",
                  "application/problem+json") "\r\n{\"type\":\"about:blank\",\"status\":409,"
                                              "\"code\":\"files_conflict\",\"detail\":"
                                              "\"no\",\"conflicts\":[{\"path\":\"a\",\"reason\":"
                                              "\"foreign\"},{\"path\":\"\\\\xFF\","
                                              "\"path_bytes\":\"%FF\",\"reason\":\"text\"}],"
                                              "\"conflicts_more\":3}"),
         0, false},
        JSON("{\"session\":{\"id\":\"s\"},\"merge\":{\"id\":\"m\",\"from\":\"o\",\"base\":null,"
             "\"message\":{\"id\":\"k\",\"merged_from\":{\"session\":\"o\",\"message\":\"x\"}}},"
             "\"files\":{\"restored\":[\"a\"]},\"conflicts\":[{\"path\":\"a\",\"reason\":\"text\"}]"
             "}"));
    struct tine_merge_options options = {.force = true, .expect_head = "h", .key = "k-1"};
    struct tine_result *conflicts;

    (void)state;
    assert_false(tine_conflicts(rig.tine, &conflicts, &rig.error));
    assert_string_equal(rig.error.code, "usage");
    assert_false(tine_merge(rig.tine, "s", "o", NULL, &rig.result, &rig.error));
    assert_int_equal(rig.error.status, 409);
    assert_string_equal(rig.error.code, "files_conflict");
    assert_true(tine_conflicts(rig.tine, &conflicts, &rig.error));
    assert_int_equal(conflicts->conflict_count, 2);
    assert_int_equal(conflicts->conflicts_more, 3);
    assert_string_equal(conflicts->conflicts[0].reason, "foreign");
    assert_string_equal(conflicts->conflicts[1].path, "\xff");
    assert_string_equal(conflicts->conflicts[1].name, "\\xFF");
    tine_result_free(conflicts);

    assert_true(tine_merge(rig.tine, "s", "o", &options, &rig.result, &rig.error));
    check_has(&rig, 1, "POST /api/v1/sessions/s/merge HTTP");
    check_has(&rig, 1, "{\"from\":\"o\",\"expect_head\":\"h\",\"force\":true}");
    check_has(&rig, 1, "\r\nIdempotency-Key: k-1\r\n");
    assert_string_equal(rig.result->merge->from, "o");
    assert_null(rig.result->merge->base);
    assert_true(rig.result->merge->message->merged);
    assert_int_equal(rig.result->conflict_count, 1);
    assert_false(tine_conflicts(rig.tine, &conflicts, &rig.error)); /* of the newest call only */
    rig_close(&rig);
}

static void a_diff_is_read(void **state)
{
    RIG(JSON("{\"common\":\"m-1\",\"index\":2,\"left\":[],\"right\":[{\"id\":\"m-2\"}],"
             "\"right_more\":true,\"files\":["
             "{\"path\":\"a\",\"status\":\"modified\",\"type\":\"file\",\"additions\":1,"
             "\"deletions\":2,\"binary\":false,\"patch\":\"+\\\\xFF\\n\",\"patch_bytes\":"
             "\"%2B%FF%0A\"},"
             "{\"path\":\"b\",\"status\":\"added\",\"type\":\"file\",\"additions\":0,"
             "\"deletions\":0,\"binary\":true},"
             "{\"path\":\"c\",\"status\":\"added\",\"too_long\":true,\"patch\":\"x\\u0000y\"}],"
             "\"files_more\":true}"),
        JSON("{\"common\":null,\"index\":0,\"left\":[],\"right\":[],\"files\":[]}"));
    struct tine_diff_options options = {
        .with = "o", .at = "#1", .with_at = "-1", .part = true, .no_patches = true, .limit = 5};
    const struct tine_file *f;

    (void)state;
    assert_true(tine_diff(rig.tine, "s", &options, &rig.result, &rig.error));
    check_has(&rig, 0, "/sessions/s/diff?with=o&at=%231&with_at=-1&part=1&patch=0&limit=5 HTTP");
    assert_string_equal(rig.result->common, "m-1");
    assert_int_equal(rig.result->shared, 2);
    assert_int_equal(rig.result->right_count, 1);
    assert_true(rig.result->right_more && rig.result->files_more && !rig.result->left_more);
    f = rig.result->files;
    assert_int_equal(rig.result->file_count, 3);
    assert_int_equal(f[0].deletions, 2);
    assert_int_equal(f[0].patch_bytes, 3);
    assert_memory_equal(f[0].patch, "+\xff\n", 3);
    assert_true(f[1].binary && !f[1].patch);
    assert_true(f[2].too_long);
    assert_int_equal(f[2].patch_bytes, 3);
    assert_memory_equal(f[2].patch, "x\0y", 3);
    tine_result_free(rig.result);

    assert_true(
        tine_diff(rig.tine, "s", &(struct tine_diff_options){.with = "o"}, &rig.result, NULL));
    check_lacks(&rig, 1, "patch");
    assert_null(rig.result->common);
    rig_close(&rig);
}

/* ---- where it works ---- */

static void a_workspace_is_set(void **state)
{
    RIG(JSON("{\"id\":\"s\",\"workspace\":{\"dir\":\"/\\\\xFF\",\"dir_bytes\":\"/%FF\","
             "\"mode\":\"attached\"}}"),
        JSON("{\"dir\":\"/w\",\"mode\":\"own\"}"), JSON("{\"dir\":null,\"mode\":\"none\"}"),
        JSON("{\"id\":\"n\"}"), JSON("{\"id\":\"n\"}"));
    struct tine_session_options attached = {.workspace_mode = "attached", .workspace_dir = "/d"};

    (void)state;
    assert_true(tine_workspace_set(rig.tine, "s", "attached", "/d", &rig.result, &rig.error));
    check_has(&rig, 0, "PUT /api/v1/sessions/s/workspace HTTP");
    check_has(&rig, 0, "{\"mode\":\"attached\",\"dir\":\"/d\"}");
    assert_string_equal(rig.result->session->workspace_mode, "attached");
    assert_string_equal(rig.result->session->workspace_dir, "/\xff");
    tine_result_free(rig.result);
    assert_true(tine_workspace(rig.tine, "s", &rig.result, &rig.error));
    assert_string_equal(rig.result->workspace_dir, "/w");
    assert_string_equal(rig.result->workspace_mode, "own");
    tine_result_free(rig.result);
    assert_true(tine_workspace(rig.tine, "s", &rig.result, &rig.error));
    assert_null(rig.result->workspace_dir);
    assert_true(tine_create(rig.tine, &attached, NULL, &rig.error));
    check_has(&rig, 3, "{\"workspace\":{\"mode\":\"attached\",\"dir\":\"/d\"}}");
    assert_true(tine_create(rig.tine, NULL, NULL, &rig.error));
    check_lacks(&rig, 4, "workspace");
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_read),
        cmocka_unit_test(bytes_that_are_none_are_refused),
        cmocka_unit_test(a_file_is_its_bytes),
        cmocka_unit_test(a_file_is_written),
        cmocka_unit_test(a_path_that_leads_elsewhere_is_not_sent),
        cmocka_unit_test(a_file_comes_back),
        cmocka_unit_test(what_a_move_did_is_told),
        cmocka_unit_test(conflicts_can_be_read),
        cmocka_unit_test(a_diff_is_read),
        cmocka_unit_test(a_workspace_is_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
