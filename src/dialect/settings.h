/*
 * What dialects keep of a session beside the conversation: one member of its settings each, an
 * object. A fork takes them over. The member "agent" is for whoever runs (agent/agent_settings.h).
 */
#ifndef DIALECT_SETTINGS_H
#define DIALECT_SETTINGS_H

#include "dialect/app.h"

/* The member as JSON text; STR("{}") when there is none. */
struct str settings_of(const struct session *session, const char *name, struct arena *arena);

/* Gives the member as it is to be, in the arena; perhaps called more than once. */
typedef enum fault_code settings_change(void *context, const struct session *session,
                                        struct str now, struct arena *arena, struct str *out,
                                        struct fault *fault);

/* Changes one member, or with `name` NULL all of them at once; nobody else's change is lost. */
FAULT_CHECK enum fault_code settings_update(struct app *app, int64_t owner, struct str session,
                                            const char *name, settings_change *change,
                                            void *context, struct arena *arena, struct session *out,
                                            struct fault *fault);

/* The settings with a member put in or replaced, for one that is about to be made or forked. */
struct str settings_with(struct str settings, const char *name, struct str value,
                         struct arena *arena);

#endif
