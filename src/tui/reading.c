#include "tui/reading.h"

#include "tui/found.h"
#include "tui/rows.h"

void reading_init(struct reading *reading)
{
    *reading = (struct reading){0};
    buf_init(&reading->words, READING_WORDS_MAX);
}

void reading_clear(struct reading *reading)
{
    buf_clear(&reading->words);
}

static size_t page(const struct reading *reading)
{
    return reading->page ? reading->page : 1;
}

static size_t last_top(const struct reading *reading)
{
    return reading->laid.count > page(reading) ? reading->laid.count - page(reading) : 0;
}

static void go(struct reading *reading, size_t top)
{
    reading->top = top < last_top(reading) ? top : last_top(reading);
}

void reading_set(struct reading *reading, struct laid laid)
{
    size_t before = reading->laid.count;
    size_t top = before == laid.count || before == 0
                     ? reading->top
                     : (size_t)((double)reading->top * (double)laid.count / (double)before);

    reading->laid = laid;
    reading->has_hit = false;
    go(reading, top);
}

static bool back(struct reading *reading, size_t lines)
{
    go(reading, reading->top > lines ? reading->top - lines : 0);
    return true;
}

static bool forth(struct reading *reading, size_t lines)
{
    go(reading, reading->top + lines);
    return true;
}

/* Of a page one line stays, so that the eye finds on. */
static size_t leap(const struct reading *reading)
{
    return page(reading) > 2 ? page(reading) - 1 : 1;
}

static bool press_letter(struct reading *reading, const struct press *press)
{
    if (press_is(press, 'j'))
        return forth(reading, 1);
    if (press_is(press, 'k'))
        return back(reading, 1);
    if (press_is(press, ' '))
        return forth(reading, leap(reading));
    if (press_is(press, 'b'))
        return back(reading, leap(reading));
    if (press_is(press, 'g'))
        return back(reading, reading->top);
    if (press_is(press, 'G'))
        return forth(reading, reading->laid.count);
    return false;
}

bool reading_press(struct reading *reading, const struct press *press, bool letters)
{
    switch (press->kind) {
    case PRESS_UP:
        return back(reading, 1);
    case PRESS_DOWN:
        return forth(reading, 1);
    case PRESS_WHEEL_UP:
        return back(reading, READING_WHEEL);
    case PRESS_WHEEL_DOWN:
        return forth(reading, READING_WHEEL);
    case PRESS_PAGE_UP:
        return back(reading, leap(reading));
    case PRESS_PAGE_DOWN:
        return forth(reading, leap(reading));
    case PRESS_HOME:
        return back(reading, reading->top);
    case PRESS_END:
        return forth(reading, reading->laid.count);
    default:
        return letters && press_letter(reading, press);
    }
}

/* ---- looking for words ---- */

static bool is_hit(const struct reading *reading, size_t index)
{
    struct arena arena;
    bool hit;

    arena_init(&arena);
    hit = found_in_line(&reading->laid.lines[index], buf_str(&reading->words), &arena);
    arena_clear(&arena);
    return hit;
}

/* From `from` on, round at the ends, each line once. */
static bool look_for(struct reading *reading, size_t from, bool backwards)
{
    size_t count = reading->laid.count;

    for (size_t i = 0; i < count; i++) {
        size_t index = backwards ? (from + count - i) % count : (from + i) % count;

        if (is_hit(reading, index)) {
            reading->hit = index;
            reading->has_hit = true;
            if (index < reading->top || index - reading->top >= page(reading))
                go(reading, index > page(reading) / 3 ? index - page(reading) / 3 : 0);
            return true;
        }
    }
    return false;
}

bool reading_find(struct reading *reading, struct str words)
{
    buf_reset(&reading->words);
    buf_add_str(&reading->words, words);
    reading->has_hit = false;
    return reading->words.n && look_for(reading, reading->top, false);
}

bool reading_again(struct reading *reading, bool backwards)
{
    size_t count = reading->laid.count;

    if (reading->words.n == 0 || count == 0)
        return false;
    if (!reading->has_hit)
        return look_for(reading, reading->top, backwards);
    return look_for(reading, (reading->hit + (backwards ? count - 1 : 1)) % count, backwards);
}

/* ---- */

void reading_draw(struct reading *reading, struct pane pane)
{
    struct str words = buf_str(&reading->words);

    reading->page = pane.rows > 0 ? (size_t)pane.rows : 1;
    go(reading, reading->top);
    for (int row = 0; row < pane.rows; row++) {
        size_t index = reading->top + (size_t)row;
        bool here = reading->has_hit && index == reading->hit;

        if (index >= reading->laid.count)
            break;
        pane_line(pane, row, 0, &reading->laid.lines[index], look(TONE_TEXT));
        if (words.n)
            found_draw(pane, row, 0, &reading->laid.lines[index], words,
                       look_with(TONE_FOUND, here ? LOOK_BOLD | LOOK_UNDERLINE : 0));
    }
    rows_bar(pane, reading->top, page(reading), reading->laid.count);
}

int reading_percent(const struct reading *reading)
{
    size_t seen = reading->top + page(reading);

    if (seen >= reading->laid.count)
        return 100;
    return (int)(seen * 100 / reading->laid.count);
}
