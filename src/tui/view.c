#include "tui/view.h"

void view_happened_ignore(struct view *view, const struct happening *happening)
{
    (void)view;
    (void)happening;
}
