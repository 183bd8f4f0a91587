#include "cli/demo_steps.h"

#include <stddef.h>

static const char first_turn[] =
    "{\"messages\":[\n"
    " {\"role\":\"system\",\"text\":\"You help with a web shop written in Python.\"},\n"
    " {\"id\":\"ask\",\"text\":\"Importing customers.csv takes 40 seconds. Where does the time "
    "go?\"},\n"
    " {\"role\":\"assistant\",\"parts\":[\n"
    "  {\"type\":\"text\",\"text\":\"I will measure it first.\"},\n"
    "  {\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"bash\",\n"
    "   \"arguments\":{\"command\":\"python -m cProfile -s cumtime import.py | head -4\"}}],\n"
    "  \"usage\":{\"input_tokens\":812,\"output_tokens\":64,\"cost\":0.00396}},\n"
    " {\"role\":\"tool\",\"parts\":[{\"type\":\"tool_result\",\"call\":\"c1\",\"error\":false,\n"
    "  \"output\":\"  50000  37.9 s  connection.commit\\n  50000   1.2 s  cursor.execute\\n"
    "      1   0.4 s  csv.reader\"}]},\n"
    " {\"role\":\"assistant\",\"id\":\"diagnosis\",\"text\":\"Nearly all of it is commit: each of "
    "the "
    "50,000 rows has a transaction of its own, and each waits for the disk. I see two ways: one "
    "transaction around the loop, or loading the whole file in bulk.\",\n"
    "  \"usage\":{\"input_tokens\":1044,\"output_tokens\":118,\"cost\":0.0054}}]}";

static const char bulk_turn[] =
    "{\"messages\":[\n"
    " {\"text\":\"Try loading in bulk.\"},\n"
    " {\"role\":\"assistant\",\"text\":\"I load the file into a staging table with COPY and insert "
    "from there: 0.6 seconds. Rows that break a rule can be listed before anything is "
    "inserted.\",\n"
    "  \"usage\":{\"input_tokens\":1203,\"output_tokens\":121,\"cost\":0.0056}},\n"
    " {\"text\":\"What happens to the bad rows?\"},\n"
    " {\"role\":\"assistant\",\"text\":\"They stay in staging with the reason beside them, and the "
    "others go in. 17 of 50,000 are bad: all have no e-mail address.\",\n"
    "  \"usage\":{\"input_tokens\":1391,\"output_tokens\":88,\"cost\":0.0055}}]}";

const struct demo_step demo_steps[] = {
    {.say = "A session is made, and a first turn is stored: question, tool call, result, answer.",
     .words = {"new", "--id", DEMO_ROOT, "--title", "Speed up the import"}},
    {.input = first_turn, .words = {"send", DEMO_ROOT, "--no-run", "--input", "-"}},
    {.say = "A label marks the answer that everything else starts from.",
     .words = {"label", DEMO_ROOT, "-1", "diagnosis"}},
    {.say = "Two ideas, two forks. A fork is two small rows, however long the conversation is.",
     .words = {"fork", DEMO_ROOT, "--after", "@diagnosis", "--id", "demo-transaction", "--title",
               "One transaction"}},
    {.words = {"send", "demo-transaction", "--no-run", "One transaction around the loop, please."}},
    {.words = {"send", "demo-transaction", "--no-run", "--role", "assistant",
               "Done, and it takes 1.9 seconds. If one row is bad, the whole file is taken back."}},
    {.words = {"fork", DEMO_ROOT, "--after", "@diagnosis", "--id", "demo-bulk", "--title",
               "Load in bulk"}},
    {.input = bulk_turn, .words = {"send", "demo-bulk", "--no-run", "--input", "-"}},
    {.say = "A fork can be forked, here before the question about bad rows.",
     .words = {"fork", "demo-bulk", "--before", "#6", "--id", "demo-strict"}},
    {.words = {"send", "demo-strict", "--no-run",
               "Refuse the file when more than one row in a hundred is bad."}},
    {.words = {"send", "demo-strict", "--no-run", "--role", "assistant",
               "Done: above 1 % nothing is inserted, and the error lists the bad rows."}},
    {.only_tour = true, .words = {"tree", DEMO_ROOT}},
    {.say = "Meanwhile the first session goes astray.",
     .words = {"send", DEMO_ROOT, "--no-run", "Would an index on the e-mail column help?"}},
    {.words = {"send", DEMO_ROOT, "--no-run", "--role", "assistant",
               "I added one. The import now takes 46 seconds: an index is work for each row."}},
    {.say = "So it is rewound. Nothing is lost: undo brings the detour back, redo takes it away.",
     .words = {"rewind", DEMO_ROOT, "--after", "@diagnosis"}},
    {.words = {"undo", DEMO_ROOT}},
    {.only_tour = true, .words = {"show", DEMO_ROOT, "--tail", "2"}},
    {.words = {"redo", DEMO_ROOT}},
    {.say =
         "Bulk loading wins, and the first session adopts it: one act, one undo to take it back.",
     .words = {"label", "demo-bulk", "-1", "winner"}},
    {.words = {"adopt", DEMO_ROOT, "demo-bulk"}},
    {.say = "The whole family, with what was rewound away:",
     .only_tour = true,
     .words = {"tree", DEMO_ROOT, "--rewound"}},
    {.say = "Everything that was done to the first session is in its log,",
     .only_tour = true,
     .words = {"log", DEMO_ROOT}},
    {.say = "and search finds words in every branch, also in what was rewound away.",
     .only_tour = true,
     .words = {"search", "index"}},
    {.say = NULL},
};
