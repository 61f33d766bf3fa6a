"""Follows what happens, over every restart of the server: ``events.py [AFTER]``."""

import sys

from convoke import Convoke

after = int(sys.argv[1]) if len(sys.argv) > 1 else None
for event in Convoke().events.stream(after=after):
    print(event["seq"], event["type"], event["subject"], flush=True)
