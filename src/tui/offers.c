#include "tui/offers.h"

static struct str text_before(const struct text_edit *edit)
{
    return (struct str){edit->text.p ? edit->text.p : "", edit->cursor};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static size_t word_begin(const struct text_edit *edit)
{
    size_t at = edit->cursor;

    while (at > 0 && !is_blank(edit->text.p[at - 1]))
        at--;
    return at;
}

static struct str word_before(const struct text_edit *edit)
{
    struct str text = text_before(edit);
    size_t begin = word_begin(edit);

    return (struct str){text.p + begin, text.n - begin};
}

bool offers_at(const struct offers *offers, const struct text_edit *edit, size_t index,
               struct composer_offer *out)
{
    return offers->complete && index < OFFERS_MAX &&
           offers->complete(offers->context, text_before(edit), index, out);
}

static void count(struct offers *offers, const struct text_edit *edit)
{
    struct composer_offer offer;

    offers->count = 0;
    while (offers_at(offers, edit, offers->count, &offer))
        offers->count++;
    if (offers->marked >= offers->count)
        offers->marked = 0;
}

void offers_close(struct offers *offers)
{
    offers->open = offers->asked = false;
    offers->marked = 0;
}

/* A command on its only line, the cursor at the end of a word. */
static bool is_command(const struct text_edit *edit)
{
    struct str text = text_edit_text(edit);

    return edit->cursor > 0 && text.p[0] == '/' && !memchr(text.p, '\n', text.n) &&
           (edit->cursor == text.n || is_blank(text.p[edit->cursor]));
}

void offers_typed(struct offers *offers, const struct text_edit *edit)
{
    bool open = offers->open && offers->asked;

    if (edit->text.n == 0)
        offers->dismissed = false;
    if (!open && (offers->dismissed || !is_command(edit))) {
        offers_close(offers);
        return;
    }
    offers->marked = 0;
    count(offers, edit);
    offers->open = offers->count > 0;
    offers->asked = offers->asked && offers->open;
}

/* `with` in place of the word before the cursor. */
static void put_word(struct text_edit *edit, struct str with)
{
    (void)text_edit_replace(edit, word_begin(edit), edit->cursor, with);
}

static void take(struct offers *offers, struct text_edit *edit)
{
    bool blank_follows = edit->cursor < edit->text.n && is_blank(edit->text.p[edit->cursor]);
    struct composer_offer offer;
    struct buf word;

    if (offers_at(offers, edit, offers->marked, &offer)) {
        buf_init(&word, COMPOSER_MAX);
        buf_add_text(&word, offer.word);
        if (!blank_follows)
            buf_add_char(&word, ' ');
        put_word(edit, buf_str(&word));
        buf_clear(&word);
        if (blank_follows)
            text_edit_move(edit, edit->cursor + 1);
    }
    offers_close(offers);
    offers_typed(offers, edit);
}

/* What all of them begin with. */
static void add_common(const struct offers *offers, const struct text_edit *edit, struct buf *out)
{
    struct composer_offer offer;

    for (size_t i = 0; offers_at(offers, edit, i, &offer); i++) {
        size_t n = 0;

        if (i == 0)
            buf_add_text(out, offer.word);
        while (n < out->n && offer.word[n] == out->p[n])
            n++;
        out->n = n;
    }
    while (out->n && ((unsigned char)out->p[out->n] & 0xc0) == 0x80) /* not within a character */
        out->n--;
}

bool offers_ask(struct offers *offers, struct text_edit *edit)
{
    struct buf common;

    offers->dismissed = false;
    count(offers, edit);
    if (!offers->count)
        return false;
    offers->marked = 0;
    if (offers->count == 1) {
        take(offers, edit);
        return true;
    }
    buf_init(&common, COMPOSER_MAX);
    add_common(offers, edit, &common);
    if (common.n > word_before(edit).n && str_starts(buf_str(&common), word_before(edit)))
        put_word(edit, buf_str(&common));
    buf_clear(&common);
    count(offers, edit);
    offers->open = offers->asked = offers->count > 0;
    return true;
}

static void mark(struct offers *offers, bool next)
{
    offers->asked = true;
    if (next)
        offers->marked = offers->marked + 1 < offers->count ? offers->marked + 1 : 0;
    else
        offers->marked = offers->marked > 0 ? offers->marked - 1 : offers->count - 1;
}

/* Is the command written out? Then Enter is meant for it. */
static bool is_written(const struct offers *offers, const struct text_edit *edit)
{
    struct composer_offer offer;

    for (size_t i = 0; offers_at(offers, edit, i, &offer); i++)
        if (str_eq(str_of(offer.word), word_before(edit)))
            return true;
    return false;
}

static bool enter(struct offers *offers, struct text_edit *edit)
{
    bool first_word = word_begin(edit) == 0;

    if (!offers->asked && (!first_word || is_written(offers, edit))) {
        offers_close(offers);
        return false;
    }
    take(offers, edit);
    return true;
}

bool offers_press(struct offers *offers, struct text_edit *edit, const struct press *press)
{
    if (press->alt || press->ctrl)
        return false;
    switch (press->kind) {
    case PRESS_UP:
    case PRESS_DOWN:
        mark(offers, press->kind == PRESS_DOWN);
        return true;
    case PRESS_TAB:
        if (press->shift)
            mark(offers, false);
        else
            take(offers, edit);
        return true;
    case PRESS_ENTER:
        return !press->shift && enter(offers, edit);
    case PRESS_ESCAPE:
        offers_close(offers);
        offers->dismissed = true;
        return true;
    default:
        return false;
    }
}
