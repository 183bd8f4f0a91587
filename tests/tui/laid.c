#include "laid.h"

#include "support/check.h"

#include "base/buf.h"
#include "base/control.h"
#include "base/utf8.h"

static void check_span(const struct span *span)
{
    assert_true(span->text.n > 0);
    assert_true(utf8_valid(span->text));
    for (size_t at = 0; at < span->text.n;)
        assert_false(control_is(utf8_next(span->text, &at)));
    assert_int_equal(cells_count(span->text), span->columns);
}

const char *laid_text(struct laid laid, int width, struct arena *arena)
{
    struct buf out;

    buf_init(&out, 64 * 1024 * 1024);
    for (size_t i = 0; i < laid.count; i++) {
        const struct line *line = &laid.lines[i];
        int columns = 0;

        for (size_t k = 0; k < line->count; k++) {
            check_span(&line->spans[k]);
            buf_add_str(&out, line->spans[k].text);
            columns += line->spans[k].columns;
        }
        buf_add_char(&out, '\n');
        assert_int_equal(columns, line->columns);
        assert_true(columns <= width);
    }
    return buf_take(&out, arena).p;
}

struct look laid_look(struct laid laid, const char *text)
{
    for (size_t i = 0; i < laid.count; i++)
        for (size_t k = 0; k < laid.lines[i].count; k++) {
            struct str span = laid.lines[i].spans[k].text;

            if (memmem(span.p, span.n, text, strlen(text)))
                return laid.lines[i].spans[k].look;
        }
    fail_msg("\"%s\" is not there", text);
    return look(TONE_TEXT);
}
