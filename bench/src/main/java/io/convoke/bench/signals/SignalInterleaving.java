package io.convoke.bench.signals;

import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.LuaScript;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One random interleaving for a meeting, by seed: workers, signals and faults take turns, one Redis
 * call or one step of a worker at a time. After a phase of a few turns with faults comes a quiet
 * phase, in which all workers finish and one continues until no work is left; then each signal is
 * checked.
 *
 * <p>The scheduler, the faults and the check are here; the protocol decides how the flag is set,
 * claimed and returned.
 */
abstract sealed class SignalInterleaving permits ConvokeInterleaving, ReferenceInterleaving {
  private static final LuaScript ELAPSE =
      LuaScript.resource(SignalInterleaving.class, "elapse.lua");
  private static final LuaScript RENEW = LuaScript.resource(LeaseRenewer.class, "renew.lua");
  private static final LuaScript RELEASE = LuaScript.resource(LeaseRenewer.class, "release.lua");

  /** Milliseconds of the lock around a poll (docs/spec/presence.md). */
  static final String LEASE = "120000";

  /** Redis expires a dead node after this time. */
  private static final long NODE_FORGOTTEN_MILLIS = 15_001;

  private static final String STRANGER = "a stranger";
  private static final int STEP_MILLIS_MAX = 5_000;

  /** Turns of quiet after which a meeting that still wants something never will be quiet. */
  private static final int QUIET_MAX = 400;

  private enum InterleavingFault {
    CRASH,
    EXPIRE,
    FAIL,
    FOREIGN_LOCK,
    SILENCE
  }

  private final long seed;
  private final MeetingKeys keys;
  private final SplittableRandom random;
  private final InterleavingScheduler interleavingScheduler;
  private final List<FlagSignal> signals = new ArrayList<>();
  private final List<PollWorker> workers = new ArrayList<>();
  private final List<String> deadNodes = new ArrayList<>();
  private final List<String> story = new ArrayList<>();
  private Optional<PollWorker> acting = Optional.empty();
  private AwaitedSignal awaitedSignal = AwaitedSignal.OPENING;
  private int place;
  private int nodes;
  private int quiet;
  private int twice;

  private long dueIn = -1;
  private boolean faulty;
  private boolean failNext;
  private boolean foreignLock;
  private boolean calm;
  private boolean over;

  private enum AwaitedSignal {
    OPENING,
    WORKER,
    OTHER,
    QUIET
  }

  /** {@code id} is the meeting's, and no other's of the same Redis database. */
  SignalInterleaving(long seed, String id) {
    this.seed = seed;
    this.keys = new MeetingKeys(id);
    this.random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L);
    int workerCount = 1 + random.nextInt(3);
    for (int i = 0; i < workerCount; i++) {
      workers.add(new PollWorker(nextNode()));
    }
    this.interleavingScheduler = new InterleavingScheduler(random);
  }

  // --- implemented by a protocol ---

  /** The initial state in Redis. */
  abstract RedisCall opening();

  abstract RedisCall signal(SignalKind signalKind, int number);

  /** The first call of an idle worker, or the next one of a worker that has not begun yet. */
  abstract RedisCall attempt(PollWorker pollWorker);

  /** Understands the answer to {@link #attempt}. */
  abstract void attempted(PollWorker pollWorker, @Nullable Object answer);

  abstract RedisCall end(PollWorker pollWorker, boolean failed);

  abstract void ended(PollWorker pollWorker, boolean failed, @Nullable Object answer);

  /** The next call of quiet once all workers are idle; empty when nothing is left to do. */
  abstract Optional<RedisCall> settle();

  abstract void settled(@Nullable Object answer);

  /** The fault phase is over; forget what workers read in it. */
  abstract void calm();

  // --- the scheduler ---

  /** The next call, empty at the end. */
  final Optional<RedisCall> next() {
    if (place == 0) {
      place++;
      return Optional.of(opening());
    }
    while (!over) {
      place++;
      Optional<RedisCall> call =
          interleavingScheduler.blows() ? turn(interleavingScheduler.next()) : quietly();
      if (call.isPresent()) {
        return call;
      }
    }
    return Optional.empty();
  }

  final void answered(@Nullable Object answer) {
    switch (awaitedSignal) {
      case OPENING, OTHER -> {}
      case QUIET -> settled(answer);
      case WORKER -> acting.ifPresent(pollWorker -> workerAnswered(pollWorker, answer));
    }
  }

  private <T> T any(T[] values) {
    return values[random.nextInt(values.length)];
  }

  private Optional<RedisCall> turn(InterleavingScheduler.SchedulerTurn schedulerTurn) {
    return switch (schedulerTurn) {
      case SIGNAL -> Optional.of(signalNow());
      case WORKER -> step(workers.get(random.nextInt(workers.size())));
      case TIME -> Optional.of(elapse(1 + random.nextInt(STEP_MILLIS_MAX)));
      case FAULT -> fault(any(InterleavingFault.values()));
    };
  }

  private RedisCall signalNow() {
    SignalKind signalKind = any(SignalKind.values());
    signals.add(new FlagSignal(signalKind, point(), place));
    awaitedSignal = AwaitedSignal.OTHER;
    report(signalKind + " sets the flag");
    return signal(signalKind, signals.size() - 1);
  }

  private SignalPoint point() {
    SignalPoint signalPoint = deadNodes.isEmpty() ? SignalPoint.IDLE : SignalPoint.UNHELD;
    for (PollWorker pollWorker : workers) {
      if (pollWorker.works() && pollWorker.poll()) {
        signalPoint =
            !pollWorker.holds()
                ? SignalPoint.UNHELD
                : pollWorker.hasAsked() ? SignalPoint.AFTER_ASKING : SignalPoint.BEFORE_ASKING;
      }
    }
    return signalPoint;
  }

  private Optional<RedisCall> step(PollWorker pollWorker) {
    acting = Optional.of(pollWorker);
    awaitedSignal = AwaitedSignal.WORKER;
    if (!pollWorker.works()) {
      // Nothing is due yet, so the turn advances the clock instead.
      if (!calm && dueIn > 0 && random.nextInt(3) != 0) {
        return Optional.of(elapse(Math.min(dueIn + 1, STEP_MILLIS_MAX)));
      }
      return Optional.of(attempt(pollWorker));
    }
    return switch (pollWorker.step()) {
      case ASK -> {
        pollWorker.ask(place);
        pollWorker.stepped();
        report(pollWorker.node() + " asks the platform");
        yield Optional.empty();
      }
      case RENEW -> Optional.of(renew(pollWorker));
      case END -> {
        report(pollWorker.node() + (failNext ? " fails" : " ends"));
        yield Optional.of(end(pollWorker, failNext));
      }
    };
  }

  private void workerAnswered(PollWorker pollWorker, @Nullable Object answer) {
    if (!pollWorker.works()) {
      attempted(pollWorker, answer);
    } else if (pollWorker.step() == PollWorker.PollWorkerStep.RENEW) {
      if (answer instanceof List<?> renewed && Long.valueOf(1).equals(renewed.getFirst())) {
        pollWorker.stepped();
      } else {
        report(pollWorker.node() + " finds its lease expired and stops");
        pollWorker.idle();
      }
    } else {
      boolean failed = failNext;
      failNext = false;
      ended(pollWorker, failed, answer);
      pollWorker.idle();
    }
  }

  private Optional<RedisCall> fault(InterleavingFault interleavingFault) {
    awaitedSignal = AwaitedSignal.OTHER;
    Optional<PollWorker> busy = workers.stream().filter(PollWorker::works).findFirst();
    if (interleavingFault == InterleavingFault.FOREIGN_LOCK) {
      faulty = true;
      foreignLock = true;
      report("another program takes the lock unless it is held");
      return Optional.of(RedisCall.of("SET", keys.lock(), STRANGER, "NX", "PX", LEASE));
    }
    if (busy.isEmpty()) {
      return Optional.empty();
    }
    faulty = true;
    PollWorker pollWorker = busy.get();
    report(interleavingFault + " of " + pollWorker.node());
    return switch (interleavingFault) {
      case CRASH -> {
        deadNodes.add(pollWorker.node());
        workers.set(workers.indexOf(pollWorker), new PollWorker(nextNode()));
        yield Optional.empty();
      }
      case EXPIRE -> {
        // The current holder loses the lock.
        workers.forEach(PollWorker::loseLease);
        yield Optional.of(RedisCall.of("DEL", keys.lock()));
      }
      case SILENCE -> {
        pollWorker.loseLease();
        yield Optional.of(RedisCall.of("DEL", MeetingKeys.node(pollWorker.node())));
      }
      case FAIL, FOREIGN_LOCK -> {
        failNext = true;
        yield Optional.empty();
      }
    };
  }

  /** All workers finish, foreign locks are released, leases of dead workers expire. */
  private Optional<RedisCall> quietly() {
    if (!calm) {
      calm = true;
      calm();
      if (!deadNodes.isEmpty()) {
        return Optional.of(elapse(NODE_FORGOTTEN_MILLIS));
      }
    }
    if (foreignLock) {
      foreignLock = false;
      awaitedSignal = AwaitedSignal.OTHER;
      return Optional.of(RedisCall.eval(RELEASE, List.of(keys.lock()), STRANGER));
    }
    Optional<PollWorker> busy =
        workers.stream().filter(one -> one.phase() != PollWorker.PollWorkerPhase.IDLE).findFirst();
    if (busy.isPresent()) {
      return step(busy.get());
    }
    if (++quiet > QUIET_MAX) {
      report("never quiet");
      over = true;
      return Optional.empty();
    }
    awaitedSignal = AwaitedSignal.QUIET;
    Optional<RedisCall> call = settle();
    over = call.isEmpty();
    return call;
  }

  // --- used by protocols ---

  /** The worker that works alone in the quiet. */
  final RedisCall attemptInQuiet() {
    PollWorker first = workers.getFirst();
    acting = Optional.of(first);
    awaitedSignal = AwaitedSignal.WORKER;
    return attempt(first);
  }

  final RedisCall elapse(long millis) {
    awaitedSignal = calm ? AwaitedSignal.QUIET : AwaitedSignal.OTHER;
    List<String> names = new ArrayList<>(List.of(keys.ready(), keys.state(), keys.lock()));
    deadNodes.forEach(node -> names.add(MeetingKeys.node(node)));
    report(millis + " ms pass");
    dueIn = dueIn < 0 ? dueIn : Math.max(0, dueIn - millis);
    return RedisCall.eval(ELAPSE, names, Long.toString(millis), keys.id());
  }

  /** The time until something is due, negative when nothing is, as far as the protocol knows. */
  final void expectIn(long millis) {
    dueIn = millis;
  }

  /** The worker owns the meeting from this step on. */
  final void begin(PollWorker pollWorker, boolean poll, long dirty, List<String> evidence) {
    if (workers.stream().anyMatch(PollWorker::holds)) {
      twice++;
      report("two workers hold the meeting");
    }
    List<PollWorker.PollWorkerStep> plan = new ArrayList<>();
    if (poll) {
      interleavingScheduler.polled();
      plan.add(PollWorker.PollWorkerStep.ASK);
    }
    if (random.nextInt(4) == 0) {
      plan.add(random.nextInt(plan.size() + 1), PollWorker.PollWorkerStep.RENEW);
    }
    plan.add(PollWorker.PollWorkerStep.END);
    pollWorker.begin(place, poll, dirty, evidence, plan);
    report(pollWorker.node() + (poll ? " begins a poll" : " begins with evidence"));
  }

  /** Commits the worker's result. */
  final void onServed(PollWorker pollWorker) {
    if (pollWorker.poll()) {
      signals.forEach(flagSignal -> flagSignal.polled(pollWorker.began(), pollWorker.asked()));
    }
  }

  final void onSignalDelivered(int number) {
    signals.get(number).markDelivered();
  }

  final int draw(int bound) {
    return random.nextInt(bound);
  }

  final void report(String line) {
    story.add(line);
  }

  final MeetingKeys keys() {
    return keys;
  }

  static List<LuaScript> scripts() {
    return List.of(ELAPSE, RENEW, RELEASE);
  }

  // --- the judgement ---

  final long seed() {
    return seed;
  }

  final List<FlagSignal> signals() {
    return signals;
  }

  /** Whether anything broke; without, only turns were taken. */
  final boolean faulty() {
    return faulty;
  }

  /** How often two workers held the meeting at once. */
  final int twice() {
    return twice;
  }

  final List<String> story() {
    return story;
  }

  private RedisCall renew(PollWorker pollWorker) {
    return RedisCall.eval(RENEW, List.of(keys.lock()), pollWorker.token(), LEASE);
  }

  private String nextNode() {
    return "n" + keys.id() + "." + nodes++;
  }
}
