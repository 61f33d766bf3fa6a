package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.server.recordings.RecordingTransitions.Applied;
import io.convoke.server.recordings.RecordingWorkflow.Failure;
import io.convoke.server.recordings.RecordingWorkflow.Order;
import io.convoke.server.recordings.RecordingWorkflow.Outcome;
import io.convoke.server.recordings.StepLedger.Begun;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one step: under the lock, claimed in the row, its output and its completion committed
 * together. What does not work this time is noted in the row and thrown, for the engine to try
 * again.
 */
final class StepRunner {
  private static final Logger log = LoggerFactory.getLogger(StepRunner.class);

  private final RecordingLock lock;
  private final StepLedger ledger;
  private final RecordingTransitions transitions;
  private final Map<StepName, StepWork> works;
  private final RecordingMeters meters;

  StepRunner(
      RecordingLock lock,
      StepLedger ledger,
      RecordingTransitions transitions,
      List<StepWork> works,
      RecordingMeters meters) {
    this.lock = lock;
    this.ledger = ledger;
    this.transitions = transitions;
    this.works =
        works.stream().collect(java.util.stream.Collectors.toMap(StepWork::name, work -> work));
    this.meters = meters;
  }

  Outcome run(StepName step, Order order, ActivityContext context) throws Exception {
    return lock.around(order, context.attempt() == 1, () -> locked(step, order, context));
  }

  /** Every step is over. */
  String finish(Order order) {
    Applied applied =
        transitions.apply(
            order.recordingId(), order.run(), new RecordingEvent.Finished(), "workflow");
    return applied instanceof Applied.Moved(RecordingRow row) ? row.status().word() : "over";
  }

  /** A step failed for good. */
  String fail(Failure failure) {
    Applied applied = ledger.failed(failure.order(), failure.step(), failure.why());
    if (applied instanceof Applied.Moved(RecordingRow row)) {
      log.warn("recording {} failed at {}: {}", row.id(), failure.step().word(), failure.why());
      return row.status().word();
    }
    return "over";
  }

  private Outcome locked(StepName step, Order order, ActivityContext context) throws Exception {
    return switch (ledger.begin(order, step, work(step).wanted())) {
      case Begun.Over _ -> Outcome.over();
      case Begun.Already _ -> Outcome.done();
      case Begun.Claimed(StepClaim claim) -> claimed(step, claim, context);
    };
  }

  private Outcome claimed(StepName step, StepClaim claim, ActivityContext context)
      throws Exception {
    StepWork work = work(step);
    long began = System.nanoTime();
    String how = "again";
    try {
      Outcome outcome =
          switch (work.run(claim, context)) {
            case StepResult.Done done -> {
              ledger.commit(claim, done);
              yield Outcome.done();
            }
            case StepResult.Skipped(String why) -> {
              ledger.skip(claim, why);
              yield Outcome.done();
            }
            case StepResult.Failed(String why) -> Outcome.failed(why);
          };
      how = outcome.kind().name().toLowerCase(java.util.Locale.ROOT);
      return outcome;
    } catch (StepLedger.Stale stale) {
      how = "over";
      return Outcome.over();
    } catch (InterruptedException stopped) {
      throw stopped;
    } catch (Exception trouble) {
      ledger.troubled(claim, words(trouble));
      throw trouble;
    } finally {
      meters.ended(step, how, Duration.ofNanos(System.nanoTime() - began));
    }
  }

  private StepWork work(StepName step) {
    return java.util.Objects.requireNonNull(works.get(step));
  }

  private static String words(Exception trouble) {
    String message = trouble.getMessage();
    return message == null ? trouble.getClass().getSimpleName() : message;
  }
}
