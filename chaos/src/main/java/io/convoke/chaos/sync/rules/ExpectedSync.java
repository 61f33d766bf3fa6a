package io.convoke.chaos.sync.rules;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The record that a meeting must have after updates in a known order, by the table in
 * docs/reference/sync.md; times are left out.
 *
 * @param by who updated it last; empty if that is not known
 * @param steps by their names, as they are shown
 * @param seen in which attempt a job posted a status last
 */
public record ExpectedSync(
    String status,
    long version,
    long attempts,
    long attempt,
    Optional<Long> seq,
    Optional<String> step,
    Optional<String> jobId,
    Optional<String> error,
    Optional<String> by,
    Map<String, String> steps,
    Map<String, Long> seen) {
  public static final ExpectedSync NONE =
      new ExpectedSync(
          "not_started",
          0,
          0,
          0,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.of("null"),
          Map.of(),
          Map.of());

  private static final String RUNNING = "in_progress";

  /** An update as a job posts it. */
  public record Update(
      String status,
      Optional<String> step,
      Optional<String> jobId,
      Optional<Long> attempt,
      Optional<Long> seq,
      Optional<String> error,
      Optional<String> by) {
    /** What a retry does if it is permitted. */
    static final Update RETRY =
        new Update(
            RUNNING,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
  }

  /** The record after an update; the same if it changes nothing. */
  public ExpectedSync after(Update update) {
    if (version == 0) {
      return moved(update, true, update.attempt().orElse(1L));
    }
    Optional<Long> known =
        update.jobId().map(job -> seen.getOrDefault(job + " " + update.status(), -1L));
    boolean old = known.isPresent() && known.get() >= 0;
    if (old && update.attempt().orElse(known.orElse(0L)) <= known.orElse(0L)) {
      return this;
    }
    long number = update.attempt().orElse(attempt);
    if (number < attempt) {
      return this;
    }
    if (number > attempt) {
      return moved(update, true, number);
    }
    if (update.seq().isPresent() && update.seq().get() <= seq.orElse(-1L)) {
      return this;
    }
    boolean opens =
        update.attempt().isEmpty() && !status.equals(RUNNING) && update.status().equals(RUNNING);
    return moved(update, opens, opens ? attempt + 1 : attempt);
  }

  /** Whether it can be retried while it is not stalled. */
  public boolean failed() {
    return status.equals("failure");
  }

  /** The record after a retry that was accepted. */
  public ExpectedSync retried() {
    ExpectedSync next = moved(Update.RETRY, true, attempt + 1);
    return new ExpectedSync(
        next.status,
        next.version,
        next.attempts,
        next.attempt,
        next.seq,
        next.step,
        next.jobId,
        next.error,
        Optional.empty(),
        next.steps,
        next.seen);
  }

  private ExpectedSync moved(Update update, boolean opens, long number) {
    Map<String, String> nextSteps = new LinkedHashMap<>(steps);
    update
        .step()
        .ifPresent(
            name ->
                nextSteps.put(
                    name,
                    step(name, update.status(), number + "", update.jobId(), update.error())));
    Map<String, Long> nextSeen = new LinkedHashMap<>(seen);
    update.jobId().ifPresent(job -> nextSeen.put(job + " " + update.status(), number));
    return new ExpectedSync(
        update.status(),
        version + 1,
        attempts + (opens ? 1 : 0),
        number,
        opens ? update.seq() : update.seq().or(() -> seq),
        opens ? update.step() : update.step().or(() -> step),
        opens ? update.jobId() : update.jobId().or(() -> jobId),
        update.error(),
        update.by().or(update::step).or(() -> Optional.of("internal")),
        nextSteps,
        nextSeen);
  }

  private static String step(
      String name, String status, String attempt, Optional<String> job, Optional<String> error) {
    return String.join(" ", name, status, attempt, job.orElse("null"), error.orElse("null"));
  }

  /** Whether an answer or an event shows this record. */
  public boolean isShownBy(JsonNode shown) {
    return text().equals(text(shown));
  }

  /** As text. */
  public String text() {
    return String.join(
        "|",
        status,
        version + "",
        attempts + "",
        attempts + "",
        attempt + "",
        step.orElse("null"),
        jobId.orElse("null"),
        error.orElse("null"),
        by.orElse("?"),
        steps.values().toString());
  }

  /** What an answer or an event shows, as text. */
  private String text(JsonNode shown) {
    return String.join(
        "|",
        shown.path("status").asString("null"),
        shown.path("version").asString("null"),
        shown.path("attempts").asString("null"),
        shown.path("sync_attempt_count").asString("null"),
        shown.path("attempt").asString("null"),
        shown.path("last_step").asString("null"),
        shown.path("job_id").asString("null"),
        shown.path("error_message").asString("null"),
        by.isEmpty() ? "?" : shown.path("last_synced_by").asString("null"),
        shown
            .path("steps")
            .valueStream()
            .map(
                it ->
                    step(
                        it.path("step").asString("null"),
                        it.path("status").asString("null"),
                        it.path("attempt").asString("null"),
                        Optional.of(it.path("job_id").asString("null")),
                        Optional.of(it.path("error_message").asString("null"))))
            .toList()
            .toString());
  }
}
