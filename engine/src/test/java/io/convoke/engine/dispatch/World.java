package io.convoke.engine.dispatch;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;
import static java.util.stream.Collectors.toSet;

import io.convoke.engine.redis.Script;
import io.convoke.engine.state.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The model of one place: tasks as the reducer moves them, pods, a clock. It makes up an operation,
 * and says of the answer, and of all tasks as they stand then, whether they are legal.
 */
final class World {
  static final DispatchTerms TERMS = DispatchTerms.seed();
  private static final long TIMEOUT = TERMS.taskTimeout().toMillis();
  private static final int LIVE_MAX = 10;

  private final TaskLifecycle lifecycle = new TaskLifecycle(TERMS.maxAttempts());
  private final Functions functions;
  private final Random random;
  private final Map<String, Shadow> tasks = new LinkedHashMap<>();
  private final Crew crew = new Crew();

  /** How many tasks of its own each region took since one of no region, while such waited. */
  private final Map<String, Integer> sinceShared = new HashMap<>();

  private final String runId;
  private final String prefix;
  private long now = 1_736_778_738_000L;
  private int made;

  /** What stands in fences since the store was compared with the ledger last. */
  private String generation = "g";

  private int rebuilds;

  /** An operation: calls, one of whose answers counts, and what the model makes of it. */
  record Op<T>(
      String name,
      List<Call<?>> before,
      Call<T> call,
      List<Call<?>> after,
      java.util.function.Consumer<T> check) {
    Op(String name, Call<T> call, java.util.function.Consumer<T> check) {
      this(name, List.of(), call, List.of(), check);
    }
  }

  /** The store forgets a place, and its rebuild begins. */
  static final Script FORGET =
      Script.of(
          "forget",
          """
          for _, key in ipairs(redis.call('KEYS', KEYS[1] .. '*')) do
            if key ~= KEYS[1] .. 'clock' then
              redis.call('DEL', key)
            end
          end
          redis.call('SET', KEYS[1] .. 'dispatch:rebuild', 'token')
          return 1
          """);

  World(Functions functions, String runId, String prefix, long seed) {
    this.functions = functions;
    this.runId = runId;
    this.prefix = prefix;
    this.random = new Random(seed);
  }

  long now() {
    return now;
  }

  /** Lets some time pass, mostly little. */
  void pass() {
    now += random.nextInt(4) == 0 ? random.nextInt(20_000) : random.nextInt(1500);
  }

  List<String> ids() {
    return List.copyOf(tasks.keySet());
  }

  /** Ends the memory of tasks that are over, so that the test does not grow; answers them. */
  List<String> forget() {
    List<String> over = with(task -> task.life.state().terminal()).stream().map(t -> t.id).toList();
    over.forEach(tasks::remove);
    return over;
  }

  Op<?> next() {
    int kind = random.nextInt(100);
    List<Shadow> known = List.copyOf(tasks.values());
    long live = known.stream().filter(task -> !task.life.state().terminal()).count();
    if (known.isEmpty() || (kind < 22 && live < LIVE_MAX)) {
      return enqueue();
    }
    if (random.nextInt(120) == 0) {
      return rebuild();
    }
    Shadow any = known.get(random.nextInt(known.size()));
    return switch (kind / 4) {
      case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 -> claim();
      case 11 -> again(any);
      case 12, 13 -> renew();
      case 14, 15 -> told("complete", any, TaskEvent.Complete::new, functions::complete);
      case 16 ->
          told("fail", any, TaskEvent.Fail::new, (pod, held) -> functions.fail(pod, held, "no"));
      case 17 -> retry(any);
      case 18 ->
          told(
              "hand back",
              any,
              attempt -> new TaskEvent.HandBack(attempt, ranLong(any)),
              (pod, held) -> functions.handBack(pod, held, "drains"));
      case 19 -> stop(any);
      case 20, 21 ->
          sweep("expire", functions.expire(100), this::expired, task -> new TaskEvent.Expire());
      case 22, 23 ->
          sweep(
              "reclaim",
              functions.reclaim(100),
              this::abandoned,
              task -> new TaskEvent.Reclaim(ranLong(task)));
      default -> random.nextBoolean() ? overflow() : drain();
    };
  }

  /** Compares all tasks as they stand with the model, each written in one line. */
  void compare(List<String> ids, List<?> lines) {
    for (int i = 0; i < ids.size(); i++) {
      Shadow shadow = tasks.get(ids.get(i));
      if (shadow != null && !shadow.line().equals(lines.get(i))) {
        throw new AssertionError(
            "at %d the store has «%s», the model «%s»".formatted(now, lines.get(i), shadow.line()));
      }
    }
  }

  /** Compares who is queued and who is held with the model: every live task is in one place. */
  void audit(List<?> queued, List<?> ordered, List<?> held, List<?> heads) {
    Set<String> pending =
        with(t -> t.life.state() == TaskState.PENDING).stream().map(t -> t.id).collect(toSet());
    Set<String> running =
        with(t -> t.life.state() == TaskState.PROCESSING).stream().map(t -> t.id).collect(toSet());
    check(
        queued.size() == pending.size() && Set.copyOf(queued).equals(pending),
        "queues",
        queued,
        pending);
    Set<String> lanes =
        with(t -> t.life.state() == TaskState.PENDING).stream()
            .map(t -> t.id + " " + t.lane + " " + t.spec.type())
            .collect(toSet());
    check(
        ordered.size() == lanes.size() && Set.copyOf(ordered).equals(lanes),
        "lanes",
        ordered,
        lanes);
    check(heads.isEmpty(), "heads that are not the first of their lanes", heads, List.of());
    check(
        held.size() == running.size() && Set.copyOf(held).equals(running), "leases", held, running);
  }

  private Op<Enqueued> enqueue() {
    made++;
    String region = List.of("eu", "us", "").get(random.nextInt(3));
    String channel = "c" + random.nextInt(3);
    String id = prefix + made;
    String type = random.nextInt(3) == 0 ? "record" : "snapshot";
    NewTask spec =
        Kit.ofType(
            type, random.nextInt(5) == 0 ? Kit.unique(id, channel) : Kit.task(id, region, channel));
    Optional<Shadow> holder =
        with(
                t ->
                    spec.unique()
                        && t.unique
                        && !t.life.state().terminal()
                        && t.spec.channel().equals(channel))
            .stream()
            .findFirst();
    return new Op<>(
        "enqueue",
        functions.enqueue(spec),
        answer -> {
          if (holder.isPresent()) {
            check(answer.equals(new Enqueued.ChannelBusy(holder.get().id)), "busy", answer, holder);
          } else {
            check(answer instanceof Enqueued.Created, "created", answer, spec);
            tasks.put(id, new Shadow(spec, now));
          }
        });
  }

  private Op<Enqueued> again(Shadow task) {
    return new Op<>(
        "again",
        functions.enqueue(task.spec),
        answer ->
            check(
                answer instanceof Enqueued.Known(Task known) && looksLike(known, task.life),
                "known",
                answer,
                task));
  }

  private static boolean looksLike(Task known, TaskLife life) {
    return known.state() == life.state()
        && known.stop() == life.stop()
        && known.attempt() == life.attempt();
  }

  private Op<Claimed> claim() {
    PodName pod = pod();
    int free = 1 + random.nextInt(3);
    return new Op<>(
        "claim",
        functions.claim(
            pod,
            9,
            java.util.stream.IntStream.range(0, free).boxed().toList(),
            Crew.capacity(pod.id()),
            1),
        answer -> claimed(pod, free, answer));
  }

  private void claimed(PodName pod, int free, Claimed answer) {
    Predicate<Shadow> reach =
        t ->
            !crew.drains(pod.id())
                && Crew.takesType(pod.id(), t.spec.type())
                && (t.lane.equals(pod.region()) || t.lane.startsWith(Place.GLOBAL));
    List<Shadow> fresh = with(t -> waits(t) && reach.test(t) && !expired(t));
    check(answer.tasks().size() == Math.min(free, fresh.size()), "claimed", answer, fresh);
    checkOrder(pod.region(), answer.tasks(), new ArrayList<>(fresh));
    for (Task task : answer.tasks()) {
      Shadow shadow = known(task.id());
      check(waits(shadow) && reach.test(shadow) && !expired(shadow), "claim", task, shadow);
      move(shadow, new TaskEvent.Claim(false));
      shadow.pod = pod.id();
      shadow.fence = task.fence();
      shadow.claimedAt = now;
      shadow.leaseEnd = now + TERMS.lease().toMillis();
      check(shadow.fence.equals(shadow.life.attempt() + "." + generation), "fence", task, shadow);
    }
    said(pod, 9);
  }

  /**
   * Who goes first: of a line what is at its head, then what overflowed, oldest first; the own
   * region's before the others; of no region what overflowed in one order with the region's, and
   * one of four at least.
   */
  private void checkOrder(String region, List<Task> given, List<Shadow> waiting) {
    for (Task task : given) {
      Shadow next = known(task.id());
      boolean _ = waiting.remove(next);
      String line = Place.regionOf(next.lane);
      check(
          waiting.stream().noneMatch(t -> lineOf(t).equals(line) && t.goesBefore(next)),
          "passed in its line",
          next,
          waiting);
      List<Shadow> own = waiting.stream().filter(t -> lineOf(t).equals(region)).toList();
      List<Shadow> none = waiting.stream().filter(t -> lineOf(t).equals(Place.GLOBAL)).toList();
      int since = sinceShared.getOrDefault(region, 0);
      if (line.equals(region)) {
        if (!none.isEmpty()) {
          check(since < 3, "no share", next, none);
          check(
              none.stream().noneMatch(t -> t.rank() < 2 && t.goesBefore(next)),
              "passed by the region",
              next,
              none);
          sinceShared.put(region, since + 1);
        }
      } else if (!own.isEmpty()) {
        boolean before = next.rank() < 2 && own.stream().noneMatch(t -> t.goesBefore(next));
        check(
            line.equals(Place.GLOBAL) && (since >= 3 || before), "before the region's", next, own);
        sinceShared.put(region, 0);
      }
    }
  }

  private static String lineOf(Shadow task) {
    return Place.regionOf(task.lane);
  }

  private void said(PodName pod, int offered) {
    boolean holds = !with(t -> holds(t, pod.id())).isEmpty();
    crew.said(pod.id(), offered, now + (holds ? TERMS.silence() : TERMS.parked()).toMillis());
  }

  /** A claim may mark what is overdue where it looked; it need not have looked everywhere. */
  void overdueMayBeMarked(List<String> ids, List<?> lines) {
    for (int i = 0; i < ids.size(); i++) {
      Shadow shadow = known(ids.get(i));
      boolean marked = ((String) lines.get(i)).startsWith("TIMEOUT");
      if (marked && shadow.life.state() == TaskState.PENDING && expired(shadow)) {
        move(shadow, new TaskEvent.Claim(true));
      }
    }
  }

  private Op<Renewed> renew() {
    PodName pod = pod();
    List<Shadow> some = List.copyOf(tasks.values());
    List<Held> held = some.stream().map(this::shown).toList();
    int offered = random.nextInt(4) == 0 ? 0 : 9;
    return new Op<>(
        "renew",
        functions.renew(pod, offered, 0, held),
        answer -> {
          if (offered == 0) {
            crew.offersNothing(pod.id());
          }
          check(answer.drain() == crew.drains(pod.id()), "to drain", answer, pod);
          for (int i = 0; i < some.size(); i++) {
            Shadow task = some.get(i);
            boolean right = holdsNow(task, pod.id(), held.get(i));
            Step<TaskLife> step =
                lifecycle.next(task.life, new TaskEvent.Renew(right ? task.life.attempt() : -1));
            boolean extended = step instanceof Step.Stay<TaskLife>;
            check((answer.words().get(i) == Word.APPLIED) == extended, "renewed", answer, task);
            if (extended) {
              task.leaseEnd = now + TERMS.lease().toMillis();
            }
          }
          said(pod, offered);
          Set<String> stop =
              with(t -> holds(t, pod.id()) && t.life.stop()).stream()
                  .map(t -> t.id)
                  .collect(toSet());
          check(answer.stop().equals(stop), "to stop", answer, stop);
        });
  }

  private Op<Word> told(
      String name,
      Shadow task,
      java.util.function.IntFunction<TaskEvent> event,
      java.util.function.BiFunction<String, Held, Call<Word>> call) {
    Held held = shown(task);
    String pod = random.nextInt(5) > 0 && !task.pod.isEmpty() ? task.pod : pod().id();
    boolean right = holdsNow(task, pod, held);
    TaskEvent what = event.apply(right ? task.life.attempt() : -1);
    return new Op<>(
        name,
        call.apply(pod, held),
        word -> check(word == expected(task, what), name + " answered", word, task));
  }

  private Op<Stopped> stop(Shadow task) {
    return new Op<>(
        "stop",
        functions.stop(task.id, java.time.Duration.ZERO),
        stopped ->
            check(
                stopped.word() == expected(task, new TaskEvent.Stop()),
                "stop answered",
                stopped,
                task));
  }

  private Op<Swept> sweep(
      String name, Call<Swept> call, Predicate<Shadow> due, Function<Shadow, TaskEvent> event) {
    return new Op<>(
        name,
        call,
        answer -> {
          List<Shadow> swept = with(due);
          check(answer.equals(sweptOf(swept)), name + " swept", answer, swept);
          swept.forEach(task -> move(task, event.apply(task)));
          if (name.equals("reclaim")) {
            crew.bury(now);
          }
        });
  }

  private Op<Word> drain() {
    String pod = pod().id();
    boolean drain = random.nextBoolean();
    return new Op<>(
        "drain",
        functions.drain(pod, drain),
        word -> {
          Word expected = crew.drain(pod, drain, now);
          check(word == expected, "drain answered", word, expected);
        });
  }

  private Op<Swept> overflow() {
    return new Op<>(
        "overflow",
        functions.overflow(100),
        answer -> {
          List<Shadow> moved =
              with(
                  t ->
                      waits(t)
                          && !t.overflowed()
                          && (now - t.pendingAt > TERMS.overflowAfter().toMillis()
                              || !(t.lane.equals(Place.GLOBAL) || crew.takes(t.lane, now))));
          Swept regions = sweptOf(with(t -> moved.contains(t) && !t.lane.equals(Place.GLOBAL)));
          check(
              answer.equals(new Swept(moved.size(), regions.byRegion())),
              "overflowed",
              answer,
              moved);
          moved.forEach(
              task -> {
                task.lane = "global:" + task.lane;
                task.head = false;
              });
        });
  }

  private static Swept sweptOf(List<Shadow> tasks) {
    return new Swept(
        tasks.size(),
        tasks.stream()
            .collect(groupingBy(task -> Place.regionOf(task.lane), summingInt(task -> 1))));
  }

  private Word expected(Shadow task, TaskEvent event) {
    return switch (lifecycle.next(task.life, event)) {
      case Step.Move<TaskLife> _ -> {
        move(task, event);
        yield Word.APPLIED;
      }
      case Step.Stay<TaskLife> _ -> Word.REPEATED;
      case Step.Refuse<TaskLife> _ -> Word.STALE;
    };
  }

  private void move(Shadow task, TaskEvent event) {
    Step<TaskLife> step = lifecycle.next(task.life, event);
    if (!(step instanceof Step.Move<TaskLife>(TaskLife to, var _))) {
      throw new AssertionError("illegal: " + event + " of " + task + ": " + step);
    }
    if (task.life.state() == TaskState.PROCESSING && to.state() == TaskState.PENDING) {
      task.formerly.add(new Held(task.id, task.fence));
      task.pod = "";
      task.fence = "";
      task.pendingAt = now;
      task.head = event instanceof TaskEvent.Reclaim || event instanceof TaskEvent.HandBack;
    }
    task.life = to;
    if (to.state() == TaskState.PENDING && event instanceof TaskEvent.TryAgain) {
      delay(task);
    }
  }

  /** What somebody shows who may or may not hold the task by now. */
  private Held shown(Shadow task) {
    return !task.formerly.isEmpty() && random.nextInt(3) == 0
        ? task.formerly.get(random.nextInt(task.formerly.size()))
        : new Held(task.id, task.fence);
  }

  /** Whether a pod holds a task; one that was taken from the ledger it does by reporting it. */
  private boolean holdsNow(Shadow task, String pod, Held held) {
    if (!pod.isEmpty() && task.pod.equals(pod) && task.fence.equals(held.fence())) {
      return true;
    }
    int attempt = held.fence().contains(".") ? attemptOf(held) : -1;
    if (!task.fence.equals("?") || task.life.state().terminal() || attempt < task.life.attempt()) {
      return false;
    }
    if (task.life.state() == TaskState.PENDING) {
      task.claimedAt = now;
      task.leaseEnd = now;
    }
    task.life = new TaskLife(TaskState.PROCESSING, task.life.stop(), attempt, task.life.tries());
    task.pod = pod;
    task.fence = held.fence();
    return true;
  }

  private static int attemptOf(Held held) {
    return Integer.parseInt(held.fence().substring(0, held.fence().indexOf('.')));
  }

  /**
   * The store forgets everything and is compared with a ledger, which may not have heard of the
   * last claims. What runs by the ledger keeps its attempt and its pod.
   */
  private Op<Integer> rebuild() {
    rebuilds++;
    List<Shadow> open = with(task -> !task.life.state().terminal());
    Set<String> unheard =
        open.stream()
            .filter(task -> task.life.state() == TaskState.PROCESSING)
            .filter(task -> !task.life.stop() && random.nextInt(3) == 0)
            .map(task -> task.id)
            .collect(toSet());
    String next = "g" + rebuilds;
    return new Op<>(
        "rebuild",
        List.of(new Call<>(FORGET, functions.place(), List.of(), answer -> answer)),
        functions.adopt(
            "token",
            open.stream().map(task -> known(task, unheard.contains(task.id))).toList(),
            _ -> false),
        List.of(functions.whole("token", next, runId)),
        count -> {
          check(count == open.size(), "taken in", count, open);
          generation = next;
          boolean _ = tasks.values().removeIf(task -> task.life.state().terminal());
          crew.forget();
          sinceShared.clear();
          open.forEach(task -> takenIn(task, unheard.contains(task.id)));
        });
  }

  /** As the ledger knows it. */
  private OpenTask known(Shadow task, boolean claimUnheard) {
    boolean runs = task.life.state() == TaskState.PROCESSING && !claimUnheard;
    return new OpenTask(
        task.id,
        task.spec.requestId(),
        task.spec.region(),
        task.spec.channel(),
        Optional.empty(),
        task.spec.type(),
        task.spec.spec().toString(),
        runs ? TaskState.PROCESSING : TaskState.PENDING,
        claimUnheard ? task.life.attempt() - 1 : task.life.attempt(),
        task.life.tries(),
        task.life.stop(),
        true,
        java.time.Duration.ZERO,
        java.time.Duration.ofMillis(now - task.pendingAt),
        10_000L * rebuilds,
        runs
            ? Optional.of(
                new OpenTask.Run(
                    task.pod, Optional.of(0), java.time.Duration.ofMillis(now - task.claimedAt)))
            : Optional.empty());
  }

  private void takenIn(Shadow task, boolean claimUnheard) {
    task.lane = task.spec.region().orElse(Place.GLOBAL);
    task.head = false;
    task.unique = false;
    if (task.life.state() == TaskState.PROCESSING) {
      boolean _ = task.formerly.add(new Held(task.id, task.fence));
    }
    if (task.life.state() == TaskState.PROCESSING && !claimUnheard) {
      task.pendingAt = now;
      task.leaseEnd = now + TERMS.lease().toMillis();
      crew.said(task.pod, 0, task.leaseEnd);
    } else {
      int attempt = claimUnheard ? task.life.attempt() : task.life.attempt() + 1;
      task.life = new TaskLife(TaskState.PENDING, false, attempt, task.life.tries());
      task.pod = "";
    }
    task.fence = "?";
  }

  private boolean expired(Shadow task) {
    return task.life.state() == TaskState.PENDING && now > task.pendingAt + TIMEOUT;
  }

  /** It may be claimed now: no delay before its next try goes on. */
  private boolean waits(Shadow task) {
    return task.life.state() == TaskState.PENDING && task.pendingAt <= now;
  }

  /** Its attempt was renewed for a whole lease or longer. */
  private static boolean ranLong(Shadow task) {
    return task.leaseEnd - task.claimedAt >= 2 * TERMS.lease().toMillis();
  }

  /** Its next try waits twice as long as the one before, and by its jitter longer. */
  private Op<Word> retry(Shadow task) {
    return told(
        "retry",
        task,
        attempt -> new TaskEvent.TryAgain(attempt, ranLong(task)),
        (pod, held) -> {
          Call<Word> call = functions.tryAgain(pod, held, "busy");
          task.jitter = Double.parseDouble(call.args().getLast());
          return call;
        });
  }

  private void delay(Shadow task) {
    double backoff = 1000 * Math.pow(2, Math.max(0, task.life.tries() - 1));
    task.pendingAt = now + (long) Math.floor(Math.min(30_000, backoff) * (1 + task.jitter));
  }

  private boolean abandoned(Shadow task) {
    return task.life.state() == TaskState.PROCESSING
        && (!crew.lives(task.pod, now) || task.leaseEnd < now);
  }

  private static boolean holds(Shadow task, String pod) {
    return task.life.state() == TaskState.PROCESSING && task.pod.equals(pod);
  }

  private Shadow known(String id) {
    Shadow shadow = tasks.get(id);
    if (shadow == null) {
      throw new AssertionError("the model does not know " + id);
    }
    return shadow;
  }

  private PodName pod() {
    String id = Crew.PODS.get(random.nextInt(Crew.PODS.size()));
    return new PodName(id, id.substring(0, 2));
  }

  private List<Shadow> with(Predicate<Shadow> fits) {
    return tasks.values().stream().filter(fits).toList();
  }

  private void check(boolean holds, String what, Object told, Object model) {
    if (!holds) {
      throw new AssertionError(
          "%s at %d: told %s, the model says %s".formatted(what, now, told, model));
    }
  }
}
