"""The chat: what is said, how it looks, how it comes in, and the line that says how things are."""
import sys
import time

import looks
from home import Home
from tap import Tap
from terminal import Tmux, run

CALM = 1.2  # seconds after which a box that opened unasked takes letters

tmux = Tmux()
home = Home()

MARKDOWN = """# A heading

Some **bold** words, some *slanted* ones, `a bit of code` and ~~an error~~.

- the first point
- the second point
  - one below it

1. one
2. two

> What somebody else said.

```c
int main(void)
{
    return 0;
}
```

| name | wide | number |
|:-----|:----:|-------:|
| one  | 日本 |      1 |
| two  | é👍  |     22 |

See [the page](https://example.org/page).
"""


def shows_a_conversation(tap):
    home.talk()
    chat = home.chat(tmux, "talk")
    chat.wait_for(tap, "Answer number 3.", "the newest message is seen")
    screen = chat.settled()
    tap.check("A talk about trains" in screen.split("\n")[0], "the title stands at the top", screen)
    tap.check("test/echo" in screen and "ready" in screen, "the agent and its state are there")
    tap.check("6 messages" in screen, "and how many messages there are")
    tap.check("/help" in screen, "and how to get help")
    tap.kept("chat", screen, "the screen of a conversation")
    chat.close()


def lays_out_markdown(tap):
    home.new("markdown", "Everything of markdown")
    home.store("markdown", "Show me what you can do.", MARKDOWN)
    chat = home.chat(tmux, "markdown", rows=50)
    chat.wait_for(tap, "the page", "markdown is shown to its end")
    screen = chat.settled()
    tap.check("**" not in screen and "~~" not in screen, "its signs are not", screen)
    tap.kept("markdown", screen, "the screen of markdown")
    tap.check(chat.look_at("bold words").has("bold"), "bold is bold")
    tap.check(chat.look_at("slanted").has("italic"), "emphasis is italic")
    tap.check(chat.look_at("an error").has("dim"), "what was struck out stands back")
    tap.check(chat.look_at("int main").fore is not None, "code has its own colour")
    edges = [[at for at, cell in enumerate(columns(row)) if cell == "│"]
             for row in chat.looks() if "日本" in looks.text_of(row) or "22" in looks.text_of(row)]
    tap.check(len(edges) == 2 and edges[0] == edges[1] and len(edges[0]) >= 2,
              "a table with wide letters and emoji has straight edges", edges, screen)
    chat.close()


def columns(row):
    """The characters of a row, by column."""
    out = []
    for text, width, _ in row:
        out += [text] + [""] * (width - 1)
    return out


def measures_letters(tap):
    """Letters of all widths, and the column of what stands behind them."""
    home.new("wide", "Widths")
    words = ["ab", "日本", "e\u0301a\u0300", "👍", "👨‍👩‍👧", "🇩🇪", "ﷺ", "한국어", "नमस्ते", "ไทย", "\u200bx", "❤️"]
    home.store("wide", "go", "\n".join(f"- {word}\tEND{n}" for n, word in enumerate(words)),
               "table", "| a | b |\n|---|---|\n" +
               "\n".join(f"| {word} | END{n} |" for n, word in enumerate(words)))
    chat = home.chat(tmux, "wide", rows=50)
    chat.wait_for(tap, f"END{len(words) - 1}", "text in many scripts is shown")
    chat.settled()
    columns = {word: chat.column_of(f"END{n} ") for n, word in enumerate(words)}
    tap.same(len(set(columns.values())), 1,
             f"what follows in a table stands in one column: {columns}")
    tap.kept("widths", chat.screen(), "the screen of them")
    chat.close()


def folds_tool_calls(tap):
    home.new("tools", "With tools", "test/tools")
    chat = home.chat(tmux, "tools")
    chat.wait_for(tap, "test/tools", "a session with tools opens")
    chat.say("what is here?")
    chat.wait_for(tap, "There are three files.", "the agent answers")
    chat.wait_for(tap, "ready", "and its turn ends")
    screen = chat.settled()
    tap.check("bash" in screen and "ls -l" in screen, "a tool call is one line", screen)
    tap.check("b.txt" not in screen, "its result is folded", screen)
    tap.check("1234 tokens" in screen and "cost 0.25" in screen, "tokens and cost are told", screen)
    tap.kept("tools-folded", screen, "the screen with folded tool calls")
    chat.keys("Tab")
    chat.wait_for(tap, "b.txt", "Tab opens them")
    tap.kept("tools-open", chat.settled(), "the screen with open tool calls")
    faint = chat.look_at("Let me look")
    plain = chat.look_at("There are")
    tap.check(faint is not None and faint != plain and (faint.has("dim") or faint.fore is not None),
              "reasoning is dimmed", faint, plain)
    chat.keys("Tab")
    chat.wait_gone(tap, "b.txt", "Tab folds them again")
    home.tine("fork", "tools", "--id", "tools-fork", "--title", "A fork with tools")
    chat.say("/sessions")
    chat.until("A fork with tools")
    chat.type("fork with")
    chat.until(lambda screen: "With tools " not in screen)
    chat.keys("Enter")
    chat.wait_for(tap, "0 +1234 inherited tokens · cost 0 +0.2500",
                  "a fork tells what it inherited")
    tap.check("“With tools” at message 4" in chat.screen().split("\n")[0], "and where it began",
              *chat.framed())
    chat.say("and again?")
    chat.wait_for(tap, "1234 +1234 inherited", "and what is its own")
    chat.close()


def streams(tap):
    home.new("stream", "A long answer", "test/stream")
    chat = home.chat(tmux, "stream")
    chat.wait_for(tap, "test/stream", "the session opens")
    chat.say("tell me everything")
    chat.wait_for(tap, "Line 2 of the answer", "the answer is seen as it comes")
    tap.check("Line 30" not in chat.screen(), "before it is whole")
    broken = ""
    end = time.monotonic() + 12
    while time.monotonic() < end:
        screen = chat.screen()
        if "A long answer" not in screen.split("\n")[0] or "test/stream" not in screen:
            broken = screen
        if "ready" in screen:
            break
    tap.check(not broken, "nothing else flickers meanwhile", broken)
    chat.wait_for(tap, "Line 30 of the answer", "its end is seen")
    chat.wait_for(tap, "ready", "the turn has ended")
    tap.same(chat.settled().count("Line 30 of the answer"), 1, "and it stands there once")
    chat.close()


def tells_of_failure(tap):
    home.new("fail", "It fails", "test/fail")
    chat = home.chat(tmux, "fail")
    chat.wait_for(tap, "test/fail", "the session opens")
    chat.say("please")
    chat.wait_for(tap, "failed", "a turn that fails says so")
    chat.wait_for(tap, "the model is out", "and why")
    time.sleep(1)
    tap.check("the model is out" in chat.screen(), "it stays", chat.screen())
    chat.close()


def answers_questions(tap):
    home.new("asks", "It asks", "test/asks")
    chat = home.chat(tmux, "asks")
    chat.wait_for(tap, "test/asks", "the session opens")
    chat.say("paint the shed")
    chat.wait_for(tap, "Which colour?", "what the agent asks is shown")
    tap.kept("question", chat.settled(), "the screen of a question")
    chat.keys("Escape")
    chat.wait_gone(tap, "Which colour?", "it can wait")
    tap.check("BACKTRACK" not in chat.screen(), "Esc does not step back meanwhile")
    chat.keys("Escape")
    chat.wait_for(tap, "Which colour?", "Esc asks again")
    chat.say("green")
    chat.wait_for(tap, "ready", "the turn goes on with the answer")
    tap.check(any(text == "green" for _, text in home.texts("asks")), "which the agent was told",
              home.texts("asks"))
    chat.close()


def waits_its_turn(tap):
    home.new("busy", "Busy", "test/wait")
    chat = home.chat(tmux, "busy")
    chat.wait_for(tap, "test/wait", "the session opens")
    chat.say("first")
    chat.wait_for(tap, "thinking about it", "a turn runs")
    chat.say("second")
    chat.wait_for(tap, "A turn is running", "a message meanwhile is asked about")
    tap.kept("busy", chat.settled(), "the screen of that question")
    chat.type("n")
    chat.wait_for(tap, lambda screen: "A turn is running" not in screen and
                  "second" in screen.split("\n")[chat.cursor()[1]], "not now: it is kept")
    chat.keys("Enter")
    chat.until("A turn is running")
    chat.type("s")
    chat.wait_for(tap, lambda screen: screen.count("thinking about it") == 2 and
                  "second" in screen, "stop: the turn ends and the message is sent")
    chat.keys("C-c")
    chat.wait_for(tap, "Stop the turn?", "Ctrl-C offers to stop, too")
    chat.type("s")
    chat.wait_for(tap, "stopped", "and does")
    tap.same([text for role, text in home.texts("busy") if role == "user"], ["first", "second"],
             "each message was sent once")
    chat.close()


def waits_in_its_own_session(tap):
    home.new("patient", "Patient", "test/stream")
    chat = home.chat(tmux, "patient")
    chat.wait_for(tap, "test/stream", "the session opens")
    chat.say("first")
    chat.wait_for(tap, "Line 1 of the answer", "a turn runs")
    chat.say("second")
    chat.until("A turn is running")
    chat.type("w")
    chat.wait_gone(tap, "A turn is running", "a message waits for its end")
    chat.keys("C-n")
    chat.wait_for(tap, "Start a conversation", "another conversation begins meanwhile")
    chat.say("hello elsewhere")
    chat.wait_for(tap, "2 messages", "there nothing waits")
    chat.keys("Escape")
    chat.wait_for(tap, "BACKTRACK MODE", "and Esc steps back")
    tap.check(until(lambda: [text for role, text in home.texts("patient") if role == "user"] ==
                    ["first", "second"]), "the message that waited went where it was written",
              home.texts("patient"))
    home.tine("cancel", "patient")
    chat.close()


def until(true, seconds=10):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return true()


def permits_tools(tap):
    home.new("permit", "It wants a yes", "test/permit")
    home.call("PATCH", "//docker-agent/api/sessions/permit/permissions",
              {"permissions": {"ask": ["bash"]}})
    chat = home.chat(tmux, "permit")
    chat.wait_for(tap, "test/permit", "the session opens")
    chat.say("tidy up")
    chat.wait_for(tap, "May the agent use bash?", "a tool that needs a yes is asked for")
    tap.check("rm -r build" in chat.settled(), "with what it would do", chat.screen())
    tap.kept("permit", chat.screen(), "the screen of that question")
    time.sleep(CALM)
    chat.type("n")
    chat.wait_for(tap, "That was that.", "the turn goes on after a no")
    tap.check("said no" in home.shown("permit"), "which the agent was told")
    chat.say("once more")
    chat.wait_for(tap, "May the agent use bash?", "the next time it is asked again")
    chat.type("tests")
    chat.wait_for(tap, "› tests",
                  "what is being written when it opens is no answer")
    chat.keys("Enter")
    time.sleep(CALM)
    tap.check("May the agent use bash?" in chat.screen(), "nor is an Enter", chat.screen())
    chat.type("t")
    chat.wait_gone(tap, "May the agent use bash?", "a yes for the tool from now on")
    chat.wait_for(tap, "ready", "lets the turn go on")
    chat.say("and again")
    chat.wait_for(tap, lambda screen: "and again" in screen and "ready" in screen,
                  "then nothing is asked any more")
    tap.check("May the agent" not in chat.settled(), "by the agent")
    chat.close()


def answered_elsewhere(tap):
    home.new("elsewhere", "Asked twice", "test/asks")
    chat = home.chat(tmux, "elsewhere")
    chat.wait_for(tap, "test/asks", "the session opens")
    chat.say("paint the fence")
    chat.wait_for(tap, "Which colour?", "the question is shown")
    home.tine("answer", "elsewhere", "yes", "white")
    chat.wait_gone(tap, "Which colour?", "somebody else answers: the box goes away")
    chat.wait_for(tap, "ready", "and the turn goes on")
    chat.close()


def begins_a_conversation(tap):
    empty = Home()
    chat = empty.chat(tmux)
    chat.wait_for(tap, "Start a conversation", "an empty home greets")
    tap.kept("greeting", chat.settled(), "the screen of an empty home")
    chat.keys("Escape")
    chat.wait_for(tap, "nothing to go back to", "Esc says that there is nothing to go back to")
    tap.check("BACKTRACK" not in chat.screen(), "and does not step back")
    chat.say("hello there")
    chat.wait_for(tap, "2 messages", "the first message makes a session, which is answered")
    tap.same(empty.texts(empty.newest()), [("user", "hello there"), ("assistant", "hello there")],
             "it has both messages")
    tap.check("hello there" in chat.screen().split("\n")[0], "and a title")
    chat.close()
    chat = empty.chat(tmux)
    chat.wait_for(tap, "hello there", "without a name the newest session is opened")
    chat.close()
    empty.stop()


def finds_sessions_by_name(tap):
    chat = home.chat(tmux, "A talk about trains")
    chat.wait_for(tap, "Answer number 3.", "a session is found by its title")
    chat.close()
    chat = home.chat(tmux, "nosuch")
    chat.wait_end(tap, "one that is not there ends it")
    tap.same(chat.status(), 3, "with the exit code for that")
    tap.check("nosuch" in chat.everything() and not chat.alternate(), "and says so",
              chat.everything())
    chat.close()


def leaves(tap):
    for name, keys in (("Ctrl-D", ["C-d"]), ("Ctrl-C twice", ["C-c", "C-c"]), ("/quit", None)):
        chat = home.chat(tmux, "talk")
        chat.until("Answer number 3.")
        if keys:
            chat.keys(*keys, pause=0.1)
        else:
            chat.say("/quit")
        chat.wait_end(tap, f"{name} leaves")
        tap.same(chat.status(), 0, f"{name}: with exit code 0")
        chat.close()


if __name__ == "__main__":
    sys.exit(run(Tap(), [shows_a_conversation, lays_out_markdown, measures_letters,
                         folds_tool_calls, streams, waits_its_turn,
                         tells_of_failure, answers_questions, waits_in_its_own_session,
                         permits_tools, answered_elsewhere, begins_a_conversation, finds_sessions_by_name, leaves]))
