/* Agents, users, and requests that have no call of their own. */
#include "client/errand.h"

/* "/agents/{ns}/{name}" */
static void agent_path(struct errand *errand, const char *agent)
{
    const char *slash = agent ? strchr(agent, '/') : NULL;
    char space[256];

    path_add(&errand->path, "/agents");
    if (!slash || (size_t)(slash - agent) >= sizeof(space)) {
        errand->path.wrong = true;
        return;
    }
    memcpy(space, agent, (size_t)(slash - agent));
    space[slash - agent] = '\0';
    path_word(&errand->path, space);
    path_word(&errand->path, slash + 1);
}

bool tine_agents(struct tine *tine, struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin(&errand, tine, "GET", error);
    path_add(&errand.path, "/agents");
    return errand_end(&errand, REPLY_MEMBERS, out);
}

bool tine_agent(struct tine *tine, const char *agent, struct tine_result **out,
                struct tine_error *error)
{
    struct errand errand;

    errand_begin(&errand, tine, "GET", error);
    agent_path(&errand, agent);
    return errand_end(&errand, REPLY_AGENT, out);
}

bool tine_agent_put(struct tine *tine, const char *agent, const char *json,
                    struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin(&errand, tine, "PUT", error);
    agent_path(&errand, agent);
    errand.transfer.body = str_of(json ? json : "{}");
    return errand_end(&errand, REPLY_AGENT, out);
}

bool tine_agent_delete(struct tine *tine, const char *agent, struct tine_error *error)
{
    struct errand errand;

    errand_begin(&errand, tine, "DELETE", error);
    agent_path(&errand, agent);
    return errand_end(&errand, REPLY_MEMBERS, NULL);
}

bool tine_me(struct tine *tine, struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin(&errand, tine, "GET", error);
    path_add(&errand.path, "/me");
    return errand_end(&errand, REPLY_ME, out);
}

bool tine_request(struct tine *tine, const char *method, const char *path, const char *body,
                  struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin(&errand, tine, method, error);
    errand.path.wrong = !path || *path != '/' || !method || !*method;
    path_add(&errand.path, path ? path : "");
    errand.transfer.body = body ? str_of(body) : STR_NONE;
    errand.transfer.endless = true;
    return errand_end(&errand, REPLY_NOTHING, out);
}
