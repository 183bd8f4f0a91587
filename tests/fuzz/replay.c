/*
 * The main() of a fuzz target when libFuzzer is not there: runs every file of the corpus
 * directories once and prints TAP, one result for each directory. A directory with no inputs
 * is a failure, because then nothing was tested.
 *
 * The name of each input is printed before it runs, so that the log of a crash ends with it.
 */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Exactly as many bytes as the file has, so that ASan sees a read beyond the last one. */
static bool file_read(const char *path, size_t size, uint8_t **out)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    uint8_t *bytes = malloc(size);
    bool ok = (bytes != NULL || size == 0) && fread(bytes, 1, size, file) == size;
    fclose(file);
    if (ok)
        *out = bytes;
    else
        free(bytes);
    return ok;
}

static bool input_run(const char *path, size_t size)
{
    uint8_t *bytes = NULL;
    if (!file_read(path, size, &bytes)) {
        printf("# cannot read \"%s\": %s\n", path, strerror(errno));
        return false;
    }
    printf("# %s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return true;
}

/* Runs the files of one directory, in the order of their names; -1 when one is unreadable. */
static int directory_run(const char *directory)
{
    struct dirent **entries = NULL;
    int n = scandir(directory, &entries, is_visible, alphasort);
    if (n < 0) {
        printf("# cannot read \"%s\": %s\n", directory, strerror(errno));
        return -1;
    }

    int inputs = 0;
    for (int i = 0; i < n; i++) {
        char *path = NULL;
        struct stat st;
        if (asprintf(&path, "%s/%s", directory, entries[i]->d_name) < 0)
            abort();
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && inputs >= 0)
            inputs = input_run(path, (size_t)st.st_size) ? inputs + 1 : -1;
        free(path);
        free(entries[i]);
    }
    free(entries);
    return inputs;
}

int main(int argc, char **argv)
{
    int failed = 0;
    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        int inputs = directory_run(argv[i]);
        const char *slash = strrchr(argv[i], '/');
        const char *name = slash != NULL ? slash + 1 : argv[i];
        if (inputs > 0) {
            printf("ok %d - %s: %d inputs\n", i, name, inputs);
        } else {
            printf("not ok %d - %s: %s\n", i, name, inputs == 0 ? "no inputs" : "unreadable");
            failed++;
        }
    }
    return failed > 0 || argc < 2 ? 1 : 0;
}
