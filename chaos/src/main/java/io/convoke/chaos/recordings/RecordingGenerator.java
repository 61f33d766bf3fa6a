package io.convoke.chaos.recordings;

import io.convoke.chaos.recordings.rules.ExpectedRecording;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RecordingRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Creates the planned recordings on the platform, and sets up their faults in the platform's files,
 * the transcriber and the CRM.
 */
final class RecordingGenerator {
  /** Longer than the one second below which a recording has no duration. */
  private static final Duration LENGTH = Duration.ofMillis(1300);

  private static final Duration BLINK = Duration.ofMillis(100);

  /** One rejection for each retry. */
  private static final int REFUSALS = 40;

  /** Longer than the server's timeout for the CRM. */
  private static final Duration LATE = Duration.ofSeconds(32);

  private final Simulator platform;
  private final FakeCrm crm;
  private final FakeTranscriber transcriber;
  private final Path blobs;
  private final Map<String, Set<Long>> meetings = new HashMap<>();
  private final List<ExpectedRecording> expectedRecordings = new ArrayList<>();
  private final Map<String, Deque<Duration>> slow = new HashMap<>();
  private final Map<String, Runnable> meanwhile = new ConcurrentHashMap<>();

  RecordingGenerator(Simulator platform, FakeCrm crm, FakeTranscriber transcriber, Path blobs) {
    this.platform = platform;
    this.crm = crm;
    this.transcriber = transcriber;
    this.blobs = blobs;
    platform.sounding(this::file);
  }

  /** The recordings of a room may belong to these meetings. */
  void open(String room, Set<Long> mayBelong) {
    meetings.put(room, mayBelong);
  }

  /** The next recording of a room lasts until this is done in its midst. */
  void meanwhile(String room, Runnable action) {
    var _ = meanwhile.put(room, action);
  }

  /** A started recording. */
  record StartedRecording(Recording recording, RecordingPlanStep.PlannedEnding ending) {}

  /** Starts a recording; the same participant must stop it. */
  synchronized StartedRecording start(RecordingPlanStep.MakeRecording step) {
    RecordingRequest request =
        new RecordingRequest(
            step.room(),
            "cloud",
            Optional.of(UUID.randomUUID().toString()),
            Optional.empty(),
            step.ending() == RecordingPlanStep.PlannedEnding.CANCELED
                ? Recording.RecordingOutcome.CANCELED
                : Recording.RecordingOutcome.FINISHED);
    Recording recording = platform.world().startRecording(request).orElseThrow();
    expect(recording, step.faultPlan());
    expectedRecordings.add(
        new ExpectedRecording(
            recording.recordingId(),
            recording.label(),
            end(step),
            meetings.getOrDefault(step.room(), Set.of()),
            SpokenAudio.lines(recording.label()),
            step.faultPlan().work(),
            step.faultPlan().wish()));
    return new StartedRecording(recording, step.ending());
  }

  /** A recording that comes from a bot, of one meeting. */
  synchronized void uploaded(UploadingBot bot, long meeting, RecordingFaultPlan faultPlan) {
    expectedRecordings.add(
        new ExpectedRecording(
            bot.id(),
            bot.label(),
            ExpectedRecording.ExpectedEnd.DONE,
            Set.of(meeting),
            SpokenAudio.lines(bot.label()),
            faultPlan.work(),
            faultPlan.wish()));
  }

  void end(StartedRecording started) {
    LockSupport.parkNanos(
        (started.ending() == RecordingPlanStep.PlannedEnding.EMPTY ? BLINK : LENGTH).toNanos());
    Optional.ofNullable(meanwhile.remove(started.recording().room()))
        .ifPresent(
            action -> {
              action.run();
              LockSupport.parkNanos(LENGTH.toNanos());
            });
    int _ =
        platform
            .world()
            .stopRecording(
                started.recording().room(), Optional.of(started.recording().instanceId()));
  }

  synchronized List<ExpectedRecording> expectedRecordings() {
    return List.copyOf(expectedRecordings);
  }

  /** The id of the recording with this label. */
  String id(String label) {
    return expectedRecordings().stream()
        .filter(expected -> expected.label().equals(label))
        .map(ExpectedRecording::id)
        .findFirst()
        .orElse(label);
  }

  private static ExpectedRecording.ExpectedEnd end(RecordingPlanStep.MakeRecording step) {
    return switch (step.ending()) {
      case CANCELED -> ExpectedRecording.ExpectedEnd.CANCELLED;
      case EMPTY -> ExpectedRecording.ExpectedEnd.EMPTY;
      case FINISHED ->
          step.faultPlan().unavailable()
              ? ExpectedRecording.ExpectedEnd.UNHEARD
              : step.faultPlan().unwelcome()
                  ? ExpectedRecording.ExpectedEnd.UNWELCOME
                  : ExpectedRecording.ExpectedEnd.DONE;
    };
  }

  private void expect(Recording recording, RecordingFaultPlan faultPlan) {
    slow.put(recording.label(), new ArrayDeque<>(faultPlan.slow()));
    String id = recording.recordingId();
    transcriber.expect(
        recording.label(),
        faultPlan,
        blobs.resolve("blobs").resolve("recordings").resolve(id).resolve("audio"));
    for (RecordingFaultPlan.CrmFault one : faultPlan.crm()) {
      RequestFault requestFault =
          switch (one) {
            case BROKEN -> new RequestFault.RefuseRequest(500);
            case UNHEARD -> new RequestFault.LoseAnswer();
            case LATE -> new RequestFault.DelayRequest(LATE);
            case REFUSED -> new RequestFault.RefuseRequest(422);
            case BUSY -> new RequestFault.RefuseRequest(429);
          };
      if (!faultPlan.unwelcome() || requestFault instanceof RequestFault.RefuseRequest) {
        crm.faults().next(fakeRequest -> fakeRequest.text().contains(id), requestFault);
      }
    }
    for (int i = 0; faultPlan.unwelcome() && i < REFUSALS; i++) {
      crm.faults()
          .next(
              fakeRequest -> fakeRequest.text().contains(id), new RequestFault.RefuseRequest(422));
    }
  }

  private byte[] file(Recording recording) {
    Duration wait;
    synchronized (this) {
      Deque<Duration> waits = slow.getOrDefault(recording.label(), new ArrayDeque<>());
      wait = waits.isEmpty() ? Duration.ZERO : waits.removeFirst();
    }
    LockSupport.parkNanos(wait.toNanos());
    return SpokenAudio.audio(recording.label());
  }
}
