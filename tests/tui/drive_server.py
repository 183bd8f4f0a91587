"""A server that goes away and comes back, and none at all."""
import sys
import time

from home import Home
from tap import Tap
from terminal import Tmux, run

tmux = Tmux()


def opened(tap, home, name="talk", **more):
    chat = home.chat(tmux, name, **more)
    chat.wait_for(tap, lambda screen: "Answer number 3." in screen and "ready" in screen,
                  "the session is open")
    return chat


def comes_back(tap, how, same_port):
    home = Home()
    home.talk()
    chat = opened(tap, home)
    port = home.port
    home.kill() if how == "kill" else home.stop()
    words = f"{how}, {'the same port' if same_port else 'another port'}"
    chat.wait_for(tap, "no server", f"{words}: it is told that the server is away")
    tap.check("Answer number 3." in chat.screen(), "what was seen is still there")
    if how == "kill" and same_port:
        tap.kept("server-away", chat.settled(), "the screen without a server")
    chat.type("typed meanwhile")
    chat.wait_for(tap, "typed meanwhile", "and typing works")
    home.start(port if same_port else 0)
    if not same_port:
        tap.check(home.port != port, "the server has another port")
    chat.wait_gone(tap, "no server", f"{words}: it is found again", 20)
    chat.until("ready", 20)
    chat.keys("Enter")
    chat.wait_for(tap, lambda screen: screen.count("typed meanwhile") == 2 and
                  "8 messages" in screen, "and what was typed can be sent", 20)
    home.tine("send", "talk", "--no-run", "said elsewhere")
    chat.wait_for(tap, "said elsewhere", "live updates go on", 20)
    tap.same(home.texts("talk").count(("user", "typed meanwhile")), 1, "nothing was sent twice")
    chat.close()
    home.stop()


def killed_same_port(tap):
    comes_back(tap, "kill", True)


def killed_other_port(tap):
    comes_back(tap, "kill", False)


def stopped_same_port(tap):
    comes_back(tap, "stop", True)


def stopped_other_port(tap):
    comes_back(tap, "stop", False)


def what_was_missed(tap):
    """What happened while nobody listened is there afterwards."""
    home = Home()
    home.talk()
    chat = opened(tap, home)
    home.kill()
    chat.wait_for(tap, "no server", "the server is away")
    home.tine("send", "talk", "--no-run", "said in the meantime")  # opens the home itself
    home.tine("rewind", "talk", "--after", "#1")
    home.tine("send", "talk", "--no-run", "and after that")
    home.start()
    chat.wait_for(tap, lambda screen: "and after that" in screen and "3 messages" in screen,
                  "what was done meanwhile is seen when it is back", 20)
    tap.check("Answer number 3." not in chat.settled(), "also what was taken back", chat.screen())
    chat.close()
    home.stop()


def in_the_middle_of_a_turn(tap):
    home = Home()
    home.talk(agent="test/stream")
    chat = opened(tap, home)
    chat.say("go on")
    chat.wait_for(tap, "Line 4 of the answer", "a turn runs")
    home.kill()
    chat.wait_for(tap, "no server", "the server dies in the middle of it")
    home.start()
    chat.wait_gone(tap, "no server", "it comes back", 20)
    chat.wait_for(tap, lambda screen: "failed" in screen or "stopped" in screen,
                  "the turn is told to have failed", 20)
    chat.say("and now")
    chat.wait_for(tap, lambda screen: "answering" in screen or "ready" in screen,
                  "and the next one can begin", 20)
    chat.close()
    home.stop()


def acts_without_a_server(tap):
    home = Home()
    home.talk()
    chat = opened(tap, home)
    home.kill()
    chat.wait_for(tap, "no server", "the server is away")
    chat.say("are you there?")
    chat.wait_for(tap, "✗", "a message that cannot be sent is a failure", 30)
    chat.wait_for(tap, lambda screen: "are you there?" in screen, "its text is not lost")
    time.sleep(1)
    tap.check("✗" in chat.screen(), "the failure stays", *chat.framed())
    chat.keys("C-g")
    chat.wait_gone(tap, "✗", "until it was read")
    chat.keys("C-c")
    chat.keys("C-d")
    chat.keys("C-d")
    chat.wait_end(tap, "it can be left")
    tap.same(chat.status(), 0, "with exit code 0")
    chat.close()


def inside(tap):
    """Without a server the program has one inside itself, which others find and which ends with it."""
    home = Home()
    home.talk()
    home.stop()
    chat = opened(tap, home)
    chat.say("anybody?")
    chat.wait_for(tap, "8 messages", "it answers without a server")
    tap.same(home.texts("talk")[-1], ("assistant", "anybody?"), "others see what it does")
    home.tine("send", "talk", "--no-run", "said elsewhere")
    chat.wait_for(tap, "said elsewhere", "and it sees what they do", 20)
    chat.keys("C-d")
    chat.wait_end(tap, "it ends")
    tap.same(chat.status(), 0, "with exit code 0")
    tap.same(len(home.texts("talk")), 9, "and everything is kept")
    chat.close()


def inside_streams(tap):
    home = Home()
    home.talk(agent="test/stream")
    home.stop()
    chat = opened(tap, home)
    chat.say("go on")
    chat.wait_for(tap, "Line 3 of the answer", "an answer streams from the server inside")
    chat.wait_for(tap, "ready", "to its end")
    chat.close()


if __name__ == "__main__":
    sys.exit(run(Tap(), [killed_same_port, killed_other_port, stopped_same_port, stopped_other_port,
                         what_was_missed, in_the_middle_of_a_turn, acts_without_a_server, inside,
                         inside_streams]))
