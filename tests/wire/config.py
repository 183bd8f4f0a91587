"""How the servers of these tests are configured: scripted agents, and users."""
import json

SCRIPTS = {
    "echo": [[{"echo": True}]],
    "talk": [[{"delta": "He"}, {"sleep_ms": 20}, {"delta": "llo"}, {"sleep_ms": 400}, {"echo": True}]],
    "wait": [[{"delta": "thinking"}, {"wait": True}]],
    "slow": [[{"delta": "a"}, {"sleep_ms": 400}, {"echo": True}]],
    "asks": [[{"delta": "hm"}, {"question": "which colour?"}, {"ask": {"tool": "bash"}}, {"echo": True}]],
    "fail": [[{"delta": "half"}, {"fail": "the model is out"}]],
    "tools": [[{"reasoning": "hm"},
               {"say": {"parts": [{"type": "tool_call", "id": "c1", "name": "bash",
                                   "arguments": {"command": "ls"}}]}},
               {"output": ["c1", "a.txt"]},
               {"say": {"role": "tool", "parts": [{"type": "tool_result", "call": "c1",
                                                   "output": "a.txt"}]}},
               {"say": {"text": "there is a.txt", "usage": {"input_tokens": 7, "output_tokens": 3,
                                                            "cost": 0.25}}}]],
}
CONFIG = "agents:\n"
for name, script in SCRIPTS.items():
    CONFIG += f"  - name: test/{name}\n    kind: scripted\n"
    CONFIG += f"    script: {json.dumps(json.dumps(script))}\n"
    CONFIG += "    default: true\n" if name == "echo" else ""
CONFIG += "  - {name: test/outside, kind: external}\n  - {name: test/shell, kind: shell}\nsandbox: off\n"
USERS = "users:\n  - {name: ana, right: admin}\n  - {name: ben, right: run}\n" \
        "  - {name: wilma, right: write}\n  - {name: guest, right: read}\n"
