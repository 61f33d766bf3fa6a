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
final class Functions {
  private final Scripts scripts;
  private final Place place;
  private final DispatchTerms terms;

  Functions(Scripts scripts, Place place, DispatchTerms terms) {
    this.scripts = scripts;
    this.place = place;
    this.terms = terms;
  }

  /** Where they work. */
  Place place() {
    return place;
  }

  Call<Enqueued> enqueue(NewTask task) {
    Call<List<Optional<Enqueued>>> one = enqueue(List.of(Arrival.of(task)));
    return new Call<>(
        one.script(),
        place,
        one.args(),
        answer -> one.reading().apply(answer).getFirst().orElseThrow());
  }

  /** Takes in many; empty is one that arrives in another generation than it was accepted in. */
  Call<List<Optional<Enqueued>>> enqueue(List<Arrival> arrivals) {
    List<String> args = new ArrayList<>(8 * arrivals.size() + 2);
    for (Arrival arrival : arrivals) {
      NewTask task = arrival.task();
      args.add(task.id());
      args.add(task.ownRequest());
      args.add(task.region().orElse(""));
      args.add(task.ownChannel());
      args.add(task.type());
      args.add(arrival.alone() ? "channel" : "");
      args.add(Spec.kept(task.id(), arrival.json()));
      args.add(arrival.generation());
    }
    args.add(millis(terms.taskTimeout()));
    args.add(Integer.toString(terms.queueMax()));
    return new Call<>(
        scripts.enqueue(),
        place,
        args,
        answer ->
            IntStream.range(0, arrivals.size())
                .mapToObj(i -> enqueued(arrivals.get(i), (List<?>) answer.get(i)))
                .toList());
  }

  private static Optional<Enqueued> enqueued(Arrival arrival, List<?> answer) {
    return switch (Math.toIntExact((Long) answer.getFirst())) {
      case 1 ->
          Optional.of(
              new Enqueued.Created(
                  answer.size() > 2
                      ? task(answer.get(2))
                      : Task.pending(arrival, Instant.ofEpochMilli((Long) answer.get(1)))));
      case 0 -> Optional.of(new Enqueued.Known(task(answer.get(2))));
      case -1 -> Optional.of(new Enqueued.IdTaken());
      case -2 -> Optional.of(new Enqueued.ChannelBusy((String) answer.get(1)));
      case -3 -> Optional.of(new Enqueued.QueueFull());
      default -> Optional.empty();
    };
  }

  /**
   * Tasks for free slots, from the pod's own region and, if there are not enough, from anywhere.
   */
  Call<Claimed> claim(PodName pod, int slots, List<Integer> free, Capacity capacity, double left) {
    return claim(pod, slots, free, capacity, left, pod.region(), Place.GLOBAL);
  }

  /**
   * The same from one line first: that of a region, {@link Place#GLOBAL}, or what overflowed from a
   * region.
   *
   * @param others {@link Place#GLOBAL} to ask the global queues of this place too, or empty
   */
  Call<Claimed> claim(
      PodName pod,
      int slots,
      List<Integer> free,
      Capacity capacity,
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
                Double.toString(capacity.whole()),
                Double.toString(capacity.other().orElse(-1)),
                Integer.toString(free.size())));
    free.forEach(slot -> args.add(slot.toString()));
    capacity.costs().forEach((type, cost) -> args.addAll(List.of(type, cost.toString())));
    return new Call<>(scripts.claim(), place, args, answer -> Claimed.read(pod, answer));
  }

  /** The pod still runs these tasks. */
  Call<Renewed> renew(PodName pod, int slots, int free, List<Held> held) {
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
    return new Call<>(
        scripts.renew(),
        place,
        args,
        answer ->
            new Renewed(
                answer.getFirst().equals(1L),
                ((List<?>) answer.get(1))
                    .stream().map(String.class::cast).collect(Collectors.toSet()),
                ((List<?>) answer.get(2)).stream().map(Word::of).toList()));
  }

  Call<Word> complete(String pod, Held held) {
    return word(scripts.complete(), pod, held.id(), held.fence());
  }

  Call<List<Word>> complete(String pod, List<Held> held) {
    List<String> args = new ArrayList<>(1 + 2 * held.size());
    args.add(pod);
    for (Held each : held) {
      args.add(each.id());
      args.add(each.fence());
    }
    return new Call<>(
        scripts.complete(), place, args, answer -> answer.stream().map(Word::of).toList());
  }

  Call<Word> fail(String pod, Held held, String reason) {
    return word(scripts.fail(), held.id(), pod, held.fence(), reason);
  }

  /** It failed and may be tried again, after its backoff. */
  Call<Word> tryAgain(String pod, Held held, String reason) {
    RetryBackoff retry = terms.retry();
    return giveBack(
        pod,
        held,
        reason,
        millis(retry.base()),
        millis(retry.max()),
        Double.toString(RetryBackoff.jitter()));
  }

  /** The pod does not go on with it, through no fault of the task's: another may at once. */
  Call<Word> handBack(String pod, Held held, String reason) {
    return giveBack(pod, held, reason, "", "", "");
  }

  private Call<Word> giveBack(String pod, Held held, String reason, String... backoff) {
    List<String> args = new ArrayList<>(List.of(held.id(), pod, held.fence(), reason));
    args.add(Integer.toString(terms.maxAttempts()));
    args.add(millis(terms.lease()));
    args.addAll(List.of(backoff));
    return word(scripts.retry(), args.toArray(String[]::new));
  }

  /** The wish to stop; one about an unknown task is kept for so long, in case it comes now. */
  Call<Stopped> stop(String id, Duration keep) {
    return new Call<>(
        scripts.stop(),
        place,
        List.of(id, Long.toString(keep.toSeconds())),
        answer -> {
          Word word = Word.of(answer.getFirst());
          return new Stopped(
              word, word == Word.UNKNOWN ? Optional.empty() : Task.read((List<?>) answer.get(1)));
        });
  }

  Call<Swept> expire(int most) {
    return sweep(scripts.expire(), Integer.toString(most));
  }

  Call<Swept> reclaim(int most) {
    return sweep(
        scripts.reclaim(),
        Integer.toString(most),
        Integer.toString(terms.maxAttempts()),
        millis(terms.lease()),
        terms.deadAfter().map(Functions::millis).orElse(""));
  }

  Call<Swept> overflow(int most) {
    return sweep(scripts.overflow(), Integer.toString(most), millis(terms.overflowAfter()));
  }

  Call<Ticked> tick() {
    return new Call<>(scripts.tick(), place, List.of(millis(terms.tick())), Ticked::of);
  }

  /** Notes regions in the directory; answers all that have a place. */
  Call<Set<String>> join(List<String> regions) {
    List<String> args = new ArrayList<>();
    args.add(Integer.toString(Places.REGIONS_MAX));
    args.addAll(regions);
    return new Call<>(
        scripts.join(),
        place,
        args,
        answer -> answer.stream().map(String.class::cast).collect(Collectors.toSet()));
  }

  /** Whose turn it is at the global queue, for so many slots. */
  Call<List<Turn>> turn(int slots) {
    return new Call<>(scripts.turn(), place, List.of(Integer.toString(slots)), Turn::of);
  }

  /**
   * Which lines hold something and which do not; answers how many have a turn.
   *
   * @param wake whether a pod is to be woken, and one that takes these types only
   */
  Call<Integer> hint(boolean wake, Set<String> types, Map<String, Boolean> lanes) {
    List<String> args = new ArrayList<>();
    args.add(wake ? "1" : "0");
    args.add(String.join(",", types));
    lanes.forEach(
        (lane, holds) -> {
          args.add(lane);
          args.add(holds ? "1" : "0");
        });
    return count(scripts.hint(), args.toArray(String[]::new));
  }

  /** The pod takes nothing any more; answers how much it still holds. */
  Call<Integer> leave(PodName pod, Duration grace) {
    return count(scripts.leave(), pod.id(), pod.region(), millis(grace));
  }

  /** Whether the pod is to take tasks; its home and each place where it claims must be told. */
  Call<Word> drain(String pod, boolean drain) {
    return word(scripts.drain(), pod, drain ? "drain" : "take");
  }

  Call<List<Optional<Task>>> find(List<String> ids) {
    return new Call<>(
        scripts.find(),
        place,
        ids,
        answer -> answer.stream().map(each -> Task.read((List<?>) each)).toList());
  }

  Call<Look> survey() {
    return new Call<>(scripts.survey(), place, List.of(), answer -> Look.of(place, answer));
  }

  /**
   * Takes in what the ledger knows and this place does not; answers how many that were, or -1 if
   * the ledger was read too long ago.
   *
   * @param read the generation, or the rebuild, in which the ledger was read
   * @param forgotten which of them Redis may have had, given out and forgotten
   */
  Call<Integer> adopt(String read, List<OpenTask> tasks, Predicate<OpenTask> forgotten) {
    List<String> args = new ArrayList<>();
    args.add(read);
    args.add(Integer.toString(tasks.size()));
    args.add(millis(terms.lease()));
    tasks.forEach(open -> args.addAll(open.arguments(terms, forgotten.test(open))));
    return count(scripts.adopt(), args.toArray(String[]::new));
  }

  /** Ends what the ledger knows to be over; answers how many of these were open here. */
  Call<Integer> settle(List<EndedTask> tasks) {
    List<String> args = new ArrayList<>();
    for (EndedTask task : tasks) {
      String attempt = Integer.toString(task.attempt());
      args.addAll(List.of(task.id(), task.state().name(), attempt, task.error()));
    }
    return count(scripts.settle(), args.toArray(String[]::new));
  }

  /** The place holds all that the ledger knows; 0 if it was emptied meanwhile. */
  Call<Integer> whole(String token, String generation, String run) {
    return count(scripts.whole(), token, generation, run, millis(terms.lease()));
  }

  /** The ledger does not know this generation; 0 if it is over, or is being replaced anyway. */
  Call<Integer> disown(Generation generation) {
    return count(scripts.disown(), generation.id());
  }

  private Call<Word> word(io.convoke.engine.redis.Script script, String... args) {
    return new Call<>(script, place, List.of(args), answer -> Word.of(answer.getFirst()));
  }

  private Call<Swept> sweep(io.convoke.engine.redis.Script script, String... args) {
    return new Call<>(script, place, List.of(args), Swept::of);
  }

  private Call<Integer> count(io.convoke.engine.redis.Script script, String... args) {
    return new Call<>(
        script, place, List.of(args), answer -> Math.toIntExact((Long) answer.getFirst()));
  }

  private static Task task(Object fields) {
    return Task.read((List<?>) fields).orElseThrow();
  }

  static String millis(Duration duration) {
    return Long.toString(duration.toMillis());
  }
}
