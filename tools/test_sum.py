#!/usr/bin/env python3
"""Sums up what tools/test.sh ran: the failures with their output, what was skipped and why,
and a last line `N passed, M failed`. Exit 1 when something failed or nothing passed.

    test_sum.py [check NAME ok|failed LOG | meson DIR TESTLOG_JSON -]...

Every TAP result of a test counts by itself. A test that ends badly without a `not ok` (a crash,
a leak, a time-out, fewer results than planned, none at all) counts as one failure more.
"""
import json
import os
import re
import sys

LOG_LINES = 80  # of the output of a failed test, the last so many are shown

RESULT = re.compile(r"^(not )?ok\b\s*(\d+)?\s*(?:- )?([^#]*)(?:#\s*(\S+)\s*(.*))?$")
PLAN = re.compile(r"^1\.\.(\d+)\s*(?:#\s*skip\S*\s*(.*))?$", re.I)


class Summary:
    def __init__(self):
        self.passed = 0
        self.failed = []   # (name, output)
        self.skipped = []  # (name, reason)

    def add_check(self, name, verdict, log):
        if verdict == "ok":
            self.passed += 1
        else:
            with open(log, errors="replace") as file:
                self.failed.append((name, file.read()))

    def add_meson(self, directory, log):
        if not os.path.exists(log):
            self.failed.append((f"tests in {directory}", "meson wrote no results\n"))
            return
        with open(log, errors="replace") as file:
            for line in file:
                self.add_program(directory, json.loads(line))

    def add_program(self, directory, test):
        """One test program or script with its TAP output."""
        name = f"{directory}: {test['name'].split(' / ')[-1]}"
        seen, failed, planned = 0, [], None
        for line in (test.get("stdout") or "").splitlines():
            plan, result = PLAN.match(line), RESULT.match(line)
            if plan:
                planned = int(plan[1])
                if planned == 0 and not seen:
                    self.skipped.append((name, plan[2] or "no reason given"))
            elif result:
                seen += 1
                bad, _, what, directive, reason = result.groups()
                what = what.strip()
                if directive and directive.lower().startswith("skip"):
                    # cmocka writes the name of the test where the reason should be
                    self.skipped.append((f"{name}: {what}" if what else name, reason))
                elif bad and not (directive and directive.lower() == "todo"):
                    failed.append(what)
                else:
                    self.passed += 1

        if not failed:
            ending = self.bad_ending(test, seen, planned)
            if ending:
                failed.append(ending)
        output = (test.get("stdout") or "") + (test.get("stderr") or "")
        for i, what in enumerate(failed):
            self.failed.append((f"{name}: {what}", output if i == len(failed) - 1 else ""))

    @staticmethod
    def bad_ending(test, seen, planned):
        """Why the program counts as failed although no result of it did; or None.
        (To meson the `not ok # SKIP` of cmocka is a failure; to us it is not.)"""
        if test["result"] == "TIMEOUT":
            return "took too long and was stopped"
        if test["returncode"]:
            return f"ended with status {test['returncode']}"
        if test["result"] not in ("OK", "SKIP") and seen != planned:
            return f"ended badly ({test['result']}); {seen} results, {planned} planned"
        if not seen and planned != 0:
            return "reported no results"
        return None

    def write(self):
        for name, output in self.failed:
            print(f"\nFAILED {name}")
            lines = output.splitlines()
            if len(lines) > LOG_LINES:
                print(f"  ... ({len(lines) - LOG_LINES} lines before)")
            for line in lines[-LOG_LINES:]:
                print(f"  {line}")
        if self.skipped:
            print("\nskipped:")
            for name, reason in self.skipped:
                print(f"  {name}: {reason}")
        print(f"\n{self.passed} passed, {len(self.failed)} failed")


def main(arguments):
    summary = Summary()
    for i in range(0, len(arguments), 4):
        kind, name, third, fourth = arguments[i:i + 4]
        if kind == "check":
            summary.add_check(name, third, fourth)
        else:
            summary.add_meson(name, third)
    summary.write()
    return 1 if summary.failed or not summary.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
