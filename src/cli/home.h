/* Where tine keeps its data, and which database that is. */
#ifndef CLI_HOME_H
#define CLI_HOME_H

#include "base/arena.h"
#include "base/fault.h"

/* Where the home is, or would be: as home_dir, but nothing is made. */
FAULT_CHECK enum fault_code home_find(const char *home, struct arena *arena, struct str *out,
                                      struct fault *fault);

/*
 * The home: `home`, else TINE_HOME, else $XDG_DATA_HOME/tine, else ~/.local/share/tine. One that is
 * missing is made, for its user only.
 */
FAULT_CHECK enum fault_code home_dir(const char *home, struct arena *arena, struct str *out,
                                     struct fault *fault);

/*
 * The name of the database: `db`, else TINE_DB (unless `home` is given), else sqlite:HOME/tine.db,
 * where HOME is `home`, else TINE_HOME, else $XDG_DATA_HOME/tine, else ~/.local/share/tine. A home
 * that is missing is made, for its user only. NULL stands for an option that was not given.
 */
FAULT_CHECK enum fault_code home_db(const char *home, const char *db, struct arena *arena,
                                    struct str *out, struct fault *fault);

#endif
