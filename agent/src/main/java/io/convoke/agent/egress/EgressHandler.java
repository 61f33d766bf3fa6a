package io.convoke.agent.egress;

import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.egress.EgressJoin.JoinedFile;
import io.convoke.agent.egress.EgressRequest.EgressKind;
import io.convoke.agent.egress.EgressRequest.EgressParseResult;
import io.convoke.agent.egress.EgressSegment.EgressGap;
import io.convoke.agent.egress.JanusForwarder.ForwardingRefused;
import io.convoke.agent.egress.JanusForwarder.Publisher;
import io.convoke.agent.egress.JanusForwarder.PublishersNow;
import io.convoke.agent.pod.TaskContext;
import io.convoke.agent.pod.TaskHandler;
import io.convoke.agent.pod.UsageException;
import io.convoke.agent.snapshot.SnapshotHandler;
import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * The task {@code egress}: records, streams, pictures or pushes the room that the channel names,
 * until it is stopped or has had no publisher for a while. What is complete is stored at once, so
 * that another pod goes on after a death and joins all at the end; the result tells what is
 * missing.
 */
public final class EgressHandler implements TaskHandler {
  private static final Logger log = LoggerFactory.getLogger(EgressHandler.class);
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final int TICKS_PER_LOOK = 2;
  private static final int TICKS_PER_REPORT = 5;

  /** More do not fit into a grid that one can see. */
  private static final int PUBLISHERS_MAX = 16;

  /** Runs of ffmpeg in a row that end without output. */
  private static final int FAILURES_MAX = 3;

  private final EgressConfig config;
  private final BlobStore blobs;

  private EgressHandler(EgressConfig config, BlobStore blobs) {
    this.config = config;
    this.blobs = blobs;
  }

  /**
   * Reads the settings; empty where no Janus is configured.
   *
   * @throws UsageException if they are invalid, with a message for the operator
   */
  public static Optional<EgressHandler> of(Map<String, String> environment) {
    return environment.getOrDefault(EgressConfig.ADMIN_URL, "").isEmpty()
        ? Optional.empty()
        : Optional.of(
            new EgressHandler(
                EgressConfig.read(environment), SnapshotHandler.openBlobStore(environment)));
  }

  @Override
  public AttemptOutcome run(TaskContext task) throws InterruptedException {
    return switch (EgressRequest.read(task.payload())) {
      case EgressParseResult.InvalidEgressRequest(String reason) ->
          new AttemptOutcome.AttemptFailed(reason);
      case EgressParseResult.ValidEgressRequest(EgressRequest request) -> {
        try (JanusForwarder janus = new JanusForwarder(config, task.channel(), request.secret());
            EgressRun run =
                new EgressRun(task, request, janus, EgressLedger.open(blobs, task.id()))) {
          yield run.run();
        } catch (IOException failed) {
          yield new AttemptOutcome.AttemptRetry(failed.toString());
        }
      }
    };
  }

  /** The state of an attempt, as it is stored every few seconds. */
  private record EgressProgress(
      int attempt, int parts, double seconds, long bytes, double cpuSeconds, Instant updatedAt) {}

  /** What came of the task. */
  private record EgressResult(
      String kind,
      String room,
      int attempts,
      double seconds,
      double cpuSeconds,
      List<JoinedFile> files,
      List<EgressGap> gaps) {}

  /** One attempt. */
  private final class EgressRun implements AutoCloseable {
    private final TaskContext task;
    private final EgressRequest request;
    private final JanusForwarder janus;
    private final EgressLedger ledger;
    private Optional<EgressPart> part = Optional.empty();
    private int parts;
    private int failures;
    private Duration cpu = Duration.ZERO;
    private boolean anyoneEver;
    private long lastSeen = System.nanoTime();
    private Instant lastPublished = Instant.EPOCH;

    private EgressRun(
        TaskContext task, EgressRequest request, JanusForwarder janus, EgressLedger ledger) {
      this.task = task;
      this.request = request;
      this.janus = janus;
      this.ledger = ledger;
    }

    private AttemptOutcome run() throws InterruptedException, IOException {
      stopForwardsOfEarlierAttempts();
      for (long tick = 0; !task.awaitStop(tick == 0 ? Duration.ZERO : TICK); tick++) {
        if (tick % TICKS_PER_LOOK == 0) {
          Optional<AttemptOutcome> end = look();
          if (end.isPresent()) {
            return end.get();
          }
          if (over()) {
            break;
          }
        }
        Optional<AttemptOutcome> failure = work();
        if (failure.isPresent()) {
          return failure.get();
        }
        if (tick % TICKS_PER_REPORT == 0) {
          report();
        }
      }
      endPart();
      finish();
      return new AttemptOutcome.AttemptDone();
    }

    /** Compares the publishers with those of the part; empty while all is well. */
    private Optional<AttemptOutcome> look() throws InterruptedException, IOException {
      try {
        PublishersNow look = janus.publishers(PUBLISHERS_MAX);
        List<Publisher> now = look.publishers();
        if (!now.isEmpty()) {
          anyoneEver = true;
          lastSeen = System.nanoTime();
          lastPublished = Instant.now();
        }
        if (part.isPresent() && !now.equals(part.get().publishers())) {
          endPart();
        }
        if (part.isEmpty() && !now.isEmpty()) {
          parts++;
          part =
              Optional.of(
                  EgressPart.start(
                      config, request, ledger, janus, now, task.id(), task.attempt(), parts));
        }
        if (part.isPresent()) {
          part.get().focus(look.talking());
        }
      } catch (ForwardingRefused refused) {
        if (!refused.roomIsGone() && !refused.publisherIsGone()) {
          return Optional.of(
              new AttemptOutcome.AttemptFailed("Janus refuses: " + refused.getMessage()));
        }
        endPart();
      } catch (IOException away) {
        log.info("Task {}: Janus does not answer: {}", task.id(), away.toString());
      }
      return Optional.empty();
    }

    private boolean over() {
      Duration quiet = Duration.ofNanos(System.nanoTime() - lastSeen);
      return quiet.compareTo(anyoneEver ? config.lastWait() : config.firstWait()) > 0;
    }

    private Optional<AttemptOutcome> work() throws InterruptedException, IOException {
      if (part.isEmpty()) {
        return Optional.empty();
      }
      boolean some = part.get().tick();
      if (some && request.kind() instanceof EgressKind.StreamRoom) {
        playlist(false);
      }
      if (part.get().alive()) {
        return Optional.empty();
      }
      failures = part.get().flows() ? 0 : failures + 1;
      String words = part.get().lastWords();
      log.info("Task {}: ffmpeg ended: {}", task.id(), words);
      endPart();
      return failures < FAILURES_MAX
          ? Optional.empty()
          : Optional.of(new AttemptOutcome.AttemptRetry("ffmpeg: " + words));
    }

    private void endPart() throws InterruptedException, IOException {
      if (part.isPresent()) {
        EgressPart ending = part.get();
        part = Optional.empty();
        try (ending) {
          ending.end();
          cpu = cpu.plus(ending.cpu());
        }
      }
    }

    private void playlist(boolean ended) throws IOException {
      ledger.write(
          "index.m3u8", EgressSegment.playlist(EgressSegment.whole(ledger.segments()), ended));
    }

    private void report() throws IOException {
      ledger.write(
          "progress.json",
          new EgressProgress(
              task.attempt(),
              parts,
              seconds(ledger.segments()),
              ledger.bytes(),
              used().toMillis() / 1000.0,
              Instant.now()));
    }

    private Duration used() {
      return part.map(running -> cpu.plus(running.cpu())).orElse(cpu);
    }

    private void finish() throws IOException, InterruptedException {
      List<EgressSegment> segments = ledger.segments();
      List<JoinedFile> files =
          switch (request.kind()) {
            case EgressKind.RecordRoom _ -> new EgressJoin(config, ledger).join(segments);
            case EgressKind.StreamRoom _ -> {
              playlist(true);
              yield List.of();
            }
            case EgressKind.PictureRoom _, EgressKind.PushRoom _ -> List.of();
          };
      report();
      ledger.write(
          "result.json",
          new EgressResult(
              task.payload().path("kind").asString(""),
              task.channel(),
              task.attempt(),
              seconds(segments),
              used().toMillis() / 1000.0,
              files,
              EgressSegment.gaps(EgressSegment.whole(segments), lastPublished)));
    }

    private static double seconds(List<EgressSegment> segments) {
      return EgressSegment.whole(segments).stream()
              .mapToLong(segment -> segment.length().toMillis())
              .sum()
          / 1000.0;
    }

    /** A pod that was killed left Janus sending to ports that have no listener any more. */
    private void stopForwardsOfEarlierAttempts() throws IOException, InterruptedException {
      if (task.attempt() == 1) {
        return;
      }
      for (JsonNode note : ledger.documentsBefore("part.json")) {
        for (JsonNode forward : note.path("forwards")) {
          janus.stop(forward.path("publisher").asString(""), forward.path("stream").asLong());
        }
      }
    }

    @Override
    public void close() throws IOException {
      if (part.isPresent()) {
        part.get().close();
      }
    }
  }
}
