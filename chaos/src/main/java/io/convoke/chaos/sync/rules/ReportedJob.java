package io.convoke.chaos.sync.rules;

import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.sync.rules.ExpectedSync.Update;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * What one caller did with a meeting, call after call, and what the journal says of it. Each answer
 * shows the record that follows from what was sent, and each event that of its version.
 *
 * @param calls in their order; all were answered, or the last was not
 * @param events its {@code sync.status_changed}, by sequence
 * @param stalls its {@code sync.stalled}
 */
public record ReportedJob(
    String meeting, List<JobCall> calls, List<JsonNode> events, List<JsonNode> stalls) {
  /** How long a retry that no job answers is not yet stalled. */
  private static final Duration UNANSWERED = Duration.ofSeconds(3);

  /** An update is answered later than it is applied. */
  private static final Duration EARLY = Duration.ofMillis(1500);

  private static final Duration LATE = Duration.ofMillis(2500);

  /**
   * A call and its answer.
   *
   * @param status 0 without an answer
   */
  public record JobCall(JobRequest request, int status, JsonNode body, Instant answered) {}

  /** A request about a sync. */
  public sealed interface JobRequest {
    /** An update. */
    record UpdateRequest(Update update) implements JobRequest {}

    /**
     * A retry.
     *
     * @param stalled whether the last read showed the sync as stalled
     */
    record RetryRequest(boolean stalled) implements JobRequest {}

    /** A read; {@code stalled} if it has to show a stall, which is in the journal by then. */
    record ReadRequest(boolean stalled) implements JobRequest {}

    /**
     * A read of the list of problems, of which the body is the item of the sync.
     *
     * @param listed whether there has to be one, since the sync is stalled
     */
    record ProblemsRequest(boolean listed) implements JobRequest {}
  }

  /** All violations. */
  public List<RuleViolation> check() {
    List<RuleViolation> found = new ArrayList<>();
    Map<Long, ExpectedSync> versions = new HashMap<>(Map.of(0L, ExpectedSync.NONE));
    ExpectedSync now = ExpectedSync.NONE;
    Instant changed = Instant.MIN;
    Duration patience = ShownRecords.STALLS;
    for (JobCall call : calls) {
      switch (call.request()) {
        case JobRequest.UpdateRequest(Update update) -> {
          now = now.after(update);
          changed = call.answered();
          patience = ShownRecords.STALLS;
          judge(call, call.status() == 0 || call.status() == 200, now, found);
        }
        case JobRequest.RetryRequest(boolean stalled) -> {
          boolean permitted = now.failed() || stalled;
          if (permitted) {
            now = now.retried();
            changed = call.answered();
            patience = UNANSWERED;
          }
          int refused = now.version() == 0 ? call.status() : 409;
          boolean right = call.status() == 0 || call.status() == (permitted ? 202 : refused);
          if (!right || permitted) {
            judge(call, right, now, found);
          } else if (call.status() == 409 && !names(call.body(), now)) {
            found.add(ViolationKind.ILLEGAL.found("%s is %s: %s", meeting, now.text(), call));
          }
        }
        case JobRequest.ProblemsRequest(boolean listed) -> {
          if (listed) {
            judge(call, call.body().path("stalled").asBoolean(false), now, found);
          } else if (!call.body().isEmpty()) {
            found.add(ViolationKind.ILLEGAL.found("%s is no problem: %s", meeting, call));
          }
        }
        case JobRequest.ReadRequest(boolean stalled) -> {
          long version = call.body().path("version").asLong();
          ExpectedSync shown = versions.getOrDefault(version, ExpectedSync.NONE);
          boolean right =
              version <= now.version()
                  && (!stalled
                      || (version == now.version()
                          && stalledOnce(version)
                          && stalled(changed, patience, call.answered())));
          if (call.status() == 200) {
            judge(call, right, shown, found);
          }
        }
      }
      var _ = versions.put(now.version(), now);
    }
    events(now.version(), versions, found);
    return found;
  }

  /** Whether a refusal tells the state, of a sync that there is. */
  private static boolean names(JsonNode refusal, ExpectedSync now) {
    return now.version() == 0 || refusal.path("sync_status").asString("").equals(now.status());
  }

  private static boolean stalled(Instant changed, Duration patience, Instant shown) {
    Duration after = Duration.between(changed, shown);
    return after.compareTo(patience.minus(EARLY)) > 0 && after.compareTo(patience.plus(LATE)) < 0;
  }

  private void judge(
      JobCall call, boolean right, ExpectedSync expected, List<RuleViolation> found) {
    if (call.status() != 0 && !(right && expected.isShownBy(call.body()))) {
      found.add(ViolationKind.ILLEGAL.found("%s: not %s: %s", meeting, expected.text(), call));
    }
  }

  private boolean stalledOnce(long version) {
    return stalls.stream().filter(it -> it.path("version").asLong() == version).count() == 1;
  }

  private void events(long last, Map<Long, ExpectedSync> versions, List<RuleViolation> found) {
    boolean certain = calls.isEmpty() || calls.getLast().status() != 0;
    if (events.size() > last || events.size() < last - (certain ? 0 : 1)) {
      found.add(ViolationKind.GAP.found("%s: %d events of %d", meeting, events.size(), last));
    }
    for (JsonNode event : events) {
      ExpectedSync expected =
          versions.getOrDefault(event.path("version").asLong(), ExpectedSync.NONE);
      String from = versions.getOrDefault(expected.version() - 1, ExpectedSync.NONE).status();
      if (!expected.isShownBy(event)
          || !event.path("from").asString("").equals(from)
          || !event.path("to").asString("").equals(expected.status())) {
        found.add(ViolationKind.ILLEGAL.found("%s: not %s: %s", meeting, expected.text(), event));
      }
    }
    for (JsonNode stall : stalls) {
      ExpectedSync expected =
          versions.getOrDefault(stall.path("version").asLong(), ExpectedSync.NONE);
      if (!expected.isShownBy(stall) || !expected.status().equals("in_progress")) {
        found.add(ViolationKind.ILLEGAL.found("%s: no stall: %s", meeting, stall));
      }
    }
  }
}
