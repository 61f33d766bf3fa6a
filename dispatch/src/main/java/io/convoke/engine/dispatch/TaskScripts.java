package io.convoke.engine.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The functions of one place as calls that somebody may make, wait for, or send many of at once.
 */
final class TaskScripts {
  private final LuaScripts luaScripts;
  private final KeySpace keySpace;
  private final DispatchConfig terms;

  TaskScripts(LuaScripts luaScripts, KeySpace keySpace, DispatchConfig terms) {
    this.luaScripts = luaScripts;
    this.keySpace = keySpace;
    this.terms = terms;
  }

  /** Where they work. */
  KeySpace place() {
    return keySpace;
  }

  ScriptCall<EnqueueResult> enqueue(NewTask task) {
    ScriptCall<List<Optional<EnqueueResult>>> one = enqueue(List.of(EnqueueRequest.of(task)));
    return new ScriptCall<>(
        one.script(),
        keySpace,
        one.args(),
        answer -> one.reading().apply(answer).getFirst().orElseThrow());
  }

  /** Takes in many; empty is one that arrives in another generation than it was accepted in. */
  ScriptCall<List<Optional<EnqueueResult>>> enqueue(List<EnqueueRequest> arrivals) {
    List<String> args = new ArrayList<>(8 * arrivals.size() + 2);
    for (EnqueueRequest enqueueRequest : arrivals) {
      NewTask task = enqueueRequest.task();
      args.add(task.id());
      args.add(task.ownRequest());
      args.add(task.region().orElse(""));
      args.add(task.ownChannel());
      args.add(task.type());
      args.add(enqueueRequest.alone() ? "channel" : "");
      args.add(TaskSpecCodec.kept(task.id(), enqueueRequest.json()));
      args.add(enqueueRequest.generation());
    }
    args.add(millis(terms.taskTimeout()));
    args.add(Integer.toString(terms.queueMax()));
    return new ScriptCall<>(
        luaScripts.enqueue(),
        keySpace,
        args,
        answer ->
            IntStream.range(0, arrivals.size())
                .mapToObj(i -> enqueued(arrivals.get(i), (List<?>) answer.get(i)))
                .toList());
  }

  private static Optional<EnqueueResult> enqueued(EnqueueRequest enqueueRequest, List<?> answer) {
    return switch (Math.toIntExact((Long) answer.getFirst())) {
      case 1 ->
          Optional.of(
              new EnqueueResult.Created(
                  answer.size() > 2
                      ? task(answer.get(2))
                      : Task.pending(enqueueRequest, Instant.ofEpochMilli((Long) answer.get(1)))));
      case 0 -> Optional.of(new EnqueueResult.AlreadyEnqueued(task(answer.get(2))));
      case -1 -> Optional.of(new EnqueueResult.IdTaken());
      case -2 -> Optional.of(new EnqueueResult.ChannelBusy((String) answer.get(1)));
      case -3 -> Optional.of(new EnqueueResult.QueueFull());
      default -> Optional.empty();
    };
  }

  /**
   * Tasks for free slots, from the pod's own region and, if there are not enough, from anywhere.
   */
  ScriptCall<ClaimResult> claim(
      PodId pod, int slots, List<Integer> free, PodCapacity podCapacity, double left) {
    return claim(pod, slots, free, podCapacity, left, pod.region(), KeySpace.GLOBAL);
  }

  /**
   * The same from one line first: that of a region, {@link KeySpace#GLOBAL}, or what overflowed
   * from a region.
   *
   * @param others {@link KeySpace#GLOBAL} to ask the global queues of this place too, or empty
   */
  ScriptCall<ClaimResult> claim(
      PodId pod,
      int slots,
      List<Integer> free,
      PodCapacity podCapacity,
      double left,
      String lane,
      String others) {
    List<String> args =
        new ArrayList<>(
            List.of(
                pod.id(),
                pod.region(),
                millis(terms.lease()),
                millis(terms.silence()),
                millis(terms.parked()),
                lane,
                others,
                Integer.toString(slots),
                Double.toString(left),
                Double.toString(podCapacity.whole()),
                Double.toString(podCapacity.other().orElse(-1)),
                Integer.toString(free.size())));
    free.forEach(slot -> args.add(slot.toString()));
    podCapacity.costs().forEach((type, cost) -> args.addAll(List.of(type, cost.toString())));
    return new ScriptCall<>(
        luaScripts.claim(), keySpace, args, answer -> ClaimResult.read(pod, answer));
  }

  /** The pod still runs these tasks. */
  ScriptCall<RenewResult> renew(PodId pod, int slots, int free, List<TaskLeaseRef> held) {
    List<String> args =
        new ArrayList<>(
            List.of(
                pod.id(),
                pod.region(),
                millis(terms.lease()),
                millis(terms.silence()),
                millis(terms.parked()),
                Integer.toString(slots),
                Integer.toString(free)));
    held.forEach(each -> args.addAll(List.of(each.id(), each.fence())));
    return new ScriptCall<>(
        luaScripts.renew(),
        keySpace,
        args,
        answer ->
            new RenewResult(
                answer.getFirst().equals(1L),
                ((List<?>) answer.get(1))
                    .stream().map(String.class::cast).collect(Collectors.toSet()),
                ((List<?>) answer.get(2)).stream().map(TransitionResult::of).toList()));
  }

  ScriptCall<TransitionResult> complete(String pod, TaskLeaseRef taskLeaseRef) {
    return word(luaScripts.complete(), pod, taskLeaseRef.id(), taskLeaseRef.fence());
  }

  ScriptCall<List<TransitionResult>> complete(String pod, List<TaskLeaseRef> held) {
    List<String> args = new ArrayList<>(1 + 2 * held.size());
    args.add(pod);
    for (TaskLeaseRef each : held) {
      args.add(each.id());
      args.add(each.fence());
    }
    return new ScriptCall<>(
        luaScripts.complete(),
        keySpace,
        args,
        answer -> answer.stream().map(TransitionResult::of).toList());
  }

  ScriptCall<TransitionResult> fail(String pod, TaskLeaseRef taskLeaseRef, String reason) {
    return word(luaScripts.fail(), taskLeaseRef.id(), pod, taskLeaseRef.fence(), reason);
  }

  /** It failed and may be tried again, after its backoff. */
  ScriptCall<TransitionResult> tryAgain(String pod, TaskLeaseRef taskLeaseRef, String reason) {
    RetryBackoff retry = terms.retry();
    return giveBack(
        pod,
        taskLeaseRef,
        reason,
        millis(retry.base()),
        millis(retry.max()),
        Double.toString(RetryBackoff.jitter()));
  }

  /** The pod does not go on with it, through no fault of the task's: another may at once. */
  ScriptCall<TransitionResult> handBack(String pod, TaskLeaseRef taskLeaseRef, String reason) {
    return giveBack(pod, taskLeaseRef, reason, "", "", "");
  }

  private ScriptCall<TransitionResult> giveBack(
      String pod, TaskLeaseRef taskLeaseRef, String reason, String... backoff) {
    List<String> args =
        new ArrayList<>(List.of(taskLeaseRef.id(), pod, taskLeaseRef.fence(), reason));
    args.add(Integer.toString(terms.maxAttempts()));
    args.add(millis(terms.lease()));
    args.addAll(List.of(backoff));
    return word(luaScripts.retry(), args.toArray(String[]::new));
  }

  /** The wish to stop; one about an unknown task is kept for so long, in case it comes now. */
  ScriptCall<StopResult> stop(String id, Duration keep) {
    return new ScriptCall<>(
        luaScripts.stop(),
        keySpace,
        List.of(id, Long.toString(keep.toSeconds())),
        answer -> {
          TransitionResult transitionResult = TransitionResult.of(answer.getFirst());
          return new StopResult(
              transitionResult,
              transitionResult == TransitionResult.UNKNOWN
                  ? Optional.empty()
                  : Task.read((List<?>) answer.get(1)));
        });
  }

  ScriptCall<SweepResult> expire(int most) {
    return sweep(luaScripts.expire(), Integer.toString(most));
  }

  ScriptCall<SweepResult> reclaim(int most) {
    return sweep(
        luaScripts.reclaim(),
        Integer.toString(most),
        Integer.toString(terms.maxAttempts()),
        millis(terms.lease()),
        terms.deadAfter().map(TaskScripts::millis).orElse(""));
  }

  ScriptCall<SweepResult> overflow(int most) {
    return sweep(luaScripts.overflow(), Integer.toString(most), millis(terms.overflowAfter()));
  }

  ScriptCall<TickResult> tick() {
    return new ScriptCall<>(
        luaScripts.tick(), keySpace, List.of(millis(terms.tick())), TickResult::of);
  }

  /** Notes regions in the directory; answers all that have a place. */
  ScriptCall<Set<String>> join(List<String> regions) {
    List<String> args = new ArrayList<>();
    args.add(Integer.toString(KeySpaceDirectory.REGIONS_MAX));
    args.addAll(regions);
    return new ScriptCall<>(
        luaScripts.join(),
        keySpace,
        args,
        answer -> answer.stream().map(String.class::cast).collect(Collectors.toSet()));
  }

  /** Whose turn it is at the global queue, for so many slots. */
  ScriptCall<List<LaneAllotment>> turn(int slots) {
    return new ScriptCall<>(
        luaScripts.turn(), keySpace, List.of(Integer.toString(slots)), LaneAllotment::of);
  }

  /**
   * Which lines hold something and which do not; answers how many have a turn.
   *
   * @param wake whether a pod is to be woken, and one that takes these types only
   */
  ScriptCall<Integer> wakeup(boolean wake, Set<String> types, Map<String, Boolean> lanes) {
    List<String> args = new ArrayList<>();
    args.add(wake ? "1" : "0");
    args.add(String.join(",", types));
    lanes.forEach(
        (lane, holds) -> {
          args.add(lane);
          args.add(holds ? "1" : "0");
        });
    return count(luaScripts.wakeup(), args.toArray(String[]::new));
  }

  /** The pod takes nothing any more; answers how much it still holds. */
  ScriptCall<Integer> leave(PodId pod, Duration grace) {
    return count(luaScripts.leave(), pod.id(), pod.region(), millis(grace));
  }

  /** Whether the pod is to take tasks; its home and each place where it claims must be told. */
  ScriptCall<TransitionResult> drain(String pod, boolean drain) {
    return word(luaScripts.drain(), pod, drain ? "drain" : "take");
  }

  ScriptCall<List<Optional<Task>>> find(List<String> ids) {
    return new ScriptCall<>(
        luaScripts.find(),
        keySpace,
        ids,
        answer -> answer.stream().map(each -> Task.read((List<?>) each)).toList());
  }

  ScriptCall<KeySpaceStats> survey() {
    return new ScriptCall<>(
        luaScripts.survey(), keySpace, List.of(), answer -> KeySpaceStats.of(keySpace, answer));
  }

  /**
   * Takes in what the ledger knows and this place does not; answers how many that were, or -1 if
   * the ledger was read too long ago.
   *
   * @param read the generation, or the rebuild, in which the ledger was read
   * @param forgotten which of them Redis may have had, given out and forgotten
   */
  ScriptCall<Integer> restore(String read, List<OpenTask> tasks, Predicate<OpenTask> forgotten) {
    List<String> args = new ArrayList<>();
    args.add(read);
    args.add(Integer.toString(tasks.size()));
    args.add(millis(terms.lease()));
    tasks.forEach(open -> args.addAll(open.arguments(terms, forgotten.test(open))));
    return count(luaScripts.restore(), args.toArray(String[]::new));
  }

  /** Ends what the ledger knows to be over; answers how many of these were open here. */
  ScriptCall<Integer> settle(List<EndedTask> tasks) {
    List<String> args = new ArrayList<>();
    for (EndedTask task : tasks) {
      String attempt = Integer.toString(task.attempt());
      args.addAll(List.of(task.id(), task.state().name(), attempt, task.error()));
    }
    return count(luaScripts.settle(), args.toArray(String[]::new));
  }

  /** The place holds all that the ledger knows; 0 if it was emptied meanwhile. */
  ScriptCall<Integer> markRestored(String token, String generation, String run) {
    return count(luaScripts.markRestored(), token, generation, run, millis(terms.lease()));
  }

  /** The ledger does not know this generation; 0 if it is over, or is being replaced anyway. */
  ScriptCall<Integer> giveBackClaims(RebuildEpoch rebuildEpoch) {
    return count(luaScripts.giveBackClaims(), rebuildEpoch.id());
  }

  private ScriptCall<TransitionResult> word(
      io.convoke.engine.redis.LuaScript luaScript, String... args) {
    return new ScriptCall<>(
        luaScript, keySpace, List.of(args), answer -> TransitionResult.of(answer.getFirst()));
  }

  private ScriptCall<SweepResult> sweep(
      io.convoke.engine.redis.LuaScript luaScript, String... args) {
    return new ScriptCall<>(luaScript, keySpace, List.of(args), SweepResult::of);
  }

  private ScriptCall<Integer> count(io.convoke.engine.redis.LuaScript luaScript, String... args) {
    return new ScriptCall<>(
        luaScript, keySpace, List.of(args), answer -> Math.toIntExact((Long) answer.getFirst()));
  }

  private static Task task(Object fields) {
    return Task.read((List<?>) fields).orElseThrow();
  }

  static String millis(Duration duration) {
    return Long.toString(duration.toMillis());
  }
}
