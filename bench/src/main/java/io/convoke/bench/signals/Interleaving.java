package io.convoke.bench.signals;

import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.redis.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One random interleaving for a meeting, by seed: workers, signals and faults take turns, one Redis
 * call or one step of a worker at a time. A storm of a few turns is followed by quiet, in which all
 * workers finish and one continues until nothing is left to do; then each signal is judged.
 *
 * <p>The scheduler, the faults and the judgement are here; how the flag is set, claimed and given
 * back is the protocol's.
 */
abstract sealed class Interleaving permits OurInterleaving, SeedInterleaving {
  private static final Script ELAPSE = Script.resource(Interleaving.class, "elapse.lua");
  private static final Script RENEW = Script.resource(LeaseKeeper.class, "renew.lua");
  private static final Script RELEASE = Script.resource(LeaseKeeper.class, "release.lua");

  /** Milliseconds of the lock around a poll. Source: seed 000, "Poll Execution Lock". */
  static final String LEASE = "120000";

  /** After this Redis has forgotten a node that died. */
  private static final long NODE_FORGOTTEN_MILLIS = 15_001;

  private static final String STRANGER = "a stranger";
  private static final int STEP_MILLIS_MAX = 5_000;

  /** Turns of quiet after which a meeting that still wants something never will be quiet. */
  private static final int QUIET_MAX = 400;

  private enum Fault {
    CRASH,
    EXPIRE,
    FAIL,
    FOREIGN_LOCK,
    SILENCE
  }

  private final long seed;
  private final MeetingKeys keys;
  private final SplittableRandom random;
  private final Storm storm;
  private final List<Signal> signals = new ArrayList<>();
  private final List<Worker> workers = new ArrayList<>();
  private final List<String> deadNodes = new ArrayList<>();
  private final List<String> story = new ArrayList<>();
  private Optional<Worker> acting = Optional.empty();
  private Awaited awaited = Awaited.OPENING;
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

  private enum Awaited {
    OPENING,
    WORKER,
    OTHER,
    QUIET
  }

  /** {@code id} is the meeting's, and no other's of the same Redis database. */
  Interleaving(long seed, String id) {
    this.seed = seed;
    this.keys = new MeetingKeys(id);
    this.random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L);
    int workerCount = 1 + random.nextInt(3);
    for (int i = 0; i < workerCount; i++) {
      workers.add(new Worker(nextNode()));
    }
    this.storm = new Storm(random);
  }

  // --- what a protocol brings ---

  /** What must stand in Redis before anything happens. */
  abstract Call opening();

  abstract Call signal(Kind kind, int number);

  /** The first call of an idle worker, or the next one of a worker that has not begun yet. */
  abstract Call attempt(Worker worker);

  /** Understands the answer to {@link #attempt}. */
  abstract void attempted(Worker worker, @Nullable Object answer);

  abstract Call end(Worker worker, boolean failed);

  abstract void ended(Worker worker, boolean failed, @Nullable Object answer);

  /** The next call of quiet once all workers are idle; empty when nothing is left to do. */
  abstract Optional<Call> settle();

  abstract void settled(@Nullable Object answer);

  /** The storm is over; what was learned in it is old. */
  abstract void calm();

  // --- the scheduler ---

  /** The next call, empty when the story is over. */
  final Optional<Call> next() {
    if (place == 0) {
      place++;
      return Optional.of(opening());
    }
    while (!over) {
      place++;
      Optional<Call> call = storm.blows() ? turn(storm.next()) : quietly();
      if (call.isPresent()) {
        return call;
      }
    }
    return Optional.empty();
  }

  final void answered(@Nullable Object answer) {
    switch (awaited) {
      case OPENING, OTHER -> {}
      case QUIET -> settled(answer);
      case WORKER -> acting.ifPresent(worker -> workerAnswered(worker, answer));
    }
  }

  private <T> T any(T[] values) {
    return values[random.nextInt(values.length)];
  }

  private Optional<Call> turn(Storm.Turn turn) {
    return switch (turn) {
      case SIGNAL -> Optional.of(signalNow());
      case WORKER -> step(workers.get(random.nextInt(workers.size())));
      case TIME -> Optional.of(elapse(1 + random.nextInt(STEP_MILLIS_MAX)));
      case FAULT -> fault(any(Fault.values()));
    };
  }

  private Call signalNow() {
    Kind kind = any(Kind.values());
    signals.add(new Signal(kind, point(), place));
    awaited = Awaited.OTHER;
    tell(kind + " sets the flag");
    return signal(kind, signals.size() - 1);
  }

  private Point point() {
    Point point = deadNodes.isEmpty() ? Point.IDLE : Point.UNHELD;
    for (Worker worker : workers) {
      if (worker.works() && worker.poll()) {
        point =
            !worker.holds()
                ? Point.UNHELD
                : worker.hasAsked() ? Point.AFTER_ASKING : Point.BEFORE_ASKING;
      }
    }
    return point;
  }

  private Optional<Call> step(Worker worker) {
    acting = Optional.of(worker);
    awaited = Awaited.WORKER;
    if (!worker.works()) {
      // Nothing is due before its time, so a turn is better spent on letting it come.
      if (!calm && dueIn > 0 && random.nextInt(3) != 0) {
        return Optional.of(elapse(Math.min(dueIn + 1, STEP_MILLIS_MAX)));
      }
      return Optional.of(attempt(worker));
    }
    return switch (worker.step()) {
      case ASK -> {
        worker.ask(place);
        worker.stepped();
        tell(worker.node() + " asks the platform");
        yield Optional.empty();
      }
      case RENEW -> Optional.of(renew(worker));
      case END -> {
        tell(worker.node() + (failNext ? " fails" : " ends"));
        yield Optional.of(end(worker, failNext));
      }
    };
  }

  private void workerAnswered(Worker worker, @Nullable Object answer) {
    if (!worker.works()) {
      attempted(worker, answer);
    } else if (worker.step() == Worker.Step.RENEW) {
      if (answer instanceof List<?> renewed && Long.valueOf(1).equals(renewed.getFirst())) {
        worker.stepped();
      } else {
        tell(worker.node() + " finds its lease gone and gives up");
        worker.idle();
      }
    } else {
      boolean failed = failNext;
      failNext = false;
      ended(worker, failed, answer);
      worker.idle();
    }
  }

  private Optional<Call> fault(Fault fault) {
    awaited = Awaited.OTHER;
    Optional<Worker> busy = workers.stream().filter(Worker::works).findFirst();
    if (fault == Fault.FOREIGN_LOCK) {
      faulty = true;
      foreignLock = true;
      tell("a stranger takes the lock unless it is held");
      return Optional.of(Call.of("SET", keys.lock(), STRANGER, "NX", "PX", LEASE));
    }
    if (busy.isEmpty()) {
      return Optional.empty();
    }
    faulty = true;
    Worker worker = busy.get();
    tell(fault + " of " + worker.node());
    return switch (fault) {
      case CRASH -> {
        deadNodes.add(worker.node());
        workers.set(workers.indexOf(worker), new Worker(nextNode()));
        yield Optional.empty();
      }
      case EXPIRE -> {
        // The current holder loses the lock.
        workers.forEach(Worker::loseLease);
        yield Optional.of(Call.of("DEL", keys.lock()));
      }
      case SILENCE -> {
        worker.loseLease();
        yield Optional.of(Call.of("DEL", MeetingKeys.node(worker.node())));
      }
      case FAIL, FOREIGN_LOCK -> {
        failNext = true;
        yield Optional.empty();
      }
    };
  }

  /** All workers finish, foreign locks are released, leases of dead workers expire. */
  private Optional<Call> quietly() {
    if (!calm) {
      calm = true;
      calm();
      if (!deadNodes.isEmpty()) {
        return Optional.of(elapse(NODE_FORGOTTEN_MILLIS));
      }
    }
    if (foreignLock) {
      foreignLock = false;
      awaited = Awaited.OTHER;
      return Optional.of(Call.eval(RELEASE, List.of(keys.lock()), STRANGER));
    }
    Optional<Worker> busy =
        workers.stream().filter(one -> one.phase() != Worker.Phase.IDLE).findFirst();
    if (busy.isPresent()) {
      return step(busy.get());
    }
    if (++quiet > QUIET_MAX) {
      tell("never quiet");
      over = true;
      return Optional.empty();
    }
    awaited = Awaited.QUIET;
    Optional<Call> call = settle();
    over = call.isEmpty();
    return call;
  }

  // --- what protocols use ---

  /** The worker that works alone in the quiet. */
  final Call attemptInQuiet() {
    Worker first = workers.getFirst();
    acting = Optional.of(first);
    awaited = Awaited.WORKER;
    return attempt(first);
  }

  final Call elapse(long millis) {
    awaited = calm ? Awaited.QUIET : Awaited.OTHER;
    List<String> names = new ArrayList<>(List.of(keys.ready(), keys.state(), keys.lock()));
    deadNodes.forEach(node -> names.add(MeetingKeys.node(node)));
    tell(millis + " ms pass");
    dueIn = dueIn < 0 ? dueIn : Math.max(0, dueIn - millis);
    return Call.eval(ELAPSE, names, Long.toString(millis), keys.id());
  }

  /** How long until something is due, negative when nothing is, as far as the protocol was told. */
  final void expectIn(long millis) {
    dueIn = millis;
  }

  /** The worker owns the meeting from this step on. */
  final void begin(Worker worker, boolean poll, long dirty, List<String> evidence) {
    if (workers.stream().anyMatch(Worker::holds)) {
      twice++;
      tell("two hold the meeting");
    }
    List<Worker.Step> plan = new ArrayList<>();
    if (poll) {
      storm.polled();
      plan.add(Worker.Step.ASK);
    }
    if (random.nextInt(4) == 0) {
      plan.add(random.nextInt(plan.size() + 1), Worker.Step.RENEW);
    }
    plan.add(Worker.Step.END);
    worker.begin(place, poll, dirty, evidence, plan);
    tell(worker.node() + (poll ? " begins a poll" : " begins with evidence"));
  }

  /** What the worker did is committed. */
  final void served(Worker worker) {
    if (worker.poll()) {
      signals.forEach(signal -> signal.polled(worker.began(), worker.asked()));
    }
  }

  final void heard(int number) {
    signals.get(number).heard();
  }

  final int draw(int bound) {
    return random.nextInt(bound);
  }

  final void tell(String line) {
    story.add(line);
  }

  final MeetingKeys keys() {
    return keys;
  }

  static List<Script> scripts() {
    return List.of(ELAPSE, RENEW, RELEASE);
  }

  // --- the judgement ---

  final long seed() {
    return seed;
  }

  final List<Signal> signals() {
    return signals;
  }

  /** Whether anything broke; without, only turns were taken. */
  final boolean faulty() {
    return faulty;
  }

  /** How often two held the meeting at once. */
  final int twice() {
    return twice;
  }

  final List<String> story() {
    return story;
  }

  private Call renew(Worker worker) {
    return Call.eval(RENEW, List.of(keys.lock()), worker.token(), LEASE);
  }

  private String nextNode() {
    return "n" + keys.id() + "." + nodes++;
  }
}
