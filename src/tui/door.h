/* The way to the server: how a handle is made. */
#ifndef TUI_DOOR_H
#define TUI_DOOR_H

#include <tine.h>

/* May be used by several threads at once. `stop` is asked while a call waits. */
struct tui_door {
    struct tine *(*connect)(void *context, bool (*stop)(void *), void *stop_context,
                            struct tine_error *error);
    void *context;
};

#endif
