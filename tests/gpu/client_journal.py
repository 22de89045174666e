"""client_journal.py JOURNAL CALLER IN OUT VERDICT: what a client registered, and whether it went as expected.

CALLER: end of the caller's path; IN and OUT: flags; VERDICT: of the journal. There must be such a registration, and
all of CALLER's windows that asked for IN must be such. Any other window must be unchanged, or may have become strict
where OUT is. No copy of NCCL may be uncovered, no policy wrong, no record lost.
Prints equal records once, counted; status 1 says that they are not as expected.
"""
import collections
import json
import sys

STRICT = 2  # NCCL_WIN_STRICT_ORDERING
SHOWN = "nccl nranks size flags_in flags_out verdict why guard gin_connection warning result".split()


def main(path, caller, asked, given, verdict):
    with open(path) as lines:
        records = [json.loads(line) for line in lines]
    windows = [{**record, "caller": record["caller"] or "?"} for record in records if record["event"] == "register"]
    for line, count in collections.Counter(
            " ".join(f"{key}={window.get(key)}" for key in SHOWN) + f" caller={window['caller'].rsplit('/', 1)[-1]}"
            for window in windows).items():
        print(f"  {count} x {line}")
    troubles = [record for record in records if record["event"] in ("uncovered", "policy_error") or record.get("lost")]
    for record in troubles:
        print(f"  {record['event']}: {record.get('why') or record.get('message')} lost={record.get('lost')}")
    ours = [window for window in windows if window["caller"].endswith(caller) and window["flags_in"] == asked]
    outcomes = {(window["flags_out"], window["verdict"], window["result"]) for window in ours}
    others = [(window["flags_in"], window["flags_out"]) for window in windows if window not in ours]
    unchanged = all(after in (before, before | given & STRICT) for before, after in others)
    return 0 if outcomes == {(given, verdict, 0)} and unchanged and not troubles else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]))
