"""Sends a bot into a meeting, waits until it is in, and shows who is there: ``send-bot.py URL``."""

import sys

from convoke import ApiError, Convoke

convoke = Convoke()
try:
    meeting = convoke.bots.start(platform="daily", meeting_url=sys.argv[1], bot_name="Notes")
except ApiError as error:
    sys.exit(f"{error} (trace {error.trace_id})")

subject = f"meeting:{meeting['id']}"
for event in convoke.events.stream(after=0, type="meeting.status_changed", subject=subject):
    print("status", event["data"]["to"], flush=True)
    if event["data"]["to"] in ("active", "completed", "failed"):
        break

for person in convoke.meetings.participants(meeting["id"], active=True)["items"]:
    print("there", person["user_name"])
print("meeting", meeting["id"])
