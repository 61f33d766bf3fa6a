package io.convoke.server.workflows;

import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.WorkflowContext;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.meetings.PostMeetingOrder;
import java.time.Duration;
import java.util.function.LongConsumer;

/**
 * The work after a meeting (bots-14): confirms that its bot is gone, and closes its transcript.
 * Recording and sync are features of their own; this one starts the sync.
 *
 * <p>Each step is idempotent.
 */
final class PostMeetingWorkflow {
  /** The time for a bot that reported its exit to end by itself. */
  static final Duration LAST_WORDS = Duration.ofSeconds(15);

  private static final String BOT = "post-meeting.bot";
  private static final String TRANSCRIPT = "post-meeting.transcript";

  /** A launcher may be unreachable for an hour; after that an operator has to act. */
  private static final ActivityOptions PATIENTLY =
      ActivityOptions.retried(new RetryPolicy(40, Duration.ofSeconds(1), 2, Duration.ofMinutes(2)));

  private final MeetingStore meetings;
  private final BotRemover bots;

  /** Starts the sync of a meeting; repeated with the activity. */
  private final LongConsumer ended;

  private final Duration lastWords;

  PostMeetingWorkflow(
      MeetingStore meetings, BotRemover bots, LongConsumer ended, Duration lastWords) {
    this.ended = ended;
    this.meetings = meetings;
    this.bots = bots;
    this.lastWords = lastWords;
  }

  void register(Durable.Builder engine) {
    var _ =
        engine
            .workflow(PostMeetingOrder.WORKFLOW, Long.class, this::run)
            .activity(
                BOT,
                Long.class,
                (context, meeting) -> {
                  // Before the launcher is asked, which may be out of reach for long.
                  ended.accept(meeting);
                  return bots.remove(meeting);
                })
            .activity(
                TRANSCRIPT, Long.class, (context, meeting) -> meetings.closeTranscript(meeting));
  }

  private PostMeetingResult run(WorkflowContext context, Long meeting) {
    context.status("waits for the bot's last segments");
    context.sleep(lastWords);
    context.status("makes sure that the bot is gone");
    String bot = context.activity(BOT, meeting, String.class, PATIENTLY);
    context.status("closes the transcript");
    long segments = context.activity(TRANSCRIPT, meeting, Long.class, PATIENTLY);
    context.status("done");
    return new PostMeetingResult(bot, segments);
  }

  /** Its result: what was found of the bot, and the number of segments. */
  record PostMeetingResult(String bot, long segments) {}
}
