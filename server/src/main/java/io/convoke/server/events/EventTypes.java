package io.convoke.server.events;

import io.convoke.server.http.EventType;
import io.convoke.server.http.Schema;
import java.util.List;

/**
 * Every type of event in the journal, as its readers and the receivers of webhooks get it. Types
 * and members are added; none is renamed or removed.
 */
public final class EventTypes {
  private static final String MEETING_SUBJECT = "meeting:42";
  private static final String RECORDING_SUBJECT = "recording:rec_8c1f";
  private static final String TASK_SUBJECT = "task:0f8c1e2d";
  private static final String ENDPOINT_SUBJECT = "webhook_endpoint:3";

  private static final Schema ID = Schema.integer();
  private static final Schema TEXT = Schema.text();
  private static final Schema TIME = Schema.instant();

  /** The members of what is about a meeting and its user. */
  private static final Schema OF_MEETING =
      Schema.object().required("meeting_id", ID).required("user_id", ID);

  private static final Schema STATUS =
      OF_MEETING
          .required("from", TEXT.nullable().describe("Null when the row was created."))
          .required("to", TEXT)
          .required("reason", TEXT.describe("Why, as a stable word."))
          .required("event", TEXT.describe("What moved it."))
          .required("actor", TEXT.describe("The author: user:7, bot, launcher, sweeper."))
          .required("attempt", ID.describe("The launch of the bot."))
          .optional("at", TIME)
          .optional("evidence", Schema.any())
          .named("MeetingStatusChanged");

  private static final Schema SEEN =
      OF_MEETING
          .required("session_id", TEXT)
          .required("participant_id", TEXT.nullable())
          .required("user_name", TEXT.nullable())
          .required("at", TIME)
          .required("joined_at", TIME)
          .required("left_at", TIME.nullable())
          .required("source", TEXT.describe("How it was found: webhook, poll or bulk."))
          .required("num_clients", ID.describe("How many are in the room after it."))
          .named("ParticipantSeen");

  private static final Schema WAITING =
      OF_MEETING
          .required("session_id", TEXT)
          .required("participant_id", TEXT.nullable())
          .required("user_name", TEXT.nullable())
          .required("at", TIME)
          .named("ParticipantWaiting");

  private static final Schema SEGMENT =
      Schema.object()
          .required("id", ID)
          .required("start", Schema.number().describe("Seconds of the session."))
          .required("end", Schema.number())
          .required("text", TEXT)
          .optional("speaker", TEXT)
          .optional("language", TEXT)
          .optional("session_uid", TEXT)
          .required("created_at", TIME)
          .optional("said_at", TIME)
          .required("completed", Schema.bool().describe("False for a draft."))
          .optional("confidence", Schema.number(0, 1))
          .optional("words", Schema.array(Schema.anyObject()))
          .optional("level_db", Schema.number(-127, 0))
          .named("EventSegment");

  private static final Schema COMMAND =
      Schema.object()
          .required("meeting_id", ID)
          .required("command_id", TEXT)
          .required("action", TEXT)
          .required("actor", TEXT)
          .required("attempt", ID)
          .optional("rule", TEXT.describe("The rule of the server that it comes from."))
          .optional("applied", Schema.array(TEXT))
          .optional("not_applied", Schema.array(Schema.anyObject()))
          .named("BotCommand");

  private static final Schema SYNC =
      Schema.object()
          .required("meeting_id", TEXT)
          .required("status", TEXT)
          .required("version", ID.describe("Grows with every applied update."))
          .required("attempt", ID)
          .required("attempts", ID)
          .required("steps", Schema.array(Schema.anyObject()))
          .required("sync_attempt_count", ID.describe("The same as attempts."))
          .optional("user_id", ID)
          .optional("updated_at", TIME)
          .optional("last_step", TEXT)
          .optional("error_message", TEXT)
          .optional("last_synced_by", TEXT)
          .optional("job_id", TEXT)
          .optional("seq", ID.describe("The last seq of the attempt."))
          .optional("attempt_at", TIME)
          .optional("unanswered", Schema.bool())
          .optional("update_id", TEXT)
          .optional("from", TEXT)
          .optional("to", TEXT)
          .optional("cause", TEXT)
          .optional("by", TEXT)
          .named("SyncChanged");

  private static final Schema TASK =
      Schema.object()
          .required("task_id", TEXT)
          .required("request_id", TEXT)
          .required("task_type", TEXT)
          .required("channel", TEXT)
          .required("region", TEXT.nullable())
          .required("user_id", ID.nullable())
          .required("state", Schema.oneOf("PENDING", "PROCESSING", "SUCCESS", "FAILED", "TIMEOUT"))
          .required("attempt", ID)
          .required("pod_id", TEXT.nullable())
          .required("worker_id", ID.nullable())
          .required("error", TEXT.nullable())
          .required("moved_at", TIME)
          .optional("pending_at", TIME)
          .named("TaskMoved");

  private static final Schema SETTLED =
      Schema.object()
          .required("task_id", TEXT)
          .required("requeued_as", TEXT.nullable())
          .required("user_id", ID.nullable())
          .required("actor", TEXT)
          .named("TaskSettled");

  private static final Schema ENDPOINT =
      Schema.object()
          .required("id", ID)
          .required("state", TEXT)
          .required("reason", TEXT)
          .named("WebhookEndpointChanged");

  private static final Schema POLL = OF_MEETING.required("from", TEXT).required("to", TEXT);

  /** All of them, by the kind of their subject. */
  public static final List<EventType> ALL =
      List.of(
          meeting("meeting.status_changed", "A meeting has another status.", STATUS),
          meeting("participant.joined", "A participant joined.", SEEN),
          meeting("participant.left", "A participant left.", SEEN),
          meeting("participant.waiting", "A person waits to be let in.", WAITING),
          meeting("participant.waiting_left", "A person waits no longer.", WAITING),
          meeting(
              "transcript.segments",
              "Words were stored, or changed.",
              Schema.object()
                  .required("meeting_id", ID)
                  .required("session_uid", TEXT)
                  .required(
                      "replaces", Schema.bool().describe("True voids the session's segments."))
                  .required("segments", Schema.array(SEGMENT))
                  .named("TranscriptStored")),
          meeting(
              "transcript.speaker_renamed",
              "A person renamed a speaker in all segments.",
              Schema.object()
                  .required("meeting_id", ID)
                  .required("from", TEXT)
                  .required("to", TEXT)
                  .required("segments", ID.describe("How many segments were renamed."))
                  .named("SpeakerRenamed")),
          meeting(
              "transcript.closed",
              "No more segments will come.",
              Schema.object()
                  .required("meeting_id", ID)
                  .required("segments", ID.describe("How many there are."))
                  .named("TranscriptClosed")),
          meeting(
              "chat.message",
              "A bot has read or written a message of the chat.",
              Schema.object()
                  .required("meeting_id", ID)
                  .required("session_uid", TEXT)
                  .required("id", ID)
                  .required("sender", TEXT.nullable())
                  .required("text", TEXT)
                  .required("at", TIME)
                  .required("from_bot", Schema.bool().describe("Whether the bot wrote it."))
                  .named("ChatMessageStored")),
          meeting(
              "summary.status_changed",
              "A summary is pending, done or failed.",
              Schema.object()
                  .required("meeting_id", ID)
                  .required("run", ID)
                  .required("to", TEXT)
                  .required("error", TEXT.nullable())
                  .required("actor", TEXT)
                  .named("SummaryChanged")),
          meeting(
              "bot.awaiting_admission",
              "A bot waits to be let in.",
              OF_MEETING.required("attempt", ID).named("BotAwaitsAdmission")),
          meeting(
              "bot.no_progress",
              "A bot lives and hears nothing new.",
              OF_MEETING
                  .required("attempt", ID)
                  .optional("since", TIME)
                  .optional("progress", Schema.any())
                  .named("BotNoProgress")),
          meeting("bot.command_sent", "A bot was given a command.", COMMAND),
          meeting("bot.command_acknowledged", "A bot has carried out a command.", COMMAND),
          meeting(
              "bot.kill_wanted",
              "A bot is to be ended now.",
              Schema.object()
                  .required("meeting_id", ID)
                  .required("actor", TEXT)
                  .required("attempt", ID)
                  .named("BotKillWanted")),
          meeting(
              "bot.rescheduled",
              "A bot starts at another time.",
              Schema.object()
                  .required("meeting_id", ID)
                  .required("from", TIME.nullable())
                  .required("to", TIME)
                  .required("actor", TEXT)
                  .named("BotRescheduled")),
          meeting(
              "bot.log",
              "A bot ended in failure: its last lines.",
              Schema.object()
                  .required("meeting_id", ID)
                  .required("attempt", ID)
                  .required("exit_code", ID.nullable())
                  .required("reason", TEXT.nullable())
                  .required("lines", Schema.any())
                  .named("BotLog")),
          meeting("sync.status_changed", "A meeting's sync status changed.", SYNC),
          meeting("sync.stalled", "A sync stands still.", SYNC),
          meeting("sync.dismissed", "An operator dismissed a sync problem.", SYNC),
          meeting(
              "presence.polled",
              "A poll that was the first, slow, or found a change.",
              POLL.required("trigger", TEXT)
                  .required("why", Schema.array(TEXT))
                  .required("took_ms", ID)
                  .required("joined", ID)
                  .required("left", ID)
                  .required("num_clients", ID)
                  .named("PresencePolled")),
          meeting(
              "presence.poll_failed",
              "The first failed poll in a row.",
              POLL.required("trigger", TEXT)
                  .required("cause", TEXT)
                  .required("took_ms", ID)
                  .required("retry_in_ms", ID)
                  .named("PresencePollFailed")),
          meeting(
              "presence.poll_requested",
              "A poll was asked for during a poll.",
              POLL.named("PresencePollRequested")),
          new EventType(
              "recording.status_changed",
              "A recording has another status, or its meeting became known.",
              RECORDING_SUBJECT,
              Schema.object()
                  .required("recording_id", TEXT)
                  .required("meeting_id", ID.nullable())
                  .required("user_id", ID.nullable())
                  .required("from", TEXT.nullable())
                  .required("to", TEXT)
                  .required("reason", TEXT)
                  .required("event", TEXT)
                  .required("actor", TEXT)
                  .required("run", ID)
                  .named("RecordingStatusChanged")),
          new EventType(
              "recording.deleted",
              "A recording was deleted.",
              RECORDING_SUBJECT,
              Schema.object()
                  .required("recording_id", TEXT)
                  .required("actor", TEXT)
                  .named("RecordingDeleted")),
          task("task.pending", "A task waits for a pod.", TASK),
          task("task.processing", "A pod runs a task.", TASK),
          task("task.stopping", "The pod of a task was asked to stop it.", TASK),
          task("task.success", "A task is done.", TASK),
          task("task.failed", "A task has failed.", TASK),
          task("task.timeout", "No pod took a task in time.", TASK),
          task("task.requeued", "A dead letter has a new task.", SETTLED),
          task("task.discarded", "A dead letter was dismissed.", SETTLED),
          new EventType(
              "webhook.state_changed",
              "A platform's webhook works, or works no longer. For operators.",
              "webhook:daily",
              Schema.object()
                  .required("platform", TEXT)
                  .required("from", TEXT)
                  .required("to", TEXT)
                  .required("reason", TEXT)
                  .named("PlatformWebhookChanged")),
          endpoint("webhook_endpoint.created", "An endpoint was registered.", ENDPOINT),
          endpoint("webhook_endpoint.paused", "An endpoint was paused after failures.", ENDPOINT),
          endpoint("webhook_endpoint.resumed", "An endpoint gets events again.", ENDPOINT),
          endpoint("webhook_endpoint.removed", "An endpoint was deleted.", ENDPOINT),
          endpoint(
              "webhook_endpoint.test",
              "A message for a test; it is in no journal and has no seq.",
              Schema.object().required("id", ID).named("WebhookEndpointTested")));

  private EventTypes() {}

  private static EventType meeting(String type, String summary, Schema data) {
    return new EventType(type, summary, MEETING_SUBJECT, data);
  }

  private static EventType task(String type, String summary, Schema data) {
    return new EventType(type, summary, TASK_SUBJECT, data);
  }

  private static EventType endpoint(String type, String summary, Schema data) {
    return new EventType(type, summary, ENDPOINT_SUBJECT, data);
  }
}
