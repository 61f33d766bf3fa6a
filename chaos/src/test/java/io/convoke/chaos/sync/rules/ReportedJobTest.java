package io.convoke.chaos.sync.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.sync.rules.ExpectedSync.Update;
import io.convoke.chaos.sync.rules.ReportedJob.JobCall;
import io.convoke.chaos.sync.rules.ReportedJob.JobRequest;
import io.convoke.chaos.sync.rules.ReportedJob.JobRequest.ProblemsRequest;
import io.convoke.chaos.sync.rules.ReportedJob.JobRequest.ReadRequest;
import io.convoke.chaos.sync.rules.ReportedJob.JobRequest.RetryRequest;
import io.convoke.chaos.sync.rules.ReportedJob.JobRequest.UpdateRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The table of updates, and answers and events that differ from what it gives. */
final class ReportedJobTest {
  private final List<JobCall> calls = new ArrayList<>();
  private final List<JsonNode> events = new ArrayList<>();
  private final List<JsonNode> stalls = new ArrayList<>();

  @Test
  void anUpdateCountsOnceInItsAttemptAndAJobAgainInALaterOne() {
    ExpectedSync first = ExpectedSync.NONE.after(update("failure", "run-1", 2, 5));
    assertThat(first.text())
        .isEqualTo("failure|1|1|1|2|JobA|run-1|null|JobA|[JobA failure 2 run-1 null]");
    assertThat(first.after(update("failure", "run-1", 2, 9))).isSameAs(first);
    assertThat(first.after(update("success", "run-2", 1, 9))).isSameAs(first);
    assertThat(first.after(update("success", "run-2", 2, 5))).isSameAs(first);
    assertThat(first.after(update("success", "run-2", 2, 6)).attempts()).isEqualTo(1);
    assertThat(first.after(update("failure", "run-1", 3, 1)).attempts()).isEqualTo(2);
    assertThat(first.after(plain("in_progress")).attempt()).isEqualTo(3);
    assertThat(first.after(plain("success")).attempt()).isEqualTo(2);
    assertThat(first.retried().attempts()).isEqualTo(2);
  }

  @Test
  void rightAnswersAndEventsHaveNoViolation() {
    job();
    assertThat(check()).isZero();
    calls.add(call(new UpdateRequest(plain("success")), 0, "{}"));
    assertThat(check()).as("an update of unknown outcome").isZero();
  }

  @Test
  void anAnswerThatShowsSomethingElseIsFound() {
    job();
    calls.set(0, call(new UpdateRequest(plain("failure")), 200, shown("failure", 1, 2)));
    assertThat(check()).isEqualTo(1);
    calls.set(0, call(new UpdateRequest(plain("failure")), 409, shown("failure", 1, 1)));
    assertThat(check()).isEqualTo(1);
  }

  @Test
  void aRetryThatIsRefusedOrAcceptedWronglyIsFound() {
    job();
    calls.set(1, call(new RetryRequest(false), 409, "{}"));
    assertThat(check()).isEqualTo(1);
    job();
    calls.add(call(new RetryRequest(false), 202, shown("in_progress", 2, 2)));
    assertThat(check()).isEqualTo(1);
  }

  @Test
  void aRefusalThatTellsAnotherStateIsFound() {
    job();
    calls.add(2, call(new RetryRequest(false), 409, "{\"sync_status\": \"in_progress\"}"));
    assertThat(check()).isZero();
    calls.set(2, call(new RetryRequest(false), 409, "{\"sync_status\": \"failure\"}"));
    assertThat(check()).isEqualTo(1);
  }

  @Test
  void aStallThatIsNoProblemAndAProblemThatIsNoStallAreFound() {
    job();
    ObjectNode stalled = ((ObjectNode) read(shown("in_progress", 2, 2))).put("stalled", true);
    calls.add(call(new ProblemsRequest(true), 200, stalled.toString()));
    calls.add(call(new ProblemsRequest(false), 200, "{}"));
    assertThat(check()).isZero();
    calls.set(3, call(new ProblemsRequest(true), 200, "{}"));
    assertThat(check()).isEqualTo(1);
    calls.set(4, call(new ProblemsRequest(false), 200, stalled.toString()));
    assertThat(check()).isEqualTo(2);
  }

  @Test
  void aLateReportThatOpensAnAttemptIsFound() {
    job();
    calls.add(call(new UpdateRequest(plain("success")), 200, shown("success", 3, 2)));
    events.add(event(shown("success", 3, 2), "in_progress", "success"));
    Update late =
        new Update(
            "in_progress",
            Optional.empty(),
            Optional.empty(),
            Optional.of(2L),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    calls.add(call(new UpdateRequest(late), 200, shown("in_progress", 4, 2)));
    events.add(event(shown("in_progress", 4, 2), "success", "in_progress"));
    assertThat(check()).isZero();
    calls.set(4, call(new UpdateRequest(late), 200, shown("in_progress", 4, 3)));
    assertThat(check()).isEqualTo(1);
  }

  @Test
  void aStallThatIsNotInTheJournalOnceIsFound() {
    job();
    stalls.add(stalls.getFirst());
    assertThat(check()).isEqualTo(1);
    stalls.clear();
    assertThat(check()).isEqualTo(1);
    stalls.add(events.getFirst());
    assertThat(check()).as("of another version, which did not run").isEqualTo(2);
  }

  @Test
  void aStallThatIsShownTooEarlyOrTooLateIsFound() {
    job();
    calls.set(2, call(new ReadRequest(true), 200, shown("in_progress", 2, 2), 1500));
    assertThat(check()).isEqualTo(1);
    calls.set(2, call(new ReadRequest(true), 200, shown("in_progress", 2, 2), 1501));
    assertThat(check()).isZero();
    calls.set(2, call(new ReadRequest(true), 200, shown("in_progress", 2, 2), 5499));
    assertThat(check()).isZero();
    calls.set(2, call(new ReadRequest(true), 200, shown("in_progress", 2, 2), 5500));
    assertThat(check()).isEqualTo(1);
  }

  @Test
  void anEventThatIsMissingOrTellsSomethingElseIsFound() {
    job();
    JsonNode last = events.removeLast();
    assertThat(check()).isEqualTo(1);
    events.add(((ObjectNode) last.deepCopy()).put("from", "success"));
    assertThat(check()).isEqualTo(1);
    events.set(1, ((ObjectNode) last.deepCopy()).put("attempts", 3));
    assertThat(check()).isEqualTo(1);
  }

  /** A failure, its retry, and a read once that is stalled. */
  private void job() {
    calls.clear();
    events.clear();
    stalls.clear();
    calls.add(call(new UpdateRequest(plain("failure")), 200, shown("failure", 1, 1)));
    calls.add(call(new RetryRequest(false), 202, shown("in_progress", 2, 2)));
    calls.add(call(new ReadRequest(true), 200, shown("in_progress", 2, 2)));
    events.add(event(shown("failure", 1, 1), "not_started", "failure"));
    events.add(event(shown("in_progress", 2, 2), "failure", "in_progress"));
    stalls.add(read(shown("in_progress", 2, 2)));
  }

  private int check() {
    return new ReportedJob("m", calls, events, stalls).check().size();
  }

  private static JobCall call(JobRequest request, int status, String body) {
    return call(request, status, body, request instanceof ReadRequest ? 3000 : 0);
  }

  private static JobCall call(JobRequest request, int status, String body, long millis) {
    return new JobCall(request, status, read(body), Instant.ofEpochMilli(millis));
  }

  private static JsonNode event(String record, String from, String to) {
    return ((ObjectNode) read(record)).put("from", from).put("to", to);
  }

  private static JsonNode read(String body) {
    return JsonMapper.shared().readTree(body);
  }

  private static String shown(String status, int version, int attempts) {
    return """
        {"status": "%s", "version": %d, "attempts": %d, "sync_attempt_count": %d, "attempt": %d,
         "last_step": null, "job_id": null, "error_message": null, "last_synced_by": "internal",
         "steps": []}
        """
        .formatted(status, version, attempts, attempts, attempts);
  }

  private static Update plain(String status) {
    return new Update(
        status,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static Update update(String status, String job, long attempt, long seq) {
    return new Update(
        status,
        Optional.of("JobA"),
        Optional.of(job),
        Optional.of(attempt),
        Optional.of(seq),
        Optional.empty(),
        Optional.empty());
  }
}
