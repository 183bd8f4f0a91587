/* The configuration file: what is taken, and what each bad file is told. */
#include "support/check.h"

#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char whole[] = "# everything that there is\n"
                            "listen: '[::1]:8463'\n"
                            "listen_as:\n"
                            "  docker-agent: 127.0.0.1:8080\n"
                            "  kagent: '[::1]:8083'\n"
                            "root: ash\n"
                            "db: sqlite:/var/lib/tine/tine.db\n"
                            "log: json\n"
                            "sandbox: off\n"
                            "hosts: [tine.example.org, 'other.example.org:8443']\n"
                            "limits:\n"
                            "  connections: 2000\n"
                            "  connections_per_address: 100\n"
                            "  streams: 1000\n"
                            "  header_bytes: 16384\n"
                            "  request_seconds: 30\n"
                            "  idle_seconds: 60\n"
                            "  pending_bytes: 268435456\n"
                            "  workers: 8\n"
                            "  turns: 32\n"
                            "  queued_sends: 4\n"
                            "  sessions_per_user: 5000\n"
                            "users:\n"
                            "  - {name: ana, right: admin, proxy: true}\n"
                            "  - name: ben@example.org\n"
                            "    right: read\n"
                            "agents:\n"
                            "  - name: team/writer\n"
                            "    kind: openai\n"
                            "    description: writes\n"
                            "    model: some-model\n"
                            "    prompt: |\n"
                            "      Be brief.\n"
                            "      Be kind.\n"
                            "    base_url: https://models.example.org:8080/v1\n"
                            "    key_env: TEAM_KEY\n"
                            "    tools: [read_file, list_files]\n"
                            "    network: true\n"
                            "    default: true\n"
                            "    context_tokens: 200000\n"
                            "    output_tokens: 4096\n"
                            "    steps_max: 20\n"
                            "    timeout_seconds: 90\n"
                            "    input_price: 2.5\n"
                            "    output_price: 10\n"
                            "  - name: team/plain\n"
                            "    kind: openai\n"
                            "    model: other\n"
                            "    tools: []\n"
                            "  - {name: team/shell, kind: shell}\n"
                            "  - {name: team/there, kind: external, model: theirs}\n";

struct room {
    struct arena arena;
    struct config config;
    struct fault fault;
};

static enum fault_code parse(struct room *room, const char *text)
{
    return config_parse(str_of(text), "tine.yaml", &room->arena, &room->config, &room->fault);
}

static int set_up(void **state)
{
    struct room *room = calloc(1, sizeof(*room));

    arena_init(&room->arena);
    *state = room;
    return 0;
}

static int tear_down(void **state)
{
    struct room *room = *state;

    arena_clear(&room->arena);
    free(room);
    return 0;
}

/* ---- good files ---- */

static void everything_is_read(void **state)
{
    struct room *room = *state;
    const struct config *config = &room->config;

    CHECK_OK(parse(room, whole), &room->fault);
    assert_string_equal(config->path, "tine.yaml");
    assert_string_equal(config->listen, "[::1]:8463");
    assert_int_equal(config->door_count, 2);
    assert_string_equal(config->doors[0].name, "kagent");
    assert_string_equal(config->doors[0].listen, "[::1]:8083");
    assert_string_equal(config->doors[1].name, "docker-agent");
    assert_string_equal(config->doors[1].listen, "127.0.0.1:8080");
    assert_string_equal(config->root, "ash");
    assert_string_equal(config->db, "sqlite:/var/lib/tine/tine.db");
    assert_string_equal(config->log, "json");
    assert_true(config->sandbox_off);
    assert_string_equal(config->hosts[0], "tine.example.org");
    assert_string_equal(config->hosts[1], "other.example.org:8443");
    assert_null(config->hosts[2]);
    assert_int_equal(config->limits.connections, 2000);
    assert_int_equal(config->limits.connections_per_address, 100);
    assert_int_equal(config->limits.streams, 1000);
    assert_int_equal(config->limits.header_bytes, 16384);
    assert_int_equal(config->limits.request_seconds, 30);
    assert_int_equal(config->limits.idle_seconds, 60);
    assert_int_equal(config->limits.pending_bytes, 268435456);
    assert_int_equal(config->limits.workers, 8);
    assert_int_equal(config->limits.turns, 32);
    assert_int_equal(config->limits.queued_sends, 4);
    assert_int_equal(config->limits.sessions_per_user, 5000);
    assert_int_equal(config->user_count, 2);
    assert_string_equal(config->users[0].name, "ana");
    assert_string_equal(config->users[0].right, "admin");
    assert_true(config->users[0].proxy);
    assert_false(config->users[1].proxy);
    assert_string_equal(config->users[1].name, "ben@example.org");
    assert_string_equal(config->users[1].right, "read");
    assert_int_equal(config->agent_count, 4);
}

static void an_agent_is_read(void **state)
{
    struct room *room = *state;
    const struct agent_def *agent;

    CHECK_OK(parse(room, whole), &room->fault);
    agent = &room->config.agents[0];
    CHECK_STR(agent->name, "team/writer");
    CHECK_STR(agent->kind, "openai");
    CHECK_STR(agent->description, "writes");
    CHECK_STR(agent->model, "some-model");
    CHECK_STR(agent->prompt, "Be brief.\nBe kind.\n");
    CHECK_STR(agent->base_url, "https://models.example.org:8080/v1");
    CHECK_STR(agent->key_env, "TEAM_KEY");
    CHECK_STR(agent->tools, "read_file list_files");
    assert_true(agent->network && agent->is_default && agent->fixed);
    assert_int_equal(agent->context_tokens, 200000);
    assert_int_equal(agent->output_tokens, 4096);
    assert_int_equal(agent->steps_max, 20);
    assert_int_equal(agent->timeout_ms, 90000);
    assert_int_equal(agent->input_price, INT64_C(2500000000));
    assert_int_equal(agent->output_price, INT64_C(10000000000));
    agent = &room->config.agents[1];
    CHECK_STR(agent->tools, "none"); /* an empty list is no tool, and no list is all of them */
    assert_true(!agent->network && !agent->is_default && agent->fixed);
    CHECK_STR(room->config.agents[2].tools, "");
    CHECK_STR(room->config.agents[3].model, "theirs");
}

static void nothing_is_a_configuration(void **state)
{
    static const char *const empty[] = {"", "# nothing\n", "{}\n",
                                        "agents:\nusers:\nhosts:\nlimits:\n", "agents: []\n"};
    struct room *room = *state;

    for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
        CHECK_OK(parse(room, empty[i]), &room->fault);
        assert_null(room->config.listen);
        assert_null(room->config.hosts[0]);
        assert_false(room->config.sandbox_off);
        assert_int_equal(room->config.agent_count + room->config.user_count, 0);
    }
    CHECK_OK(config_read(NULL, &room->arena, &room->config, &room->fault), &room->fault);
    assert_null(room->config.path);
    assert_null(room->config.hosts[0]);
}

static void prices_are_exact(void **state)
{
    static const struct {
        const char *text;
        int64_t nano;
    } prices[] = {
        {"0", 0},
        {"0.15", 150000000},
        {"0.000000001", 1},
        {"1000000", INT64_C(1000000000000000)},
        {"'3.00'", INT64_C(3000000000)},
    };
    struct room *room = *state;

    for (size_t i = 0; i < sizeof(prices) / sizeof(prices[0]); i++) {
        struct str text = arena_printf(
            &room->arena, "agents: [{name: a/b, kind: openai, model: m, input_price: %s}]\n",
            prices[i].text);

        CHECK_OK(parse(room, text.p), &room->fault);
        assert_int_equal(room->config.agents[0].input_price, prices[i].nano);
    }
}

static void loopback_is_known(void **state)
{
    (void)state;
    assert_true(config_is_loopback(CONFIG_LISTEN_DEFAULT));
    assert_true(config_is_loopback("127.1.2.3:0"));
    assert_true(config_is_loopback("[::1]:80"));
    assert_true(config_is_loopback("localhost:8463"));
    assert_false(config_is_loopback("0.0.0.0:8463"));
    assert_false(config_is_loopback("[::]:8463"));
    assert_false(config_is_loopback("10.0.0.1:8463"));
    assert_false(config_is_loopback("127.0.0.1"));
}

/* ---- bad files ---- */

static const struct bad {
    const char *text, *message; /* after "tine.yaml" */
} bad[] = {
    /* no YAML, or more of it than we take */
    {"listen: [a\n", ":2: this is not YAML: did not find expected ',' or ']' while parsing a flow "
                     "sequence"},
    {"a:\n\t- b\n", ":2: this is not YAML: found character that cannot start any token while "
                    "scanning for the next token"},
    {"listen: a\n b: c: d\n",
     ":2: this is not YAML: mapping values are not allowed in this context"},
    {"listen: \xff\n", ": is not valid UTF-8"},
    {"\xff\xfe"
     "a",
     ": is not valid UTF-8"},
    {"- a\n", ":1: must be a map (key: value), and is a list"},
    {"hello\n", ":1: must be a map (key: value), and is a single value"},
    {"---\n...\n", ":2: must be a map (key: value), and is a single value"},
    {"log: text\n---\nlog: json\n", ":2: a second document begins; there can be only one"},
    {"listen: &a x\n", ":1: anchors (&name) are not taken: write the value out"},
    {"listen: *a\n", ":1: aliases (*name) are not taken: write the value out"},
    {"agents: &a [*a]\n", ":1: anchors (&name) are not taken: write the value out"},
    {"listen: !!str x\n", ":1: tags (!name) are not taken"},
    {"log: \"te\\0xt\"\n", ":1: a text has a NUL in it"},
    {"? [a, b]\n: c\n", ":1: a key must be a single word"},
    {"{{a: b}: c}\n", ":1: a key must be a single word"},
    {"[[[[[[[[[a]]]]]]]]]\n", ":1: nested too deep"},
    /* keys */
    {"listen: 127.0.0.1:1\nport: 80\n",
     ":2: port: there is no such key here (there are: listen, listen_as, root, db, log, "
     "sandbox, hosts, limits, users, agents)"},
    {"listen_as:\n  kagnet: 127.0.0.1:1\n",
     ":2: listen_as.kagnet: there is no such key here (there are: kagent, docker-agent, ash, "
     "esc)"},
    {"listen_as: 127.0.0.1:1\n",
     ":1: listen_as: must be a map (key: value), and is a single value"},
    {"listen_as: {ash: 4100}\n", ":1: listen_as.ash: \"4100\" is no address with a port, such as "
                                 "127.0.0.1:8463 or [::1]:8463"},
    {"root: native\n", ":1: root: \"native\" is no dialect at the root (there are: kagent, "
                       "docker-agent, ash, esc)"},
    {"log: text\n\nlog: text\n", ":3: log: stands twice; the first is in line 1"},
    {"limits:\n  workers: 3\n  turns: 1\n  workers: 4\n",
     ":4: limits.workers: stands twice; the first is in line 2"},
    {"limits:\n  worker: 3\n",
     ":2: limits.worker: there is no such key here (there are: connections, "
     "connections_per_address, streams, header_bytes, request_seconds, idle_seconds, "
     "pending_bytes, workers, turns, queued_sends, sessions_per_user)"},
    {"users:\n  - name: a\n    right: run\n    email: x\n",
     ":4: users[0].email: there is no such key here (there are: name, right, proxy)"},
    {"users: [{name: a, right: run, proxy: yes}]\n",
     ":1: users[0].proxy: \"yes\" is neither true nor false"},
    {"agents:\n  - name: a/b\n    kind: shell\n  - name: a/c\n    kidn: shell\n",
     ":5: agents[1].kidn: there is no such key here (there are: name, kind, description, model, "
     "prompt, script, base_url, key_env, tools, network, default, context_tokens, "
     "output_tokens, steps_max, timeout_seconds, input_price, output_price)"},
    {"agents:\n  - kind: shell\n", ":2: agents[0]: \"name\" is missing"},
    {"agents:\n  - name: a/b\n", ":2: agents[0]: \"kind\" is missing"},
    {"agents:\n  - {}\n", ":2: agents[0]: \"name\" is missing"},
    {"users:\n  - name: a\n", ":2: users[0]: \"right\" is missing"},
    /* shapes */
    {"agents: 3\n", ":1: agents: must be a list, and is a single value"},
    {"agents: {a: b}\n", ":1: agents: must be a list, and is a map (key: value)"},
    {"agents:\n  - a/b\n", ":2: agents[0]: must be a map (key: value), and is a single value"},
    {"agents:\n  -\n", ":2: agents[0]: must be a map (key: value), and is a single value"},
    {"limits: [1]\n", ":1: limits: must be a map (key: value), and is a list"},
    {"listen: {a: b}\n", ":1: listen: must be a single value, and is a map (key: value)"},
    {"hosts: [a, [b]]\n", ":1: hosts[1]: must be a single value, and is a list"},
    {"agents: [{name: a/b, kind: openai, model: m, tools: bash}]\n",
     ":1: agents[0].tools: must be a list, and is a single value"},
    {"listen:\n", ":1: listen: is empty"},
    {"limits:\n  workers: ''\n", ":2: limits.workers: is empty"},
    /* values */
    {"listen: 8463\n", ":1: listen: \"8463\" is no address with a port, such as 127.0.0.1:8463 or "
                       "[::1]:8463"},
    {"listen: 127.0.0.1:65536\n", ":1: listen: \"127.0.0.1:65536\" is no address with a port, such "
                                  "as 127.0.0.1:8463 or [::1]:8463"},
    {"listen: '::1:80'\n", ":1: listen: \"::1:80\" is no address with a port, such as "
                           "127.0.0.1:8463 or [::1]:8463"},
    {"db: tine.db\n", ":1: db: must be sqlite:PATH"},
    {"db: postgres://tine:hunter2@db/tine\n", ":1: db: must be sqlite:PATH"},
    {"log: loud\n", ":1: log: \"loud\" is no way to log (there are: text, json, off)"},
    {"sandbox: maybe\n", ":1: sandbox: \"maybe\" is neither on nor off"},
    {"sandbox: false\n", ":1: sandbox: \"false\" is neither on nor off"},
    {"hosts:\n  - a.example.org\n  - https://b.example.org\n",
     ":3: hosts[1]: \"https://b.example.org\" is no name of a host, such as tine.example.org"},
    {"hosts: ['a b']\n", ":1: hosts[0]: \"a b\" is no name of a host, such as tine.example.org"},
    {"limits:\n  workers: many\n", ":2: limits.workers: \"many\" is no whole number from 1 to 256"},
    {"limits:\n  workers: 0\n", ":2: limits.workers: \"0\" is no whole number from 1 to 256"},
    {"limits:\n  workers: -1\n", ":2: limits.workers: \"-1\" is no whole number from 1 to 256"},
    {"limits:\n  workers: 257\n", ":2: limits.workers: \"257\" is no whole number from 1 to 256"},
    {"limits:\n  workers: 0x10\n", ":2: limits.workers: \"0x10\" is no whole number from 1 to 256"},
    {"limits:\n  workers: 1.5\n", ":2: limits.workers: \"1.5\" is no whole number from 1 to 256"},
    {"limits:\n  turns: 99999999999999999999\n",
     ":2: limits.turns: \"99999999999999999999\" is no whole number from 1 to 4096"},
    {"limits:\n  connections: 10\n  connections_per_address: 11\n",
     ":3: limits.connections_per_address: is more than limits.connections"},
    {"users:\n  - {name: a b, right: run}\n",
     ":2: users[0].name: \"a b\" may have only letters, digits and ._@+-"},
    {"users:\n  - {name: a, right: root}\n",
     ":2: users[0].right: \"root\" is no right (there are: read, write, run, admin)"},
    {"users:\n  - {name: a, right: run}\n  - {name: b, right: run}\n  - {name: a, right: read}\n",
     ":4: users[2].name: the user \"a\" stands twice; the first is users[0]"},
    /* agents */
    {"agents:\n  - {name: a/b, kind: shell}\n  - name: a/c\n    kind: shel\n",
     ":4: agents[1].kind: \"shel\" is no kind of agent (there are: shell, openai, external, "
     "scripted)"},
    {"agents: [{name: ab, kind: shell}]\n",
     ":1: agents[0].name: \"ab\" is not of the form namespace/name"},
    {"agents: [{name: a/, kind: shell}]\n",
     ":1: agents[0].name: \"a/\" is not of the form namespace/name"},
    {"agents: [{name: a/b/c, kind: shell}]\n",
     ":1: agents[0].name: \"a/b/c\" is not of the form namespace/name"},
    {"agents: [{name: v1/b, kind: shell}]\n",
     ":1: agents[0].name: the namespace \"v1\" is not free: in a path it would look like a version "
     "of the protocol"},
    {"agents: [{name: 'a/b c', kind: shell}]\n",
     ":1: agents[0].name: \"a/b c\" may have only letters, digits and ._-/"},
    {"agents:\n  - {name: a/b, kind: shell}\n  - {name: a/b, kind: external}\n",
     ":3: agents[1].name: the agent \"a/b\" stands twice; the first is agents[0]"},
    {"agents:\n  - {name: a/b, kind: shell, default: true}\n"
     "  - name: a/c\n    kind: shell\n    default: true\n",
     ":5: agents[1].default: agents[0] is the default already"},
    {"agents: [{name: a/b, kind: openai}]\n",
     ":1: agents[0]: an agent of the kind openai needs a \"model\""},
    {"agents:\n  - name: a/b\n    kind: shell\n    model: m\n",
     ":4: agents[0].model: means nothing for an agent of the kind shell"},
    {"agents: [{name: a/b, kind: external, network: true}]\n",
     ":1: agents[0].network: means nothing for an agent of the kind external"},
    {"agents: [{name: a/b, kind: shell, network: on}]\n",
     ":1: agents[0].network: \"on\" is neither true nor false"},
    {"agents: [{name: a/b, kind: shell, network: flase}]\n",
     ":1: agents[0].network: \"flase\" is neither true nor false"},
    {"agents: [{name: a/b, kind: shell, timeout_seconds: 0}]\n",
     ":1: agents[0].timeout_seconds: \"0\" is no whole number from 1 to 86400"},
#define OPENAI "agents:\n  - name: a/b\n    kind: openai\n    model: m\n    "
    {OPENAI "script: say hello\n",
     ":5: agents[0].script: means nothing for an agent of the kind openai"},
    {OPENAI "base_url: models.example.org\n",
     ":5: agents[0].base_url: must begin with http:// or https://"},
    {OPENAI "base_url: https://\n", ":5: agents[0].base_url: \"https://\" is no name of a host"},
    {OPENAI "base_url: https://u:hunter2@h/v1\n",
     ":5: agents[0].base_url: a name and password do not belong into an address: use key_env"},
    {OPENAI "base_url: https://h/v1?key=hunter2\n",
     ":5: agents[0].base_url: the path of the address has a character that cannot be there"},
    {OPENAI "key_env: sk-hunter2\n", ":5: agents[0].key_env: must be the name of a variable of the "
                                     "environment (A-Z 0-9 _), never the key itself"},
    {OPENAI "key_env: 9KEY\n", ":5: agents[0].key_env: must be the name of a variable of the "
                               "environment (A-Z 0-9 _), never the key itself"},
    {OPENAI "tools: [bash, rm]\n", ":5: agents[0].tools[1]: \"rm\" is no tool (there are: bash, "
                                   "read_file, write_file, edit_file, list_files)"},
    {OPENAI "tools: [bash, bash]\n", ":5: agents[0].tools[1]: \"bash\" stands twice"},
    {OPENAI "context_tokens: 10\n",
     ":5: agents[0].context_tokens: \"10\" is no whole number from 1000 to 100000000"},
    {OPENAI "input_price: -1\n", ":5: agents[0].input_price: \"-1\" is no number from 0 to 1000000 "
                                 "with at most 9 digits behind the point"},
    {OPENAI "input_price: 1.\n", ":5: agents[0].input_price: \"1.\" is no number from 0 to 1000000 "
                                 "with at most 9 digits behind the point"},
    {OPENAI "input_price: 1e3\n", ":5: agents[0].input_price: \"1e3\" is no number from 0 to "
                                  "1000000 with at most 9 digits behind the point"},
    {OPENAI "output_price: 0.0000000001\n",
     ":5: agents[0].output_price: \"0.0000000001\" is no number from 0 to 1000000 with at most 9 "
     "digits behind the point"},
    {OPENAI "output_price: 1000000.1\n",
     ":5: agents[0].output_price: \"1000000.1\" is no number from 0 to 1000000 with at most 9 "
     "digits behind the point"},
};

#define SECRET                                                                                    \
    ": secrets do not belong into this file: put it into a variable of the environment, and the " \
    "variable's name here as key_env"

static const struct bad secrets[] = {
    {OPENAI "api_key: sk-hunter2\n", ":5: agents[0].api_key" SECRET},
    {OPENAI "API-Key: sk-hunter2\n", ":5: agents[0].API-Key" SECRET},
    {OPENAI "openai_token: hunter2\n", ":5: agents[0].openai_token" SECRET},
    {"password: hunter2\n", ":1: password" SECRET},
    {"users:\n  - {name: a, right: run, token: hunter2}\n", ":2: users[0].token" SECRET},
};

static void check_bad(struct room *room, const struct bad *what)
{
    struct str want = arena_printf(&room->arena, "tine.yaml%s", what->message);

    CHECK_FAULT(parse(room, what->text), FAULT_INVALID, &room->fault);
    assert_string_equal(room->fault.message, want.p);
    assert_null(strstr(room->fault.message, "hunter2"));
}

static void a_bad_file_is_told_where_and_why(void **state)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        check_bad(*state, &bad[i]);
}

static void a_secret_is_refused_and_not_shown(void **state)
{
    for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
        check_bad(*state, &secrets[i]);
}

/* `count` times the same, between a beginning and an end. */
static const char *many(struct room *room, const char *before, const char *piece, size_t count,
                        const char *after)
{
    size_t n = strlen(piece), first = strlen(before), last = strlen(after);
    char *text = arena_alloc(&room->arena, first + n * count + last + 1);

    memcpy(text, before, first);
    for (size_t i = 0; i < count; i++)
        memcpy(text + first + n * i, piece, n);
    memcpy(text + first + n * count, after, last);
    return text;
}

static void sizes_have_ceilings(void **state)
{
    struct room *room = *state;
    char entry[64], keys[4096] = "";
    size_t used = 0;

    check_bad(room, &(struct bad){many(room, "#", "x", CONFIG_FILE_BYTES, "\n"),
                                  ": has more than 1048576 bytes"});
    CHECK_OK(parse(room, many(room, "#", "x", CONFIG_FILE_BYTES - 2, "\n")), &room->fault);
    check_bad(room, &(struct bad){many(room, "[", "a,", 50000, "]\n"), ":1: too many values"});
    check_bad(room, &(struct bad){many(room, "", "[", 400000, "\n"), ":1: nested too deep"});
    check_bad(room, &(struct bad){many(room, "", "- ", 400000, "\n"), ":1: nested too deep"});
    for (int i = 0; i <= 100; i++)
        used += (size_t)snprintf(keys + used, sizeof(keys) - used, "k%d: v\n", i);
    check_bad(room, &(struct bad){keys, ":101: too many keys"});
    check_bad(room, &(struct bad){many(room, "hosts: [", "a,", 65, "]\n"),
                                  ":1: hosts: has too many entries: the limit is 64"});
    snprintf(entry, sizeof(entry), "{name: a/b, kind: shell},");
    check_bad(room, &(struct bad){many(room, "agents: [", entry, 257, "]\n"),
                                  ":1: agents: has too many entries: the limit is 256"});
    check_bad(room, &(struct bad){many(room, "listen: ", "1", 1025, "\n"),
                                  ":1: listen: is too long: the limit is 1024 bytes"});
    check_bad(room, &(struct bad){many(room, OPENAI "prompt: ", "x", 128 * 1024 + 1, "\n"),
                                  ":5: agents[0].prompt: is too long: the limit is 131072 bytes"});
    CHECK_OK(parse(room, many(room, OPENAI "prompt: ", "x", 128 * 1024, "\n")), &room->fault);
    check_bad(room, &(struct bad){many(room, "users: [{right: run, name: ", "u", 129, "}]\n"),
                                  ":1: users[0].name: is too long: the limit is 128 bytes"});
}

/* ---- files ---- */

static void files_are_found_and_read(void **state)
{
    char dir[] = "/tmp/tine-config-XXXXXX";
    struct room *room = *state;
    struct str path;
    FILE *file;

    assert_non_null(mkdtemp(dir));
    path = arena_printf(&room->arena, "%s/tine.yaml", dir);
    unsetenv("TINE_CONFIG");
    assert_null(config_find(NULL, dir, &room->arena));
    assert_null(config_find(NULL, NULL, &room->arena));
    CHECK_FAULT(config_read(path.p, &room->arena, &room->config, &room->fault), FAULT_NOT_FOUND,
                &room->fault);
    assert_non_null(strstr(room->fault.message, path.p));
    file = fopen(path.p, "w");
    assert_non_null(file);
    fputs("log: json\n", file);
    fclose(file);
    assert_string_equal(config_find(NULL, dir, &room->arena), path.p);
    setenv("TINE_CONFIG", "/elsewhere.yaml", 1);
    assert_string_equal(config_find(NULL, dir, &room->arena), "/elsewhere.yaml");
    assert_string_equal(config_find("/given.yaml", dir, &room->arena), "/given.yaml");
    setenv("TINE_CONFIG", "", 1);
    assert_string_equal(config_find(NULL, dir, &room->arena), path.p);
    unsetenv("TINE_CONFIG");
    CHECK_OK(config_read(path.p, &room->arena, &room->config, &room->fault), &room->fault);
    assert_string_equal(room->config.log, "json");
    assert_string_equal(room->config.path, path.p);
    CHECK_FAULT(config_read(dir, &room->arena, &room->config, &room->fault), FAULT_IO,
                &room->fault);
    assert_int_equal(unlink(path.p), 0);
    assert_int_equal(mkfifo(path.p, 0600), 0);
    CHECK_FAULT(config_read(path.p, &room->arena, &room->config, &room->fault), FAULT_IO,
                &room->fault);
    assert_int_equal(unlink(path.p), 0);
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_agent_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_a_configuration, set_up, tear_down),
        cmocka_unit_test_setup_teardown(prices_are_exact, set_up, tear_down),
        cmocka_unit_test(loopback_is_known),
        cmocka_unit_test_setup_teardown(a_bad_file_is_told_where_and_why, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_secret_is_refused_and_not_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sizes_have_ceilings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_are_found_and_read, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
