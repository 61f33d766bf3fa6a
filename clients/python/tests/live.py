"""Every call of the client against a real server, which CONVOKE_URL and the keys name."""

import os
import sys

from convoke import ApiError, Conflict, Convoke, Forbidden, NotFound, Unauthorized

convoke = Convoke()
admin = Convoke(admin_key=os.environ["CONVOKE_ADMIN_KEY"])


def refused(error, call, *args, **named):
    try:
        call(*args, **named)
    except error as refusal:
        assert refusal.trace_id and refusal.code != f"http_{refusal.status}", refusal.problem
        return refusal
    raise AssertionError(f"{call} was not refused")


refused(Unauthorized, Convoke(api_key="cvk_wrong").meetings.get, 1)

# meetings and presence
tracked = [convoke.meetings.track("daily", f"room-{i}", data={"n": i}) for i in range(3)]
listed = [one["id"] for one in convoke.meetings.list(platform="daily")]
assert listed == [one["id"] for one in reversed(tracked)], listed
first = tracked[0]["id"]
assert convoke.meetings.get(first)["data"] == {"n": 0}
assert convoke.meetings.describe(first, {"n": 7})["data"] == {"n": 7}
assert convoke.meetings.participants(first, active=True)["items"] == []
assert next(convoke.meetings.timeline(first))["subject"] == f"meeting:{first}"
assert convoke.meetings.summary(first)["status"] == "none"
refused(NotFound, convoke.meetings.get, 999_999)
assert len(list(convoke.request("GET", "/usage")["items"])) > 3

# bots that start tomorrow
batch = convoke.bots.batch(
    [
        {"platform": "google_meet", "native_meeting_id": "abc-defg-hij", "start_at": sys.argv[1]},
        {"platform": "zoom", "meeting_url": "https://evil.example"},
    ]
)
assert [one["status"] for one in batch] == [201, 400], batch
bot = batch[0]["meeting"]["id"]
assert convoke.bots.status(bot)["status"] == "reserved"
assert bot in [one["id"] for one in convoke.bots.active()]
assert bot in [one["meeting_id"] for one in convoke.bots.list(live=True)]
assert convoke.bots.reschedule(bot, sys.argv[2])["start_at"].startswith(sys.argv[2][:13])
assert convoke.bots.configure(bot, language="fr", automatic_leave={"max_lifetime": 60})
refused(Conflict, convoke.bots.start, platform="google_meet", native_meeting_id="abc-defg-hij")
assert convoke.bots.stop(bot)["meeting_id"] == bot
assert convoke.bots.stop(platform="google_meet", native_meeting_id="abc-defg-hij")

# transcripts and search; there are none yet
assert convoke.transcripts.get(first, words=True)["segments"] == []
assert list(convoke.transcripts.segments(first)) == []
assert convoke.transcripts.export(first, "vtt") == ("WEBVTT\n", None)
assert convoke.transcripts.export(first, "srt").text == ""
refused(NotFound, convoke.transcripts.rename_speaker, first, "Speaker 1", "Ada")
refused(NotFound, convoke.transcripts.correct, first, 1, text="x")
assert list(convoke.search("budget")) == []

# recordings
assert list(convoke.recordings.list(status="done")) == []
assert list(convoke.recordings.list(meeting_id=first)) == []
for call in (convoke.recordings.get, convoke.recordings.audio, convoke.recordings.retry):
    refused(NotFound, call, "no-such")
refused(NotFound, convoke.recordings.match, "no-such", first)
refused(NotFound, convoke.recordings.delete, "no-such")

# rooms
assert {one["room"] for one in convoke.rooms.list()} >= {"room-0", "room-1"}
assert convoke.rooms.track("daily", "room-0", True)["track"] is True
assert admin.rooms.assign("daily", "acme-*", user_id=tracked[0]["user_id"])["room"] == "acme-*"
admin.rooms.release("daily", "acme-*")
refused(Forbidden, convoke.rooms.assign, "daily", "x", user_id=1)
refused(ApiError, convoke.rooms.create, "stand-up")  # this server has no Janus

# webhooks
endpoint = convoke.webhooks.create("http://127.0.0.1:9/hooks", types=["meeting.status_changed"])
assert endpoint["secret"].startswith("whsec_")
assert [one["id"] for one in convoke.webhooks.list()] == [endpoint["id"]]
assert "secret" not in convoke.webhooks.get(endpoint["id"])
convoke.webhooks.test(endpoint["id"])
list(convoke.webhooks.deliveries(endpoint["id"], state="pending"))
refused(Conflict, convoke.webhooks.resume, endpoint["id"])
refused(NotFound, convoke.webhooks.resend, endpoint["id"], 999_999)
convoke.webhooks.delete(endpoint["id"])

# sync
assert convoke.sync.get(first)["status"] == "not_started"
assert set(convoke.sync.get_many([first, tracked[1]["id"], 999_999])) == {
    str(first), str(tracked[1]["id"])
}  # fmt: skip
internal = Convoke(token=os.environ["CONVOKE_INTERNAL"])
assert internal.sync.update(first, "failure", step="JobB", job_id="j1")["last_step"] == "JobB"
refused(Forbidden, convoke.sync.update, first, "success")
assert convoke.sync.retry(first)["status"] == "in_progress"

# tasks
request = {"type": "t", "channel": "c", "payload": {"access_token": "secret"}, "request_id": "r1"}
task = convoke.tasks.submit(**request)
assert task["payload"] == {"access_token": "***"}
assert convoke.tasks.submit(**request)["id"] == task["id"]
assert convoke.tasks.cancel(task["id"])["state"] == "FAILED"
assert convoke.tasks.get(task["id"])["error"] == "stopped"
refused(NotFound, convoke.tasks.get, "no-such")
for event in convoke.events.stream(after=0, type="task.failed"):
    break  # the ledger has it
assert [one["id"] for one in convoke.tasks.list(state="FAILED", channel="c")] == [task["id"]]
assert [one["type"] for one in convoke.tasks.timeline(task["id"])][-1] == "task.failed"

# events
events = list(convoke.events.list(subject=f"meeting:{first}"))
assert events and events == sorted(events, key=lambda one: one["seq"])
newest = next(convoke.events.list(order="newest"))
assert newest["seq"] >= events[-1]["seq"]
print("ok")
