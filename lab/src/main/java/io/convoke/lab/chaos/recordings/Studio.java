package io.convoke.lab.chaos.recordings;

import io.convoke.lab.chaos.recordings.verdict.Truth;
import io.convoke.lab.crm.CrmStandIn;
import io.convoke.lab.orchestra.Faults.Fault;
import io.convoke.lab.sim.Simulator;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.RecordingRequest;
import io.convoke.lab.sim.world.RoomRequest;
import io.convoke.lab.sim.world.Visitor;
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
import java.util.concurrent.locks.LockSupport;

/**
 * Has recordings appear on the platform as the plan says, and sees to it that each one's fate
 * awaits it: with the platform's files, with the transcriber and with the CRM.
 */
final class Studio {
  /** Longer than the second below which a recording has no length. */
  private static final Duration LENGTH = Duration.ofMillis(1300);

  private static final Duration BLINK = Duration.ofMillis(100);

  /** A refusal for each time that somebody may try it. */
  private static final int REFUSALS = 40;

  /** Longer than a CRM is waited for. */
  private static final Duration LATE = Duration.ofSeconds(32);

  private final Simulator platform;
  private final CrmStandIn crm;
  private final Ear ear;
  private final Path blobs;
  private final Map<String, Set<Long>> meetings = new HashMap<>();
  private final List<Truth> truths = new ArrayList<>();
  private final Map<String, Deque<Duration>> slow = new HashMap<>();

  Studio(Simulator platform, CrmStandIn crm, Ear ear, Path blobs) {
    this.platform = platform;
    this.crm = crm;
    this.ear = ear;
    this.blobs = blobs;
    platform.sounding(this::file);
  }

  /** Opens a room, in which somebody stays; its recordings may belong to these meetings. */
  void open(String room, Set<Long> mayBelong) {
    var _ = platform.world().ensure(RoomRequest.named(room));
    var _ = platform.world().join(room, Visitor.named("Ada"));
    meetings.put(room, mayBelong);
  }

  /** A recording that has been started. */
  record Started(Recording recording, Step.Ending ending) {}

  /** Starts one; whoever started it has it end. */
  synchronized Started start(Step.Take step) {
    RecordingRequest request =
        new RecordingRequest(
            step.room(),
            "cloud",
            Optional.of(UUID.randomUUID().toString()),
            Optional.empty(),
            step.ending() == Step.Ending.CANCELED
                ? Recording.Outcome.CANCELED
                : Recording.Outcome.FINISHED);
    Recording recording = platform.world().startRecording(request).orElseThrow();
    expect(recording, step.fate());
    truths.add(
        new Truth(
            recording.recordingId(),
            recording.label(),
            end(step),
            meetings.getOrDefault(step.room(), Set.of()),
            Speech.lines(recording.label())));
    return new Started(recording, step.ending());
  }

  void end(Started started) {
    LockSupport.parkNanos((started.ending() == Step.Ending.EMPTY ? BLINK : LENGTH).toNanos());
    int _ =
        platform
            .world()
            .stopRecording(
                started.recording().room(), Optional.of(started.recording().instanceId()));
  }

  synchronized List<Truth> truths() {
    return List.copyOf(truths);
  }

  /** The id of the recording with this label. */
  String id(String label) {
    return truths().stream()
        .filter(truth -> truth.label().equals(label))
        .map(Truth::id)
        .findFirst()
        .orElse(label);
  }

  private static Truth.End end(Step.Take step) {
    return switch (step.ending()) {
      case CANCELED -> Truth.End.CANCELLED;
      case EMPTY -> Truth.End.EMPTY;
      case FINISHED ->
          step.fate().deaf()
              ? Truth.End.UNHEARD
              : step.fate().unwelcome() ? Truth.End.UNWELCOME : Truth.End.DONE;
    };
  }

  private void expect(Recording recording, Fate fate) {
    slow.put(recording.label(), new ArrayDeque<>(fate.slow()));
    String id = recording.recordingId();
    ear.expect(
        recording.label(),
        fate,
        blobs.resolve("blobs").resolve("recordings").resolve(id).resolve("audio"));
    for (Fate.Crm one : fate.crm()) {
      Fault fault =
          switch (one) {
            case BROKEN -> new Fault.Fail(500);
            case UNHEARD -> new Fault.LoseAnswer();
            case LATE -> new Fault.Slow(LATE);
            case REFUSED -> new Fault.Fail(422);
          };
      if (!fate.unwelcome() || fault instanceof Fault.Fail) {
        crm.faults().next(ask -> ask.text().contains(id), fault);
      }
    }
    for (int i = 0; fate.unwelcome() && i < REFUSALS; i++) {
      crm.faults().next(ask -> ask.text().contains(id), new Fault.Fail(422));
    }
  }

  private byte[] file(Recording recording) {
    Duration wait;
    synchronized (this) {
      Deque<Duration> waits = slow.getOrDefault(recording.label(), new ArrayDeque<>());
      wait = waits.isEmpty() ? Duration.ZERO : waits.removeFirst();
    }
    LockSupport.parkNanos(wait.toNanos());
    return Speech.audio(recording.label());
  }
}
