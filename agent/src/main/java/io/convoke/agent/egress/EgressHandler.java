package io.convoke.agent.egress;

import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.egress.EgressPart.NotedForward;
import io.convoke.agent.egress.EgressRequest.EgressKind;
import io.convoke.agent.egress.EgressRequest.EgressParseResult;
import io.convoke.agent.egress.JanusForwarder.ForwardingRefused;
import io.convoke.agent.egress.JanusForwarder.JanusAway;
import io.convoke.agent.egress.JanusForwarder.Publisher;
import io.convoke.agent.egress.JanusForwarder.PublishersNow;
import io.convoke.agent.pod.TaskContext;
import io.convoke.agent.pod.TaskHandler;
import io.convoke.agent.pod.UsageException;
import io.convoke.agent.process.WorkFolder;
import io.convoke.agent.snapshot.SnapshotHandler;
import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * The task {@code egress}: records, streams, pictures or pushes the room that the channel names,
 * until it is stopped or has had no publisher for a while. What is complete is stored at once, so
 * that another pod goes on after a death and joins all at the end; the result tells what is
 * missing. What the blob store does not take waits in the pod: short failures of it end no attempt,
 * and no call of it holds a recording up.
 */
public final class EgressHandler implements TaskHandler {
  private static final Logger log = LoggerFactory.getLogger(EgressHandler.class);

  /** The action of a task that finishes another one, which servers alone submit. */
  private static final String FINISH = "finish";

  private static final int TICKS_PER_LOOK = 2;
  private static final int TICKS_PER_REPORT = 5;

  /** Not at each look: to list them, Janus holds its room's locks for a while. */
  private static final int TICKS_PER_LIST_OF_FORWARDS = 10;

  /** More do not fit into a grid that one can see. */
  private static final int PUBLISHERS_MAX = 16;

  /** Runs of ffmpeg in a row that end without output, or do not begin. */
  private static final int FAILURES_MAX = 3;

  /** A store whose call lasts this long counts as one that fails. */
  private static final Duration HANGING = Duration.ofSeconds(30);

  /** In the folder of a run that goes on, something is written every few seconds, or never. */
  private static final Duration FOLDERS_KEPT = Duration.ofDays(1);

  private final EgressConfig config;
  private final BlobStore blobs;

  EgressHandler(EgressConfig config, BlobStore blobs) {
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
    deleteAbandonedFolders();
    return switch (task.action().equals(FINISH)
        ? EgressRequest.readFinish(task.payload())
        : EgressRequest.read(task.payload())) {
      case EgressParseResult.InvalidEgressRequest(String reason) ->
          new AttemptOutcome.AttemptFailed(reason);
      case EgressParseResult.ValidEgressRequest(EgressRequest request) -> {
        try (JanusForwarder janus = new JanusForwarder(config, task.channel(), request.secret());
            EgressRun run =
                new EgressRun(
                    task,
                    request,
                    janus,
                    EgressLedger.open(blobs, task.id(), config.retryPolicy()))) {
          yield run.run();
        } catch (IOException failed) {
          yield new AttemptOutcome.AttemptRetry(failed.toString());
        }
      }
      case EgressParseResult.ValidFinishRequest(String of, EgressKind kind) -> {
        try {
          new EgressResultWriter(config, EgressLedger.open(blobs, of, config.retryPolicy()), kind)
              .writeForEndedTask(kindName(task), task.channel());
          yield new AttemptOutcome.AttemptDone();
        } catch (IOException failed) {
          yield new AttemptOutcome.AttemptRetry(failed.toString());
        }
      }
    };
  }

  /** A pod that was killed left on the disk what it had recorded and not stored. */
  private static void deleteAbandonedFolders() {
    try {
      int _ = WorkFolder.deleteAbandoned(Instant.now().minus(FOLDERS_KEPT));
    } catch (IOException left) {
      log.warn("folders of a killed pod are not deleted: {}", left.toString());
    }
  }

  private static String kindName(TaskContext task) {
    return task.payload().path("kind").asString("");
  }

  /** The state of an attempt, as it is stored every few seconds. */
  private record EgressProgress(
      int attempt, int parts, double seconds, long bytes, double cpuSeconds, Instant updatedAt) {}

  /** One attempt. */
  private final class EgressRun implements AutoCloseable {
    private final TaskContext task;
    private final EgressRequest request;
    private final JanusForwarder janus;
    private final EgressLedger ledger;
    private Optional<EgressPart> part = Optional.empty();

    /** Parts that have ended and may have something to store. */
    private final Deque<EgressPart> ended = new ArrayDeque<>();

    /** Puts the first file that waits; its answer is the size in bytes. */
    private final StoreThread<Long> putting = new StoreThread<>();

    private int storeFailures;
    private long storeAgain = System.nanoTime();

    /** Writes the playlist and the progress. */
    private final StoreThread<Boolean> writing = new StoreThread<>();

    private long reportTick;

    /** How many segments the stored playlist was made of. */
    private volatile int listed;

    private int parts;
    private int failures;
    private Duration cpu = Duration.ZERO;
    private boolean anyoneEver;

    /** Whether Janus has told of this room: without a publisher it is known to be empty. */
    private boolean answered;

    /** Who published at the last look, in the order of their tiles. */
    private List<Publisher> shown = List.of();

    /** Whether the last look saw no publisher. */
    private boolean quiet = true;

    /** When the first of those looks was. */
    private long quietSince = System.nanoTime();

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
      boolean more = true;
      for (long tick = 0; !task.awaitStop(more ? Duration.ZERO : config.tick()); tick++) {
        if (tick % TICKS_PER_LOOK == 0) {
          Optional<AttemptOutcome> end = look(tick % TICKS_PER_LIST_OF_FORWARDS == 0);
          if (end.isPresent()) {
            boolean _ = store();
            return end.get();
          }
          if (over()) {
            // What an earlier attempt recorded is joined without Janus too.
            if (!answered && ledger.segments().isEmpty()) {
              return new AttemptOutcome.AttemptRetry("Janus did not answer");
            }
            break;
          }
        }
        Optional<AttemptOutcome> failure = work();
        if (failure.isPresent()) {
          return failure.get();
        }
        more = store();
        write(tick);
        checkWaiting();
      }
      endPart();
      finish();
      return new AttemptOutcome.AttemptDone();
    }

    /**
     * Compares the publishers, and what Janus forwards, with those of the part; empty while all is
     * well.
     */
    private Optional<AttemptOutcome> look(boolean forwards)
        throws InterruptedException, IOException {
      try {
        PublishersNow look = janus.publishers(shown, PUBLISHERS_MAX);
        answered();
        List<Publisher> now = look.publishers();
        shown = now;
        looked(!now.isEmpty());
        if (part.isPresent()
            && (!now.equals(part.get().publishers()) || (forwards && !part.get().isForwarded()))) {
          endPart();
        }
        if (part.isEmpty() && !now.isEmpty()) {
          parts++;
          part =
              Optional.of(
                  EgressPart.start(
                      config, request, ledger, janus, now, task.id(), task.attempt(), parts));
        }
        if (part.isPresent() && part.get().alive()) {
          part.get().focus(look.talking());
        }
      } catch (ForwardingRefused refused) {
        if (!refused.roomIsGone() && !refused.publisherIsGone()) {
          return Optional.of(
              new AttemptOutcome.AttemptFailed("Janus refuses: " + refused.getMessage()));
        }
        answered();
        looked(false);
        endPart();
      } catch (JanusAway away) {
        looked(false);
        log.info("Task {}: Janus does not answer: {}", task.id(), away.toString());
      } catch (IOException here) {
        // A full disk, for example, which another pod may not have.
        log.warn("Task {}: nothing can be recorded here: {}", task.id(), here.toString());
        return failed(here.toString());
      }
      return Optional.empty();
    }

    /** Only from the first answer on it is known how long the room is empty. */
    private void answered() {
      if (!answered) {
        answered = true;
        quietSince = System.nanoTime();
      }
    }

    private void looked(boolean anyone) {
      if (anyone) {
        anyoneEver = true;
        lastPublished = Instant.now();
      } else if (!quiet) {
        quietSince = System.nanoTime();
      }
      quiet = !anyone;
    }

    /** Whether looks see no publisher for long enough, counted from the first one of them. */
    private boolean over() {
      Duration wait = anyoneEver ? config.lastWait() : config.firstWait();
      return quiet && System.nanoTime() - quietSince > wait.toNanos();
    }

    private Optional<AttemptOutcome> work() throws InterruptedException, IOException {
      if (part.isEmpty()) {
        return Optional.empty();
      }
      part.get().collect();
      if (part.get().alive()) {
        return Optional.empty();
      }
      EgressPart ending = part.get();
      endPart();
      String words = ending.lastWords();
      log.info("Task {}: ffmpeg ended: {}", task.id(), words);
      return ending.flows() ? Optional.empty() : failed("ffmpeg: " + words);
    }

    /** Counts a run that made nothing; ends the attempt after several in a row. */
    private Optional<AttemptOutcome> failed(String why) throws IOException, InterruptedException {
      failures++;
      if (failures < FAILURES_MAX) {
        return Optional.empty();
      }
      storeRest();
      return Optional.of(new AttemptOutcome.AttemptRetry(why));
    }

    private void endPart() throws InterruptedException, IOException {
      if (part.isPresent()) {
        EgressPart ending = part.get();
        part = Optional.empty();
        ended.add(ending);
        ending.end();
        if (ending.flows()) {
          failures = 0;
        }
        cpu = cpu.plus(ending.cpu());
      }
    }

    /**
     * Stores what waits, for a tick at most, so that publishers are looked at in time. What the
     * store does not take waits for a later tick; a call that lasts longer goes on meanwhile.
     *
     * @return whether the time was over before all was stored
     */
    private boolean store() throws InterruptedException {
      if (System.nanoTime() - storeAgain < 0) {
        return false;
      }
      try {
        long until = System.nanoTime() + config.tick().toNanos();
        while (System.nanoTime() - until < 0) {
          if (!putting.runs()) {
            Optional<EgressPart> first = firstWaiting();
            if (first.isEmpty()) {
              return false;
            }
            putting.start(first.get().put());
          }
          takePut(Duration.ofNanos(until - System.nanoTime()));
        }
        return true;
      } catch (IOException away) {
        storeFailures++;
        Duration pause = config.retryPolicy().pause(storeFailures);
        storeAgain = System.nanoTime() + pause.toNanos();
        log.warn("Task {}: files wait for the blob store: {}", task.id(), away.toString());
        return false;
      }
    }

    /** Counts the file that is being put as stored, if it is within this time. */
    private void takePut(Duration atMost) throws IOException, InterruptedException {
      Optional<Long> size = putting.answer(atMost);
      if (size.isPresent()) {
        storeFailures = 0;
        firstWaiting().orElseThrow().stored(size.get());
      }
    }

    /**
     * Ends the attempt when more waits than may while the store fails or hangs: the disk is not the
     * pod's alone.
     */
    private void checkWaiting() throws IOException {
      if (storeFailures == 0 && putting.age().compareTo(HANGING) < 0) {
        return;
      }
      long waiting =
          Stream.concat(ended.stream(), part.stream()).mapToLong(EgressPart::waitingBytes).sum();
      if (waiting > config.waitingMax()) {
        throw new IOException(waiting + " bytes wait for the blob store");
      }
    }

    /** The first part that has a file to store; parts that have ended and have none are closed. */
    private Optional<EgressPart> firstWaiting() {
      while (!ended.isEmpty() && !ended.getFirst().waits()) {
        ended.removeFirst().close();
      }
      return Stream.concat(ended.stream(), part.stream()).filter(EgressPart::waits).findFirst();
    }

    /** Stores the next file; false if none waits. */
    private boolean storeNext() throws IOException {
      Optional<EgressPart> first = firstWaiting();
      if (first.isPresent()) {
        first.get().stored(first.get().put().call());
      }
      return first.isPresent();
    }

    /** Waits for the calls that run, as long as one that fails is repeated, and ends them then. */
    private void endCalls() throws InterruptedException {
      try {
        takePut(config.retryPolicy().horizon());
      } catch (IOException away) {
        log.warn("Task {}: a file is stored again: {}", task.id(), away.toString());
      }
      putting.close();
      takeWrite(config.retryPolicy().horizon());
      writing.close();
    }

    /** Stores all that waits, each file again and again while the store fails. */
    private void storeRest() throws IOException, InterruptedException {
      endCalls();
      boolean more = true;
      while (more) {
        more = ledger.patiently(this::storeNext);
      }
    }

    /**
     * Begins to store the progress at times, and else the playlist if it has become longer. What is
     * not stored is followed by the next one.
     */
    private void write(long tick) throws InterruptedException {
      takeWrite(Duration.ZERO);
      if (writing.runs() || storeFailures > 0) {
        return;
      }
      int segments = ledger.segments().size();
      if (tick >= reportTick) {
        reportTick = tick + TICKS_PER_REPORT;
        EgressProgress progress = progress();
        writing.start(
            () -> {
              ledger.write("progress.json", progress);
              return true;
            });
      } else if (request.kind() instanceof EgressKind.StreamRoom && segments > listed) {
        String playlist = EgressSegment.playlist(EgressSegment.whole(ledger.segments()), false);
        writing.start(
            () -> {
              ledger.write("index.m3u8", playlist);
              listed = segments;
              return true;
            });
      }
    }

    private void takeWrite(Duration atMost) throws InterruptedException {
      try {
        Optional<Boolean> _ = writing.answer(atMost);
      } catch (IOException away) {
        log.warn("Task {}: progress or playlist is not stored: {}", task.id(), away.toString());
      }
    }

    private EgressProgress progress() {
      return new EgressProgress(
          task.attempt(),
          parts,
          EgressResultWriter.seconds(ledger.segments()),
          ledger.bytes(),
          used().toMillis() / 1000.0,
          Instant.now());
    }

    private Duration used() {
      return part.map(running -> cpu.plus(running.cpu())).orElse(cpu);
    }

    /** Stores the rest and joins all; calls of a store that fails are repeated. */
    private void finish() throws IOException, InterruptedException {
      storeRest();
      try {
        ledger.write("progress.json", progress());
      } catch (IOException away) {
        log.warn("Task {}: the progress is not stored: {}", task.id(), away.toString());
      }
      new EgressResultWriter(config, ledger, request.kind())
          .write(
              kindName(task),
              task.channel(),
              task.attempt(),
              used().toMillis() / 1000.0,
              lastPublished);
    }

    /** A pod that was killed left Janus sending to ports that have no listener any more. */
    private void stopForwardsOfEarlierAttempts() throws InterruptedException {
      if (task.attempt() == 1) {
        return;
      }
      List<NotedForward> forwards = new ArrayList<>();
      try {
        for (JsonNode note : ledger.documentsBefore("part.json")) {
          for (JsonNode forward : note.path("forwards")) {
            forwards.add(
                new NotedForward(
                    forward.path("publisher").asString(""), forward.path("stream").asLong()));
          }
        }
      } catch (IOException away) {
        log.warn("Task {}: earlier notes are not read: {}", task.id(), away.toString());
      }
      janus.stopAll(forwards);
    }

    @Override
    public void close() {
      putting.close();
      writing.close();
      part.ifPresent(EgressPart::close);
      ended.forEach(EgressPart::close);
    }
  }
}
