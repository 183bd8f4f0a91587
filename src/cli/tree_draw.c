#include "cli/tree_draw.h"

#include "cli/message_print.h"

#include <inttypes.h>

/* Deeper forks are drawn at this depth, so that a line never grows beyond reason. */
enum { DEPTH_MAX = 40 };

enum { TITLE_COLUMNS = 60, TITLE_COLUMNS_MIN = 12 };

struct strokes {
    const char *fork, *last, *through, *gap, *rewound, *here;
};

static const struct strokes *strokes_of(const struct cli *cli)
{
    static const struct strokes boxes = {"├─ ", "└─ ", "│  ", "   ", "┄ ", " ◀ here"};
    static const struct strokes ascii = {"|- ", "`- ", "|  ", "   ", "~ ", " <- here"};

    return cli->term.utf8 ? &boxes : &ascii;
}

/* The lines that come down from above: for each depth, whether that branch goes on below. */
struct trail {
    bool goes_on[DEPTH_MAX + 1];
};

static size_t drawn_depth(const struct family_member *member)
{
    return member->kin.depth < DEPTH_MAX ? member->kin.depth : DEPTH_MAX;
}

static void draw_trail(struct cli *cli, const struct trail *trail, size_t depth)
{
    const struct strokes *strokes = strokes_of(cli);

    for (size_t i = 1; i <= depth; i++)
        buf_add_text(&cli->text, trail->goes_on[i] ? strokes->through : strokes->gap);
}

/* Where the fork parted: the last message that it shares. */
static void draw_parting(struct cli *cli, const struct tine_session *session)
{
    cli_style(cli, STYLE_DIM);
    if (session->index > 0)
        cli_print(cli, "after #%" PRId64 "  ", session->index - 1);
    else
        cli_print(cli, "at the start  ");
    cli_style(cli, STYLE_PLAIN);
}

static void draw_labels(struct cli *cli, const struct tine_session *session)
{
    for (size_t i = 0; i < session->label_count; i++) {
        const struct tine_label *label = &session->labels[i];

        cli_style(cli, STYLE_WARN);
        cli_print(cli, "  @");
        cli_print_line(cli, str_of(label->label ? label->label : ""), 0);
        cli_style(cli, STYLE_PLAIN);
        if (label->index >= 0)
            cli_print(cli, " #%" PRId64, label->index);
    }
}

static void draw_session(struct cli *cli, const struct tine_session *session, int title_columns)
{
    if (session->parent)
        draw_parting(cli, session);
    cli_style(cli, STYLE_BOLD);
    cli_print_line(cli, cli_title(str_of(session->title)), title_columns);
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  ");
    cli_style(cli, STYLE_NAME);
    cli_print(cli, "%.*s", STR_ARG(cli_short_id(str_of(session->id))));
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  ");
    cli_print_count(cli, session->messages, "message");
    if (session->parent) {
        cli_print(cli, " (%" PRId64 " its own", session->own_messages);
        if (session->files_changed) {
            cli_print(cli, ", ");
            cli_print_count(cli, session->files_changed, "file");
        }
        cli_print(cli, ")");
    }
    if (session->archived)
        cli_print(cli, "  archived");
    draw_labels(cli, session);
    if (session->current) {
        cli_style(cli, STYLE_GOOD);
        buf_add_text(&cli->text, strokes_of(cli)->here);
        cli_style(cli, STYLE_PLAIN);
    }
}

/* On a terminal that is too narrow the title gives way first, then what is last. */
static void draw_fitting(struct cli *cli, const struct tine_session *session, size_t from)
{
    size_t begin = cli->text.n;
    int over, title = term_columns(cli_title(str_of(session->title)));

    draw_session(cli, session, TITLE_COLUMNS);
    over = cli->term.width ? term_shown(&cli->text, from) - cli->term.width : 0;
    if (over > 0) {
        title = (title < TITLE_COLUMNS ? title : TITLE_COLUMNS) - over;
        cli->text.n = begin;
        draw_session(cli, session, title > TITLE_COLUMNS_MIN ? title : TITLE_COLUMNS_MIN);
        term_fit(&cli->term, &cli->text, from);
    }
    cli_print(cli, "\n");
}

/* A root whose source is gone says what it came from. */
static void draw_lost_source(struct cli *cli, const struct tine_parent *lost)
{
    int room = cli->term.width ? cli->term.width - 28 : TITLE_COLUMNS;

    cli_style(cli, STYLE_DIM);
    cli_print(cli, "(from \"");
    cli_print_line(cli, cli_title(str_of(lost->title)),
                   room < TITLE_COLUMNS_MIN ? TITLE_COLUMNS_MIN : room);
    cli_print(cli, "\", which was deleted)\n");
    cli_style(cli, STYLE_PLAIN);
}

static void draw_rewound(struct cli *cli, const struct trail *trail, size_t depth,
                         const struct tine_session *session, bool has_forks)
{
    const struct strokes *strokes = strokes_of(cli);

    for (size_t i = 0; i < session->rewound_count; i++) {
        const struct tine_rewound *rewound = &session->rewound[i];
        size_t from = cli->text.n;

        cli_style(cli, STYLE_DIM);
        draw_trail(cli, trail, depth);
        buf_add_text(&cli->text, has_forks ? strokes->through : strokes->gap);
        buf_add_text(&cli->text, strokes->rewound);
        cli_print(cli, "rewound at #%" PRId64 ": ", rewound->index);
        cli_print_count(cli, rewound->messages, "message");
        cli_print(cli, ", \"");
        message_print_start(cli, rewound->first, 40);
        cli_print(cli, "\"");
        cli_style(cli, STYLE_PLAIN);
        term_fit(&cli->term, &cli->text, from);
        cli_print(cli, "\n");
    }
}

enum fault_code tree_draw(struct cli *cli, const struct family *family, bool with_rewound,
                          struct fault *fault)
{
    const struct strokes *strokes = strokes_of(cli);
    struct trail trail = {{false}};
    enum fault_code code = FAULT_OK;

    for (size_t i = 0; !code && i < family->count; i++) {
        const struct family_member *member = &family->members[i];
        size_t depth = drawn_depth(member);
        bool has_forks =
            i + 1 < family->count && family->members[i + 1].kin.depth > member->kin.depth;
        size_t from;

        if (member->lost)
            draw_lost_source(cli, member->lost);
        from = cli->text.n;
        if (depth > 0) {
            draw_trail(cli, &trail, depth - 1);
            buf_add_text(&cli->text, member->kin.last ? strokes->last : strokes->fork);
            trail.goes_on[depth] = !member->kin.last;
        }
        draw_fitting(cli, member->kin.session, from);
        if (with_rewound)
            draw_rewound(cli, &trail, depth, member->kin.session, has_forks);
        code = cli_flush_some(cli, fault);
    }
    return code;
}
