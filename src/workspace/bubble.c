/*
 * What is inside: /usr and what the root has as links into it, read-only; a few files of /etc; the
 * session's directory as /work, which alone can be written; /tmp and /dev/shm of limited size; /dev
 * with the harmless devices; /proc of its own.
 *
 * /proc is read-only. Where the server is root, a process inside has no rights as such but still
 * the number 0 outside, and the kernel lets that number write /proc/sys: one line into
 * kernel/core_pattern there, and the machine would be taken over.
 */
#include "workspace/bubble.h"

#include <assert.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ARGS_MAX = 256,
    TMP_BYTES = 256 * 1024 * 1024,
    SHM_BYTES = 64 * 1024 * 1024,
};

struct args {
    const char **argv;
    size_t count;
    struct arena *arena;
};

static void add(struct args *args, const char *arg)
{
    assert(args->count < ARGS_MAX - 1);
    args->argv[args->count++] = arg;
}

static void add2(struct args *args, const char *option, const char *value)
{
    add(args, option);
    add(args, value);
}

static void add3(struct args *args, const char *option, const char *a, const char *b)
{
    add2(args, option, a);
    add(args, b);
}

static void add_number(struct args *args, const char *option, int value)
{
    add2(args, option, arena_printf(args->arena, "%d", value).p);
}

const char *bubble_program(void)
{
    static const char *const places[] = {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"};

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

/* /bin, /lib64 …: a link into /usr, or a directory of its own. */
static void add_root(struct args *args)
{
    static const char *const names[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

    add3(args, "--ro-bind", "/usr", "/usr");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char target[256];
        ssize_t n = readlink(names[i], target, sizeof(target) - 1);

        if (n > 0)
            add3(args, "--symlink", arena_dup(args->arena, (struct str){target, (size_t)n}).p,
                 names[i]);
        else
            add3(args, "--ro-bind-try", names[i], names[i]);
    }
}

static void add_etc(struct args *args, bool network)
{
    static const char *const always[] = {
        "/etc/alternatives",  "/etc/ld.so.cache",    "/etc/ld.so.conf", "/etc/ld.so.conf.d",
        "/etc/localtime",     "/etc/timezone",       "/etc/magic",      "/etc/mime.types",
        "/etc/nsswitch.conf", "/etc/os-release",     "/etc/protocols",  "/etc/services",
        "/etc/ssl/certs",     "/etc/ssl/openssl.cnf"};
    static const char *const connected[] = {"/etc/resolv.conf", "/etc/hosts", "/etc/gai.conf"};

    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        add3(args, "--ro-bind-try", always[i], always[i]);
    for (size_t i = 0; network && i < sizeof(connected) / sizeof(connected[0]); i++)
        add3(args, "--ro-bind-try", connected[i], connected[i]);
    add_number(args, "--ro-bind-data", BUBBLE_PASSWD);
    add(args, "/etc/passwd");
    add_number(args, "--ro-bind-data", BUBBLE_GROUP);
    add(args, "/etc/group");
}

static void add_tmpfs(struct args *args, const char *path, int bytes)
{
    add_number(args, "--size", bytes);
    add2(args, "--perms", "1777");
    add2(args, "--tmpfs", path);
}

const char *const *bubble_argv(const struct sandbox_spec *spec, struct arena *arena)
{
    struct args args = {.argv = arena_array(arena, ARGS_MAX, sizeof(char *)), .arena = arena};
    size_t own = 0;
    const char **argv;

    add(&args, "bwrap");
    add(&args, "--unshare-all");
    if (spec->network)
        add(&args, "--share-net");
    add(&args, "--unshare-user");
    add(&args, "--disable-userns");
    add2(&args, "--uid", "1000");
    add2(&args, "--gid", "1000");
    add2(&args, "--hostname", "sandbox");
    add(&args, "--die-with-parent");
    add(&args, "--new-session");
    add_number(&args, "--info-fd", BUBBLE_INFO);
    add_number(&args, "--block-fd", BUBBLE_BLOCK);
    if (spec->env.count)
        add_number(&args, "--args", BUBBLE_ARGS);
    add_root(&args);
    add_etc(&args, spec->network);
    add2(&args, "--proc", "/proc");
    add2(&args, "--remount-ro", "/proc");
    add2(&args, "--dev", "/dev");
    add_tmpfs(&args, "/dev/shm", SHM_BYTES);
    add2(&args, "--remount-ro", "/dev");
    add_tmpfs(&args, "/tmp", TMP_BYTES);
    add3(&args, "--bind", spec->dir, "/work");
    add2(&args, "--remount-ro", "/");
    add2(&args, "--chdir", "/work");
    add(&args, "--");

    while (spec->argv[own])
        own++;
    argv = arena_array(arena, args.count + own + 1, sizeof(char *));
    memcpy(argv, args.argv, args.count * sizeof(char *));
    memcpy(argv + args.count, spec->argv, own * sizeof(char *));
    return argv;
}

const char *const *bubble_environment(const char *home, struct arena *arena)
{
    static const char *const fixed[] = {
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "USER=work",
        "LOGNAME=work",
        "SHELL=/bin/bash",
        "LANG=C.UTF-8",
        "TERM=dumb",
        "TMPDIR=/tmp",
        "PAGER=cat",
        "GIT_PAGER=cat",
        "GIT_TERMINAL_PROMPT=0",
    };
    size_t count = sizeof(fixed) / sizeof(fixed[0]);
    const char **environment = arena_array(arena, count + 3, sizeof(char *));

    memcpy(environment, fixed, sizeof(fixed));
    environment[count] = arena_printf(arena, "HOME=%s", home).p;
    environment[count + 1] = arena_printf(arena, "PWD=%s", home).p;
    return environment;
}
