#include "cli/context.h"

#include "base/utf8.h"
#include "cli/connect.h"
#include "cli/home.h"
#include "store/limits.h"
#include "json/json_in.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

enum { FLUSH_BYTES = 64 * 1024, SHORT_ID = 8 };

/* ---- the store ---- */

enum fault_code cli_open(struct cli *cli, struct fault *fault)
{
    struct str db;
    enum fault_code code;

    if (cli->store)
        return FAULT_OK;
    if (cli_needs_home(cli, fault) != FAULT_OK)
        return fault_pass(fault);
    code = home_db(args_value(&cli->args, "home"), args_value(&cli->args, "db"), &cli->arena, &db,
                   fault);
    if (!code)
        code = cli->kinds->open_store(db.p, &cli->store, fault);
    if (code)
        return code;
    cli->engine = engine_new(cli->store, NULL);
    return store_owner(cli->store, STR("local"), &cli->owner, fault);
}

void cli_close(struct cli *cli)
{
    cli_disconnect(cli);
    engine_free(cli->engine);
    store_close(cli->store);
    cli->engine = NULL;
    cli->store = NULL;
}

/* ---- the answer ---- */

enum fault_code cli_usage(struct cli *cli, struct fault *fault, const char *format, ...)
{
    char message[FAULT_MESSAGE_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    cli->wrong_usage = true;
    return fault_set(fault, FAULT_INVALID, "%s", message);
}

enum fault_code cli_flush(struct cli *cli, struct fault *fault)
{
    struct str text = buf_str(&cli->text);

    if (cli->text.full)
        return fault_set(fault, FAULT_TOO_LARGE, "the answer is too large");
    if (!cli->out_error && (fwrite(text.p, 1, text.n, cli->out) != text.n || fflush(cli->out) != 0))
        cli->out_error = errno ? errno : EIO;
    buf_reset(&cli->text);
    if (cli->out_error == EPIPE)
        return fault_set(fault, FAULT_INTERRUPTED, "nobody reads the output");
    if (cli->out_error)
        return fault_set(fault, FAULT_IO, "cannot write the output: %s", strerror(cli->out_error));
    return FAULT_OK;
}

enum fault_code cli_flush_some(struct cli *cli, struct fault *fault)
{
    return cli->text.n >= FLUSH_BYTES || cli->text.full ? cli_flush(cli, fault) : FAULT_OK;
}

void cli_tell(struct cli *cli, const char *format, ...)
{
    char sentence[1024];
    struct buf safe;
    va_list args;

    if (!cli->told || cli->as_json)
        return;
    va_start(args, format);
    vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    buf_init(&safe, 8 * sizeof(sentence));
    term_add_line(&cli->err_term, &safe, utf8_cut(str_of(sentence), sizeof(sentence)), 0);
    fprintf(cli->err, "%s\n", buf_str(&safe).p);
    buf_clear(&safe);
}

/* ---- arguments ---- */

enum fault_code cli_session_word(struct cli *cli, const char *word, struct fault *fault)
{
    if (*word == '\0')
        return cli_usage(cli, fault, "the name of the session is empty");
    if (!utf8_valid(str_of(word)))
        return cli_usage(cli, fault, "the name of the session is not valid UTF-8");
    return FAULT_OK;
}

enum fault_code cli_session(struct cli *cli, const char *word, const struct tine_session **out,
                            struct fault *fault)
{
    struct tine_result *result;
    struct tine_error error;

    if (cli_session_word(cli, word, fault) != FAULT_OK || cli_connect(cli, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!tine_session(cli->tine, word, true, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    *out = result->session;
    return FAULT_OK;
}

enum fault_code cli_text_option(struct cli *cli, const char *name, struct str *out,
                                struct fault *fault)
{
    const char *value = args_value(&cli->args, name);

    if (value && !utf8_valid(str_of(value)))
        return cli_usage(cli, fault, "--%s is not valid UTF-8", name);
    *out = value ? str_of(value) : STR_NONE;
    return FAULT_OK;
}

enum fault_code cli_word_option(struct cli *cli, const char *name, const char **out,
                                struct fault *fault)
{
    struct str text = STR_NONE;
    enum fault_code code = cli_text_option(cli, name, &text, fault);

    *out = text.p;
    return code;
}

enum fault_code cli_json_option(struct cli *cli, const char *name, struct str *out,
                                struct fault *fault)
{
    const char *text = args_value(&cli->args, name);
    struct json_value value;
    struct fault inner;
    char what[64];

    *out = STR_NONE;
    if (!text)
        return FAULT_OK;
    snprintf(what, sizeof(what), "--%s", name);
    if (json_read(str_of(text), LIMIT_JSON_DEPTH, what, &value, &inner))
        return cli_usage(cli, fault, "%s", inner.message);
    if (value.type != JSON_OBJECT)
        return cli_usage(cli, fault, "--%s must be a JSON object", name);
    *out = value.raw;
    return FAULT_OK;
}

enum fault_code cli_object_option(struct cli *cli, const char *name, const char **out,
                                  struct fault *fault)
{
    struct str json;
    enum fault_code code = cli_json_option(cli, name, &json, fault);

    *out = json.n ? arena_dup(&cli->arena, json).p : NULL;
    return code;
}

enum fault_code cli_int_option(struct cli *cli, const char *name, int64_t min, int64_t max,
                               int64_t missing, int64_t *out, struct fault *fault)
{
    const char *text = args_value(&cli->args, name);
    char *end;
    long long value;

    *out = missing;
    if (!text)
        return FAULT_OK;
    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno || end == text || *end || value < min || value > max)
        return cli_usage(cli, fault, "--%s must be a number from %" PRId64 " to %" PRId64, name,
                         min, max);
    *out = value;
    return FAULT_OK;
}

struct str cli_valid(struct cli *cli, const char *name)
{
    struct str s = str_of(name);
    char *text = arena_array(&cli->arena, s.n + 1, UTF8_CLEAN); /* with a NUL behind it */

    return (struct str){text, utf8_clean(s, text)};
}

/* ---- pieces of answers for people ---- */

void cli_print(struct cli *cli, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    int n;

    va_start(args, format);
    n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        abort();
    buf_add(&cli->text, text, (size_t)n);
    free(text);
}

void cli_style(struct cli *cli, enum term_style style)
{
    term_style(&cli->term, &cli->text, style);
}

int cli_print_line(struct cli *cli, struct str text, int columns)
{
    return term_add_line(&cli->term, &cli->text, text, columns);
}

void cli_print_time(struct cli *cli, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    char text[32];

    if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm) > 0)
        buf_add_text(&cli->text, text);
}

struct str cli_short_id(struct str id)
{
    struct id parsed;

    /* Ids of one hour begin alike; they differ at the end. */
    if (id_parse(id, &parsed))
        return (struct str){id.p + id.n - SHORT_ID, SHORT_ID};
    return id;
}

void cli_print_json(struct cli *cli, const char *json)
{
    buf_add_text(&cli->text, json);
}

void cli_print_count(struct cli *cli, int64_t count, const char *noun)
{
    cli_print(cli, "%" PRId64 " %s%s", count, noun, count == 1 ? "" : "s");
}

struct str cli_title(struct str title)
{
    return title.n ? title : STR("(untitled)");
}
