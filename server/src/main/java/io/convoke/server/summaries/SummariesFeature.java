package io.convoke.server.summaries;

import io.convoke.engine.durable.ActivityFailedException;
import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.WorkflowCancelledException;
import io.convoke.engine.durable.WorkflowContext;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Endpoint;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.summaries.Summarizer.SummarizerAnswer;
import io.convoke.server.summaries.SummaryPrompt.ParsedAnswer;
import io.convoke.server.summaries.SummaryPrompt.PromptPart;
import io.convoke.server.summaries.SummaryPrompt.SummaryLine;
import io.convoke.server.summaries.SummaryPrompt.SummaryStatement;
import io.convoke.server.summaries.SummaryStore.SummaryRun;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Wires summaries: a workflow for each run, which writes the summary and then has the notes that
 * are in the CRM already sent again with it.
 */
public final class SummariesFeature {
  private static final String WRITE = "meeting-summary.write";
  private static final String FAIL = "meeting-summary.fail";
  private static final String NOTES = "meeting-summary.notes";

  /** A pool of its own, so that slow models hold up no downloads. */
  private static final String POOL = "summaries";

  private static final Duration ATTEMPT_MAX = Duration.ofHours(1);

  /** An answer costs money, so a run asks fewer times than other work does. */
  private static final int ATTEMPTS_MAX = 6;

  private final Database database;
  private final SummaryStore store;
  private final Optional<Summarizer> summarizer;
  private final SummarizedNotes notes;
  private final ActivityOptions patiently;
  private final ActivityOptions stubbornly;

  /**
   * Wires the feature; nothing runs before {@link #register}.
   *
   * @param summarizer empty: no meeting is summarized
   * @param notes of meetings in the CRM
   * @param retry how often other work is repeated
   */
  public SummariesFeature(
      Database database,
      Journal journal,
      Optional<Summarizer> summarizer,
      SummarizedNotes notes,
      RetryPolicy retry) {
    this.database = database;
    this.store = new SummaryStore(database, journal);
    this.summarizer = summarizer;
    this.notes = notes;
    this.stubbornly = ActivityOptions.retried(retry).within(ATTEMPT_MAX);
    this.patiently =
        ActivityOptions.retried(
                new RetryPolicy(
                    Math.min(ATTEMPTS_MAX, retry.attemptsMax()),
                    retry.first(),
                    retry.factor(),
                    retry.most()))
            .within(ATTEMPT_MAX);
  }

  /** The notes of a meeting in the CRM. */
  public interface SummarizedNotes {
    /**
     * Has the notes that were sent without the summary sent again; false while one is on its way.
     */
    boolean sendAgain(Tx tx, long meetingId);
  }

  /** A run that failed for good. */
  record SummaryFailure(SummaryRun run, String why) {}

  /** The endpoints under {@code /meetings/{id}/summary}. */
  public List<Endpoint> endpoints(MeetingStore meetings) {
    return new SummaryEndpoints(database, meetings, store, summarizer.isPresent()).endpoints();
  }

  /** Adds the workflow and its activities to an engine. */
  public void register(Durable.Builder builder) {
    var _ =
        builder
            .workflow(SummaryRun.WORKFLOW, SummaryRun.class, this::run)
            .activity(WRITE, POOL, SummaryRun.class, (context, run) -> write(run))
            .activity(
                FAIL,
                SummaryFailure.class,
                (context, failure) -> failed(failure.run(), failure.why()))
            .activity(NOTES, SummaryRun.class, (context, run) -> sendAgain(run));
  }

  /** A transcript is complete, in this transaction: its meeting is summarized. */
  public void transcribed(Tx tx, long meetingId) {
    if (summarizer.isPresent()) {
      var _ = store.start(tx, meetingId, "workflow");
    }
  }

  /** A meeting has ended; it is summarized once, from what bots heard, if they heard anything. */
  public void ended(long meetingId) {
    if (summarizer.isPresent() && store.find(meetingId).run() == 0 && store.heard(meetingId)) {
      database.run(tx -> transcribed(tx, meetingId));
    }
  }

  private String run(WorkflowContext context, SummaryRun run) {
    context.status("writes the summary");
    String end;
    try {
      end = context.activity(WRITE, run, String.class, patiently);
    } catch (ActivityFailedException failed) {
      end = fail(context, run, String.valueOf(failed.getMessage()));
    } catch (WorkflowCancelledException cancelled) {
      end = fail(context, run, "cancelled: " + cancelled.getMessage());
    }
    if (end.equals("done")) {
      context.status("sends notes again");
      try {
        String _ = context.activity(NOTES, run, String.class, stubbornly);
      } catch (ActivityFailedException late) {
        // The work on a recording has not ended for long; its next note has the summary.
      }
    }
    context.status(end);
    return end;
  }

  private String fail(WorkflowContext context, SummaryRun run, String why) {
    return context.activity(FAIL, new SummaryFailure(run, why), String.class, stubbornly);
  }

  private String write(SummaryRun run) throws IOException, InterruptedException {
    if (summarizer.isEmpty()) {
      throw new IOException("this node has no summarizer configured");
    }
    if (!store.begin(run)) {
      return store.end(run);
    }
    try {
      return written(run, summarizer.get());
    } catch (IOException again) {
      store.troubled(run, String.valueOf(again.getMessage()));
      throw again;
    }
  }

  private String written(SummaryRun run, Summarizer model)
      throws IOException, InterruptedException {
    List<SummaryLine> lines = store.lines(run.meetingId());
    List<SummaryStatement> statements = new ArrayList<>();
    int rejected = 0;
    for (PromptPart part : SummaryPrompt.parts(lines, model.charsMax())) {
      String key = part.key(model.name());
      Optional<ParsedAnswer> answer = store.part(run, key);
      if (answer.isEmpty()) {
        switch (model.answer(SummaryPrompt.INSTRUCTION, part.text())) {
          case SummarizerAnswer.SummarizerRefused(String why) -> {
            return failed(run, why);
          }
          case SummarizerAnswer.SummarizerAnswered(String text) ->
              answer = SummaryPrompt.parse(text, part);
        }
        if (answer.isEmpty()) {
          throw new IOException("the summarizer's answer has no statement that cites a line");
        }
        if (!store.keep(run, key, answer.get())) {
          return store.end(run);
        }
      }
      statements.addAll(answer.get().statements());
      rejected += answer.get().rejected();
    }
    if (statements.isEmpty()) {
      boolean moved = lines.isEmpty() ? store.empty(run) : store.nothingToTell(run);
      return moved ? "empty" : store.end(run);
    }
    return store.done(run, SummaryPrompt.cited(lines, statements), rejected, model.name())
        ? "done"
        : store.end(run);
  }

  private String failed(SummaryRun run, String why) {
    return store.failed(run, why) ? "failed" : store.end(run);
  }

  private String sendAgain(SummaryRun run) throws IOException {
    boolean settled = database.transaction(tx -> notes.sendAgain(tx, run.meetingId()));
    if (!settled) {
      throw new IOException("a note of the meeting is on its way");
    }
    return "sent";
  }
}
