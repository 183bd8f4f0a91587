"""Backtrack mode: entered, stepped through, left, and forked from."""
import sys
import time

from backtrack_flows import BANNER, HINT, KEYS, at, chatting, marked
from home import Home
from tap import Tap
from terminal import Tmux, run

tmux = Tmux()
home = Home()
LONG = 1.1  # seconds between two keys that are no run: more than 800 ms
HELD = 1.6  # … behind two that came as one, which may have been held back


def opened(tap, name, **more):
    if name not in home.sessions():
        home.talk(name, f"About {name}")
    chat = home.chat(tmux, name, **more)
    chat.wait_for(tap, lambda screen: "Answer number 3." in screen and "ready" in screen,
                  f"{name} is open")
    return chat


def enter(tap, chat, newest=6):
    chat.keys("Escape")
    chat.wait_for(tap, at(newest), "one Esc with an empty composer enters, at the newest message")
    time.sleep(LONG)


def enters(tap):
    chat = opened(tap, "enter")
    chat.keys("Escape")
    chat.wait_for(tap, BANNER, "Esc with an empty composer enters")
    screen = chat.settled()
    tap.check(HINT in screen, "the banner says what keys do", screen)
    tap.check(KEYS in screen, "and so does the line of keys", screen)
    tap.check("You (message 1)" in screen and "Assistant (message 2)" in screen,
              "messages are headed with their number", screen)
    tap.same(marked(screen), 6, "the newest is in the box")
    tap.check("← FORK POINT" in screen, "which is marked as the fork point")
    tap.check(all(word in screen for word in ("a: ", "r: Rewind", "d: Diff", "Tab: ")),
              "further keys are named", screen)
    tap.kept("backtrack", screen, "the screen of backtrack mode")
    bright = chat.look_at("Answer number 2.")
    time.sleep(LONG)
    chat.keys("Escape")
    chat.wait_for(tap, at(5), "a further Esc steps to the older message")
    time.sleep(LONG)
    chat.keys("Escape")
    chat.wait_for(tap, at(4), "and one more")
    chat.settled()
    here, behind = chat.look_at("Answer number 2."), chat.look_at("Answer number 3.")
    tap.check(behind is not None and behind != here and (behind.has("dim") or behind.fore != here.fore),
              "what stands behind the marked message is dimmed", here, behind)
    tap.same(chat.look_at("Answer number 1."), bright, "what stands before it is not")
    tap.kept("backtrack-stepped", chat.screen(), "the screen two steps back")
    chat.close()


def stays_out(tap):
    chat = opened(tap, "text")
    chat.type("some text")
    chat.until("some text")
    chat.keys("Escape")
    chat.wait_gone(tap, "some text", "with text in the composer Esc clears it")
    chat.never(tap, BANNER, 0.5, "and does not enter")
    chat.close()

    home.new("empty", "Nothing yet")
    chat = home.chat(tmux, "empty")
    chat.wait_for(tap, "Nothing yet", "an empty session is open")
    chat.keys("Escape")
    chat.wait_for(tap, "nothing to go back to", "Esc says that there is nothing to go back to")
    tap.check(BANNER not in chat.screen(), "and does not enter")
    chat.close()


def offers_to_stop(tap):
    home.talk("running", "A turn runs", "test/wait", pairs=1)
    before = home.sessions()
    chat = home.chat(tmux, "running")
    chat.wait_for(tap, "Answer number 1.", "the session is open")
    chat.say("think")
    chat.wait_for(tap, "thinking about it", "a turn runs")
    chat.keys("Escape")
    chat.wait_for(tap, "Stop the turn?", "Esc offers to stop it")
    tap.check(BANNER not in chat.screen(), "and does not enter")
    tap.kept("stop", chat.settled(), "the screen of that question")
    chat.type("n")
    chat.wait_gone(tap, "Stop the turn?", "it can go on")
    tap.check("answering" in chat.settled(), "and does", chat.screen())
    chat.keys("Escape")
    chat.wait_for(tap, "Stop the turn?", "Esc offers it again")
    chat.keys("Escape")
    chat.wait_gone(tap, "Stop the turn?", "a further Esc takes the question away")
    tap.check(BANNER not in chat.settled() and "answering" in chat.screen(), "and nothing else",
              chat.screen())
    chat.keys("Escape", "Escape", "Escape")
    chat.settled()
    tap.check(BANNER not in chat.screen(), "three Escs do not enter, either", chat.screen())
    if "Stop the turn?" not in chat.screen():
        chat.keys("Escape")
    chat.wait_for(tap, "Stop the turn?", "it is asked")
    chat.type("s")
    chat.wait_for(tap, "stopped", "s stops the turn")
    chat.wait_for(tap, "thinking about it", "what was said stays")
    tap.same(home.sessions(), before, "no session was made")
    chat.close()


def steps(tap):
    chat = opened(tap, "steps")
    enter(tap, chat)
    place = 6
    for key, to in (("Up", 5), ("Left", 4), ("k", 3), ("Down", 4), ("Right", 5), ("j", 6),
                    ("Down", 6), ("Home", 1), ("Up", 1), ("k", 1), ("Left", 1), ("End", 6),
                    ("Escape", 5)):
        chat.keys(key)
        chat.wait_for(tap, at(to), f"{key} from message {place} leads to message {to}")
        place = to
    time.sleep(LONG)
    chat.keys("Home", "Tab")
    chat.wait_for(tap, at(1), "Tab at a message of the person stays there")
    chat.keys("j")
    chat.wait_for(tap, at(3), "then only messages of the person are stepped to")
    chat.keys("End")
    chat.wait_for(tap, at(5), "End is the last of them")
    chat.keys("Escape")
    chat.wait_for(tap, at(3), "Esc steps to the one before")
    tap.kept("backtrack-yours", chat.settled(), "the screen with messages of the person only")
    chat.keys("Tab", "j")
    chat.wait_for(tap, at(4), "Tab goes back to all messages")
    chat.keys("Tab")
    chat.wait_for(tap, at(3), "Tab at an answer leads to the question before it")
    chat.close()


def is_cancelled(tap):
    before = home.shown("steps")
    sessions = home.sessions()
    chat = opened(tap, "steps")
    enter(tap, chat)
    chat.keys("Home")
    chat.until(at(1))
    chat.keys("Escape")
    chat.wait_for(tap, chatting, "Esc at the oldest message cancels")
    for key in ("q", "C-c"):
        enter(tap, chat)
        chat.keys(key)
        chat.wait_for(tap, chatting, f"{key} cancels")
    time.sleep(LONG)
    chat.keys("Escape", "Escape", "Escape")
    time.sleep(0.3)
    chat.wait_for(tap, chatting, "three fast Escs, counted from the one that entered, cancel")
    time.sleep(LONG)
    chat.bytes(b"\x1b\x1b\x1b")
    time.sleep(0.3)
    chat.wait_for(tap, chatting, "also when they come in one piece")
    time.sleep(LONG)
    for pause in (0.2, 0.5):
        chat.keys("Escape", pause=pause)
        chat.keys("Escape", pause=pause)
        chat.wait_for(tap, at(5), f"two Escs {int(pause * 1000)} ms apart step back")
        chat.keys("Escape")
        chat.wait_for(tap, chatting, "the third one cancels")
        time.sleep(LONG)
    chat.keys("Escape", "Escape")
    chat.wait_for(tap, at(5), "two fast Escs enter and step back")
    time.sleep(HELD)
    chat.keys("Escape")
    chat.wait_for(tap, at(4), "a third one after more than 800 ms steps back instead")
    time.sleep(LONG)
    chat.keys("Escape")
    chat.wait_for(tap, at(3), "and so does a fourth")
    chat.keys("Up")
    chat.wait_for(tap, at(2), "another key ends the run")
    chat.keys("Escape")
    chat.wait_for(tap, at(1), "so that Esc steps again")
    chat.keys("q")
    chat.wait_for(tap, chatting, "q cancels")
    tap.same(home.shown("steps"), before, "the session is untouched, byte for byte")
    tap.same(home.sessions(), sessions, "and no session was made")
    chat.close()


def forks_after_an_answer(tap):
    chat = opened(tap, "answer")
    before = home.shown("answer")
    enter(tap, chat)
    chat.keys("Up", "Up")
    chat.wait_for(tap, at(4), "an answer is marked")
    chat.keys("Enter")
    chat.wait_for(tap, chatting, "Enter opens the fork")
    chat.wait_for(tap, "4 messages", "which has the messages up to the answer")
    screen = chat.settled()
    fork = home.newest()
    tap.check(fork != "answer", "it is a new session")
    tap.same(home.texts(fork), home.texts("answer")[:4], "with these messages")
    tap.check("About answer" in screen and "Question number 3?" not in screen,
              "a note says where it came from", screen)
    tap.kept("backtrack-forked", screen, "the screen after a fork")
    tap.same(home.shown("answer"), before, "the original is untouched, byte for byte")
    chat.say("another way")
    chat.wait_for(tap, "6 messages", "the fork goes on by itself")
    tap.same(home.shown("answer"), before, "and the original stays as it was")
    chat.close()


def forks_before_a_question(tap):
    chat = opened(tap, "question")
    before = home.shown("question")
    enter(tap, chat)
    chat.keys("Up")
    chat.wait_for(tap, at(5), "a message of the person is marked")
    chat.keys("Enter")
    chat.wait_for(tap, lambda screen: BANNER not in screen and "4 messages" in screen,
                  "Enter forks before it")
    chat.wait_for(tap, lambda screen: "Question number 3?" in screen.split("\n")[chat.cursor()[1]],
                  "its text is in the composer")
    tap.kept("backtrack-edit", chat.settled(), "the screen with the text to be edited")
    tap.same(home.texts(home.newest()), home.texts("question")[:4], "and not in the fork")
    chat.type(" Really?")
    chat.keys("Enter")
    chat.wait_for(tap, "6 messages", "it is sent when it was edited")
    tap.same(home.texts(home.newest())[4], ("user", "Question number 3? Really?"), "as edited")
    tap.same(home.shown("question"), before, "the original is untouched, byte for byte")
    chat.close()


def forks_before_the_first(tap):
    chat = opened(tap, "first")
    enter(tap, chat)
    chat.keys("Home")
    chat.wait_for(tap, at(1), "the first message is marked")
    chat.keys("Enter")
    chat.wait_for(tap, lambda screen: BANNER not in screen and
                  "Question number 1?" in screen.split("\n")[chat.cursor()[1]],
                  "a fork before the first message is empty, and its text is in the composer")
    tap.same(home.texts(home.newest()), [], "the fork has no message")
    chat.close()


def forks_after_anything(tap):
    chat = opened(tap, "anything")
    before = home.shown("anything")
    enter(tap, chat)
    chat.keys("Up")
    chat.wait_for(tap, at(5), "a message of the person is marked")
    chat.keys("a")
    chat.wait_for(tap, lambda screen: BANNER not in screen and "5 messages" in screen,
                  "a forks after it")
    tap.same(home.texts(home.newest()), home.texts("anything")[:5], "with it")
    chat.wait_for(tap, "say something", "and nothing in the composer")
    tap.same(home.shown("anything"), before, "the original is untouched, byte for byte")
    chat.close()


def shows_the_difference(tap):
    chat = opened(tap, "steps")
    before = home.shown("steps")
    enter(tap, chat)
    chat.keys("Up", "Up")
    chat.until(at(4))
    chat.keys("d")
    chat.wait_for(tap, "at message 4", "d shows what is different between there and now")
    screen = chat.settled()
    tap.check("Question number 3?" in screen and "Answer number 3." in screen,
              "with the messages that came since", screen)
    tap.kept("backtrack-diff", screen, "the screen of the difference")
    chat.keys("q")
    chat.wait_for(tap, at(4), "q leads back to the marked message")
    tap.same(home.shown("steps"), before, "nothing was done")
    chat.close()


def keeps_calls_whole(tap):
    """Between a tool call and its result is no place to begin: the one before is taken."""
    home.new("calls", "A call")
    home.store("calls", "Question number 3?",
               {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "bash",
                                                "arguments": {"command": "ls"}}]},
               {"role": "tool", "parts": [{"type": "tool_result", "call": "c1", "output": "a"}]},
               {"role": "assistant", "text": "Answer number 3."})
    chat = opened(tap, "calls")
    enter(tap, chat, 4)
    chat.keys("Up", "Up")
    chat.wait_for(tap, at(2), "the call is marked")
    chat.keys("Enter")
    chat.wait_for(tap, lambda screen: BANNER not in screen and "1 message" in screen,
                  "a fork there has what stands before the call")
    tap.check("tool call" in chat.settled(), "and says so", *chat.framed())
    chat.close()


def opens_and_scrolls(tap):
    home.new("folded", "Folded")
    home.store("folded", "Question number 3?",
               {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "bash",
                                                "arguments": {"command": "ls"}}]},
               {"role": "tool", "parts": [{"type": "tool_result", "call": "c1",
                                           "output": "\n".join(f"file {n}" for n in range(40))}]},
               {"role": "assistant", "text": "Answer number 3."})
    chat = opened(tap, "folded")
    enter(tap, chat, 4)
    chat.keys("Up")
    chat.wait_for(tap, at(3), "a result is marked")
    tap.check("file 37" not in chat.screen(), "it is folded")
    chat.keys("o")
    chat.wait_for(tap, "file 37", "o opens it")
    chat.keys("PPage", "PPage")
    chat.wait_for(tap, "You (message 1)", "Page Up scrolls")
    chat.bytes("\x1b[<65;10;10M" * 12)
    chat.wait_gone(tap, "You (message 1)", "and so does the wheel")
    chat.keys("o")
    chat.wait_gone(tap, "file 37", "o folds it again")
    chat.close()


def leads_on_failure(tap):
    """A fork that cannot be made: the failure stays until it was read."""
    home.talk("gone", "About gone")
    chat = opened(tap, "gone")
    enter(tap, chat)
    home.tine("rm", "gone")
    chat.settled()
    if BANNER in chat.screen():
        chat.keys("Enter")
    chat.wait_for(tap, "✗", "a fork of a session that was deleted meanwhile fails")
    time.sleep(1)
    tap.check("✗" in chat.screen(), "the failure stays", *chat.framed())
    chat.keys("C-g")
    chat.wait_gone(tap, "✗", "until it was read")
    chat.close()


if __name__ == "__main__":
    sys.exit(run(Tap(), [enters, stays_out, offers_to_stop, steps, is_cancelled,
                         forks_after_an_answer, forks_before_a_question, forks_before_the_first,
                         forks_after_anything, shows_the_difference, keeps_calls_whole,
                         opens_and_scrolls, leads_on_failure]))
