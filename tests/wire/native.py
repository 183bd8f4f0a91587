"""Every route of the native API, its faults, its pages, keys, streams and users."""
import os
import sys

from agents import agents
from config import CONFIG, USERS
from events import events
from faults import everywhere
from files import files, rights
from messages import messages, paging
from moves import family, moves
from once import once
from service import service
from sessions import listing, sessions
from turns import asking, streamed, turns
from users import users
from within import within
from wire import Client, Document, Server, Tap

for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY",
             "OLLAMA_HOST"):
    os.environ.pop(name, None)


def main():
    tap = Tap()
    tokens = {name: f"{name}-token-0123456789abcdef" for name in ("ana", "ben", "wilma", "guest")}
    server = Server(CONFIG)
    closed = Server(CONFIG + USERS, list(tokens.items()))
    try:
        document = Document(Client(server, tap).get("/openapi.json").body)
        c = Client(server, tap, document)
        people = {n: Client(closed, tap, document, token) for n, token in tokens.items()}
        sessions(tap, c)
        listing(tap, c)
        messages(tap, c)
        paging(tap, c)
        moves(tap, c)
        family(tap, c)
        within(tap, c)
        turns(tap, c)
        streamed(tap, c, document)
        asking(tap, c, document)
        once(tap, c)
        events(tap, c, document)
        agents(tap, c)
        files(tap, c, server)
        everywhere(tap, c, Client(closed, tap, document), people["guest"])
        users(tap, **people)
        rights(tap, people["ana"], people["ben"], people["guest"])
        service(tap, c, server)
        for name, status in document.unseen():
            tap.check(False, f"{name} with {status} stands in the document and was never seen")
        tap.check(not document.unseen(), "every route was seen with every status that the document names")
    finally:
        tap.same((server.stop(), closed.stop()), (0, 0), "the servers stop with success")
        server.clear()
        closed.clear()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
