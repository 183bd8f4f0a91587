#include "tui/session_row.h"

static const struct {
    const char *state, *sign;
    enum tone tone;
} states[] = {
    {"queued", "◌ ", TONE_WARN},
    {"running", "● ", TONE_WARN},
    {"waiting", "? ", TONE_MARK},
    {"failed", "✗ ", TONE_BAD},
};

enum { STATES = sizeof(states) / sizeof(states[0]) };

static size_t state_of(const struct tine_session *session)
{
    size_t i = 0;

    while (i < STATES &&
           (!session->turn_state || strcmp(session->turn_state, states[i].state) != 0))
        i++;
    return i;
}

struct str session_row_title(const struct tine_session *session)
{
    return *session->title ? str_of(session->title) : STR("Untitled");
}

const char *session_row_state(const struct tine_session *session, enum tone *tone)
{
    size_t i = state_of(session);

    *tone = i < STATES ? states[i].tone : TONE_FAINT;
    return i < STATES ? states[i].state : "";
}

struct str session_row_sign(const struct tine_session *session, enum tone *tone)
{
    size_t i = state_of(session);

    *tone = i < STATES ? states[i].tone : TONE_FAINT;
    return i < STATES ? str_of(states[i].sign) : STR("  ");
}
