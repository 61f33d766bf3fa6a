package io.convoke.bench.signals;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** One worker and its state for the meeting. */
final class PollWorker {
  /** Where it is in its loop. */
  enum PollWorkerPhase {
    IDLE,
    /** It has taken the flag but not the lock; only the reference's worker reaches this. */
    LOCKING,
    WORKING
  }

  /** The steps of a worker between start and end. */
  enum PollWorkerStep {
    RENEW,
    ASK,
    END
  }

  private final String node;
  private PollWorkerPhase pollWorkerPhase = PollWorkerPhase.IDLE;
  private final Deque<PollWorkerStep> steps = new ArrayDeque<>();
  private String token = "";
  private int began;
  private int asked = -1;
  private boolean poll;
  private boolean held;
  private long dirty;
  private List<String> evidence = List.of();

  PollWorker(String node) {
    this.node = node;
  }

  String node() {
    return node;
  }

  PollWorkerPhase phase() {
    return pollWorkerPhase;
  }

  String token() {
    return token;
  }

  /** The token of its next attempt. */
  void take(String next) {
    token = next;
  }

  void locking() {
    pollWorkerPhase = PollWorkerPhase.LOCKING;
  }

  void begin(
      int at, boolean forPoll, long dirtySequence, List<String> events, List<PollWorkerStep> plan) {
    pollWorkerPhase = PollWorkerPhase.WORKING;
    began = at;
    asked = -1;
    poll = forPoll;
    held = true;
    dirty = dirtySequence;
    evidence = List.copyOf(events);
    steps.clear();
    steps.addAll(plan);
  }

  PollWorkerStep step() {
    return steps.getFirst();
  }

  void stepped() {
    PollWorkerStep _ = steps.removeFirst();
  }

  void ask(int at) {
    asked = at;
  }

  void idle() {
    pollWorkerPhase = PollWorkerPhase.IDLE;
    steps.clear();
    held = false;
  }

  /** Its lease expired without its noticing. */
  void loseLease() {
    held = false;
  }

  boolean works() {
    return pollWorkerPhase == PollWorkerPhase.WORKING;
  }

  /** It holds the lock and polls. */
  boolean holds() {
    return works() && held;
  }

  boolean poll() {
    return poll;
  }

  boolean hasAsked() {
    return asked >= 0;
  }

  int began() {
    return began;
  }

  int asked() {
    return asked;
  }

  long dirty() {
    return dirty;
  }

  List<String> evidence() {
    return evidence;
  }
}
