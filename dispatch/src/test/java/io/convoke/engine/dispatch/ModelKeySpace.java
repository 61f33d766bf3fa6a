package io.convoke.engine.dispatch;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;
import static java.util.stream.Collectors.toSet;

import io.convoke.engine.state.LifecycleStep;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The model of one key space: tasks with the reducer's states, pods, a clock. It draws an operation
 * and checks its result and all task states afterwards.
 */
final class ModelKeySpace {
  static final DispatchConfig CONFIG = DispatchConfig.seed();
  private static final int LIVE_MAX = 10;

  private final TaskLifecycle lifecycle = new TaskLifecycle(CONFIG.maxAttempts());
  private final TaskScripts taskScripts;
  private final Random random;
  private final Map<String, ModelTask> tasks = new LinkedHashMap<>();
  private final ModelPods modelPods = new ModelPods();

  /** Tasks of its own that each region claimed since one without a region, while such waited. */
  private final Map<String, Integer> sinceShared = new HashMap<>();

  private final String runId;
  private final String prefix;
  private long now = 1_736_778_738_000L;
  private int made;

  /** The suffix of fences since the last comparison with the database. */
  private String generation = "g";

  private int rebuilds;

  /** Until then pods report what they hold, and none claims. */
  private long reports;

  ModelKeySpace(TaskScripts taskScripts, String runId, String prefix, long seed) {
    this.taskScripts = taskScripts;
    this.runId = runId;
    this.prefix = prefix;
    this.random = new Random(seed);
  }

  long now() {
    return now;
  }

  void pass() {
    now += random.nextInt(4) == 0 ? random.nextInt(20_000) : random.nextInt(1500);
  }

  List<String> ids() {
    return List.copyOf(tasks.keySet());
  }

  List<String> forget() {
    List<String> over = with(task -> task.life.state().terminal()).stream().map(t -> t.id).toList();
    over.forEach(tasks::remove);
    return over;
  }

  ModelOp<?> next() {
    int kind = random.nextInt(100);
    List<ModelTask> known = List.copyOf(tasks.values());
    long live = known.stream().filter(task -> !task.life.state().terminal()).count();
    if (known.isEmpty() || (kind < 22 && live < LIVE_MAX)) {
      return enqueue();
    }
    if (random.nextInt(120) == 0) {
      return rebuild();
    }
    ModelTask any = known.get(random.nextInt(known.size()));
    return switch (kind / 4) {
      case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 -> claim();
      case 11 -> again(any);
      case 12, 13 -> renew();
      case 14, 15 -> told("complete", any, TaskEvent.Complete::new, taskScripts::complete);
      case 16 ->
          told(
              "fail",
              any,
              TaskEvent.Fail::new,
              (pod, taskLeaseRef) -> taskScripts.fail(pod, taskLeaseRef, "no"));
      case 17 -> retry(any);
      case 18 ->
          told(
              "hand back",
              any,
              attempt -> new TaskEvent.HandBack(attempt, any.ranLong()),
              (pod, taskLeaseRef) -> taskScripts.handBack(pod, taskLeaseRef, "drains"));
      case 19 -> stop(any);
      case 20, 21 ->
          sweep(
              "expire",
              taskScripts.expire(100),
              task -> task.expired(now),
              task -> new TaskEvent.Expire());
      case 22, 23 ->
          sweep(
              "reclaim",
              taskScripts.reclaim(100),
              this::abandoned,
              task -> new TaskEvent.Reclaim(task.ranLong()));
      default -> random.nextBoolean() ? overflow() : drain();
    };
  }

  /** Compares the states of all tasks, one a line, with the model. */
  void compare(List<String> ids, List<?> lines) {
    for (int i = 0; i < ids.size(); i++) {
      ModelTask modelTask = tasks.get(ids.get(i));
      if (modelTask != null && !modelTask.line().equals(lines.get(i))) {
        throw new AssertionError(
            "at %d the store has «%s», the model «%s»"
                .formatted(now, lines.get(i), modelTask.line()));
      }
    }
  }

  /** Compares queues and leases with the model: every open task is in exactly one of them. */
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

  private ModelOp<EnqueueResult> enqueue() {
    made++;
    String region = List.of("eu", "us", "").get(random.nextInt(3));
    String channel = "c" + random.nextInt(3);
    String id = prefix + made;
    String type = random.nextInt(3) == 0 ? "record" : "snapshot";
    NewTask spec =
        DispatchTestKit.ofType(
            type,
            random.nextInt(5) == 0
                ? DispatchTestKit.unique(id, channel)
                : DispatchTestKit.task(id, region, channel));
    Optional<ModelTask> holder =
        with(
                t ->
                    spec.unique()
                        && t.unique
                        && !t.life.state().terminal()
                        && t.spec.channel().equals(channel))
            .stream()
            .findFirst();
    return new ModelOp<>(
        "enqueue",
        taskScripts.enqueue(spec),
        answer -> {
          if (holder.isPresent()) {
            check(
                answer.equals(new EnqueueResult.ChannelBusy(holder.get().id)),
                "busy",
                answer,
                holder);
          } else {
            check(answer instanceof EnqueueResult.Created, "created", answer, spec);
            tasks.put(id, new ModelTask(spec, now));
          }
        });
  }

  private ModelOp<EnqueueResult> again(ModelTask task) {
    return new ModelOp<>(
        "again",
        taskScripts.enqueue(task.spec),
        answer ->
            check(
                answer instanceof EnqueueResult.AlreadyEnqueued(Task known)
                    && task.isShownAs(known),
                "known",
                answer,
                task));
  }

  private ModelOp<ClaimResult> claim() {
    PodId pod = pod();
    int free = 1 + random.nextInt(3);
    return new ModelOp<>(
        "claim",
        taskScripts.claim(
            pod,
            9,
            java.util.stream.IntStream.range(0, free).boxed().toList(),
            ModelPods.capacity(pod.id()),
            1),
        answer -> claimed(pod, free, answer));
  }

  private void claimed(PodId pod, int free, ClaimResult answer) {
    Predicate<ModelTask> reach =
        t ->
            !modelPods.drains(pod.id())
                && now >= reports
                && ModelPods.takesType(pod.id(), t.spec.type())
                && (t.lane.equals(pod.region()) || t.lane.startsWith(KeySpace.GLOBAL));
    List<ModelTask> fresh = with(t -> t.waits(now) && reach.test(t) && !t.expired(now));
    check(answer.tasks().size() == Math.min(free, fresh.size()), "claimed", answer, fresh);
    checkOrder(pod.region(), answer.tasks(), new ArrayList<>(fresh));
    for (Task task : answer.tasks()) {
      ModelTask modelTask = known(task.id());
      check(
          modelTask.waits(now) && reach.test(modelTask) && !modelTask.expired(now),
          "claim",
          task,
          modelTask);
      move(modelTask, new TaskEvent.Claim(false));
      modelTask.pod = pod.id();
      modelTask.fence = task.fence();
      modelTask.claimedAt = now;
      modelTask.leaseEnd = now + CONFIG.lease().toMillis();
      check(
          modelTask.fence.equals(modelTask.life.attempt() + "." + generation),
          "fence",
          task,
          modelTask);
    }
    said(pod, 9);
  }

  /**
   * The expected order: the head of a line, then overflowed tasks by deadline; own region first;
   * one task of four at least has no region.
   */
  private void checkOrder(String region, List<Task> given, List<ModelTask> waiting) {
    for (Task task : given) {
      ModelTask next = known(task.id());
      boolean _ = waiting.remove(next);
      String line = KeySpace.regionOf(next.lane);
      check(
          waiting.stream().noneMatch(t -> lineOf(t).equals(line) && t.goesBefore(next)),
          "passed in its line",
          next,
          waiting);
      List<ModelTask> own = waiting.stream().filter(t -> lineOf(t).equals(region)).toList();
      List<ModelTask> none =
          waiting.stream().filter(t -> lineOf(t).equals(KeySpace.GLOBAL)).toList();
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
            line.equals(KeySpace.GLOBAL) && (since >= 3 || before),
            "before the region's",
            next,
            own);
        sinceShared.put(region, 0);
      }
    }
  }

  private static String lineOf(ModelTask task) {
    return KeySpace.regionOf(task.lane);
  }

  private void said(PodId pod, int offered) {
    boolean holds = !with(t -> t.heldBy(pod.id())).isEmpty();
    modelPods.said(
        pod.id(), offered, now + (holds ? CONFIG.silence() : CONFIG.parked()).toMillis());
  }

  void overdueMayBeMarked(List<String> ids, List<?> lines) {
    for (int i = 0; i < ids.size(); i++) {
      ModelTask modelTask = known(ids.get(i));
      boolean marked = ((String) lines.get(i)).startsWith("TIMEOUT");
      if (marked && modelTask.life.state() == TaskState.PENDING && modelTask.expired(now)) {
        move(modelTask, new TaskEvent.Claim(true));
      }
    }
  }

  private ModelOp<RenewResult> renew() {
    PodId pod = pod();
    List<ModelTask> some = List.copyOf(tasks.values());
    List<TaskLeaseRef> held = some.stream().map(this::shown).toList();
    int offered = random.nextInt(4) == 0 ? 0 : 9;
    RenewResult.DrainSetting setting = modelPods.told(pod.id());
    return new ModelOp<>(
        "renew",
        taskScripts.renew(pod, offered, 0, setting, held),
        answer -> {
          RenewResult.DrainSetting due = modelPods.repeats(pod.id(), setting);
          check(answer.setting().equals(due), "to drain", answer, due);
          for (int i = 0; i < some.size(); i++) {
            ModelTask task = some.get(i);
            boolean right = holdsNow(task, pod.id(), held.get(i));
            LifecycleStep<TaskStateSnapshot> lifecycleStep =
                lifecycle.next(task.life, new TaskEvent.Renew(right ? task.life.attempt() : -1));
            boolean extended =
                lifecycleStep instanceof LifecycleStep.StateUnchanged<TaskStateSnapshot>;
            check(
                (answer.results().get(i) == TransitionResult.APPLIED) == extended,
                "renewed",
                answer,
                task);
            if (extended) {
              task.leaseEnd = now + CONFIG.lease().toMillis();
            }
          }
          said(pod, offered);
          Set<String> stop =
              with(t -> t.heldBy(pod.id()) && t.life.stop()).stream()
                  .map(t -> t.id)
                  .collect(toSet());
          check(answer.stop().equals(stop), "to stop", answer, stop);
        });
  }

  private ModelOp<TransitionResult> told(
      String name,
      ModelTask task,
      java.util.function.IntFunction<TaskEvent> event,
      java.util.function.BiFunction<String, TaskLeaseRef, ScriptCall<TransitionResult>> call) {
    TaskLeaseRef taskLeaseRef = shown(task);
    String pod = random.nextInt(5) > 0 && !task.pod.isEmpty() ? task.pod : pod().id();
    boolean right = holdsNow(task, pod, taskLeaseRef);
    TaskEvent what = event.apply(right ? task.life.attempt() : -1);
    return new ModelOp<>(
        name,
        call.apply(pod, taskLeaseRef),
        transitionResult ->
            check(
                transitionResult == expected(task, what),
                name + " answered",
                transitionResult,
                task));
  }

  private ModelOp<StopResult> stop(ModelTask task) {
    return new ModelOp<>(
        "stop",
        taskScripts.stop(task.id, java.time.Duration.ZERO),
        stopResult ->
            check(
                stopResult.result() == expected(task, new TaskEvent.Stop()),
                "stop answered",
                stopResult,
                task));
  }

  private ModelOp<SweepResult> sweep(
      String name,
      ScriptCall<SweepResult> scriptCall,
      Predicate<ModelTask> due,
      Function<ModelTask, TaskEvent> event) {
    return new ModelOp<>(
        name,
        scriptCall,
        answer -> {
          List<ModelTask> swept = with(due);
          check(answer.equals(sweptOf(swept)), name + " swept", answer, swept);
          swept.forEach(task -> move(task, event.apply(task)));
          if (name.equals("reclaim")) {
            modelPods.bury(now);
          }
        });
  }

  private ModelOp<TransitionResult> drain() {
    String pod = pod().id();
    boolean drain = random.nextBoolean();
    return new ModelOp<>(
        "drain",
        taskScripts.drain(pod, drain),
        transitionResult -> {
          TransitionResult expected = modelPods.drain(pod, drain, now);
          check(transitionResult == expected, "drain answered", transitionResult, expected);
        });
  }

  private ModelOp<SweepResult> overflow() {
    return new ModelOp<>(
        "overflow",
        taskScripts.overflow(100),
        answer -> {
          List<ModelTask> moved =
              with(
                  t ->
                      t.waits(now)
                          && !t.overflowed()
                          && (now - t.pendingAt > CONFIG.overflowAfter().toMillis()
                              || !(t.lane.equals(KeySpace.GLOBAL)
                                  || modelPods.takes(t.lane, now))));
          SweepResult regions =
              sweptOf(with(t -> moved.contains(t) && !t.lane.equals(KeySpace.GLOBAL)));
          check(
              answer.equals(new SweepResult(moved.size(), regions.byRegion())),
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

  private static SweepResult sweptOf(List<ModelTask> tasks) {
    return new SweepResult(
        tasks.size(),
        tasks.stream()
            .collect(groupingBy(task -> KeySpace.regionOf(task.lane), summingInt(task -> 1))));
  }

  private TransitionResult expected(ModelTask task, TaskEvent event) {
    return switch (lifecycle.next(task.life, event)) {
      case LifecycleStep.StateChanged<TaskStateSnapshot> _ -> {
        move(task, event);
        yield TransitionResult.APPLIED;
      }
      case LifecycleStep.StateUnchanged<TaskStateSnapshot> _ -> TransitionResult.REPEATED;
      case LifecycleStep.EventRefused<TaskStateSnapshot> _ -> TransitionResult.STALE;
    };
  }

  private void move(ModelTask task, TaskEvent event) {
    LifecycleStep<TaskStateSnapshot> lifecycleStep = lifecycle.next(task.life, event);
    if (!(lifecycleStep
        instanceof LifecycleStep.StateChanged<TaskStateSnapshot>(TaskStateSnapshot to, var _))) {
      throw new AssertionError("illegal: " + event + " of " + task + ": " + lifecycleStep);
    }
    if (task.life.state() == TaskState.PROCESSING && to.state() == TaskState.PENDING) {
      task.formerly.add(new TaskLeaseRef(task.id, task.fence));
      task.pod = "";
      task.fence = "";
      task.pendingAt = now;
      task.head = event instanceof TaskEvent.Reclaim || event instanceof TaskEvent.HandBack;
    }
    task.life = to;
    if (to.state() == TaskState.PENDING && event instanceof TaskEvent.TryAgain) {
      task.delay(now);
    }
  }

  private TaskLeaseRef shown(ModelTask task) {
    return !task.formerly.isEmpty() && random.nextInt(3) == 0
        ? task.formerly.get(random.nextInt(task.formerly.size()))
        : new TaskLeaseRef(task.id, task.fence);
  }

  private boolean holdsNow(ModelTask task, String pod, TaskLeaseRef taskLeaseRef) {
    if (!pod.isEmpty() && task.pod.equals(pod) && task.fence.equals(taskLeaseRef.fence())) {
      return true;
    }
    int attempt = taskLeaseRef.fence().contains(".") ? attemptOf(taskLeaseRef) : -1;
    if (!task.fence.equals("?") || task.life.state().terminal() || attempt < task.life.attempt()) {
      return false;
    }
    if (task.life.state() == TaskState.PENDING) {
      task.claimedAt = now;
      task.leaseEnd = now;
    }
    task.life =
        new TaskStateSnapshot(TaskState.PROCESSING, task.life.stop(), attempt, task.life.tries());
    task.pod = pod;
    task.fence = taskLeaseRef.fence();
    return true;
  }

  private static int attemptOf(TaskLeaseRef taskLeaseRef) {
    return Integer.parseInt(taskLeaseRef.fence().substring(0, taskLeaseRef.fence().indexOf('.')));
  }

  /**
   * Redis loses everything and is compared with a database that may lack the last claims. Tasks
   * that run according to the database keep attempt and pod.
   */
  private ModelOp<Integer> rebuild() {
    rebuilds++;
    List<ModelTask> open = with(task -> !task.life.state().terminal());
    Set<String> undelivered =
        open.stream()
            .filter(task -> task.life.state() == TaskState.PROCESSING)
            .filter(task -> !task.life.stop() && random.nextInt(3) == 0)
            .map(task -> task.id)
            .collect(toSet());
    String next = "g" + rebuilds;
    return new ModelOp<>(
        "rebuild",
        List.of(
            new ScriptCall<>(ModelOp.FORGET, taskScripts.keySpace(), List.of(), answer -> answer)),
        taskScripts.restore(
            "token",
            open.stream()
                .map(task -> task.stored(now, rebuilds, undelivered.contains(task.id)))
                .toList(),
            _ -> false),
        List.of(taskScripts.markRestored("token", next, runId)),
        count -> {
          check(count == open.size(), "taken in", count, open);
          generation = next;
          boolean _ = tasks.values().removeIf(task -> task.life.state().terminal());
          modelPods.forget();
          sinceShared.clear();
          open.forEach(task -> takenIn(task, undelivered.contains(task.id)));
          boolean unheard = open.stream().anyMatch(task -> task.life.state() == TaskState.PENDING);
          reports = unheard ? now + CONFIG.reporting().toMillis() : 0;
        });
  }

  private void takenIn(ModelTask task, boolean claimUnheard) {
    task.lane = task.spec.region().orElse(KeySpace.GLOBAL);
    task.head = false;
    task.unique = false;
    if (task.life.state() == TaskState.PROCESSING) {
      boolean _ = task.formerly.add(new TaskLeaseRef(task.id, task.fence));
    }
    if (task.life.state() == TaskState.PROCESSING && !claimUnheard) {
      task.leaseEnd = now + CONFIG.lease().toMillis();
      modelPods.said(task.pod, 0, task.leaseEnd);
    } else {
      int attempt = claimUnheard ? task.life.attempt() : task.life.attempt() + 1;
      task.life = new TaskStateSnapshot(TaskState.PENDING, false, attempt, task.life.tries());
      task.pod = "";
    }
    task.fence = "?";
  }

  private ModelOp<TransitionResult> retry(ModelTask task) {
    return told(
        "retry",
        task,
        attempt -> new TaskEvent.TryAgain(attempt, task.ranLong()),
        (pod, taskLeaseRef) -> {
          ScriptCall<TransitionResult> scriptCall = taskScripts.tryAgain(pod, taskLeaseRef, "busy");
          task.jitter = Double.parseDouble(scriptCall.args().getLast());
          return scriptCall;
        });
  }

  private boolean abandoned(ModelTask task) {
    return task.life.state() == TaskState.PROCESSING
        && (!modelPods.lives(task.pod, now) || task.leaseEnd < now);
  }

  private ModelTask known(String id) {
    return Objects.requireNonNull(tasks.get(id), () -> "the model does not know " + id);
  }

  private PodId pod() {
    String id = ModelPods.PODS.get(random.nextInt(ModelPods.PODS.size()));
    return new PodId(id, id.substring(0, 2));
  }

  private List<ModelTask> with(Predicate<ModelTask> fits) {
    return tasks.values().stream().filter(fits).toList();
  }

  private void check(boolean holds, String what, Object told, Object model) {
    if (!holds) {
      throw new AssertionError(
          "%s at %d: told %s, the model says %s".formatted(what, now, told, model));
    }
  }
}
