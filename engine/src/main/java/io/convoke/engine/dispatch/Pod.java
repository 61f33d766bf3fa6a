package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pod: so many slots of a region, each running one task at a time. It claims for all its free
 * slots in one call, waits for a token when there is nothing, renews all its leases in one call,
 * tells what ended at the same time in one call, and stops what it could not renew before the lease
 * ends.
 *
 * <p>Threads: one waits for tokens ({@link Ear}), one renews leases ({@link Heart}), and each task
 * has a virtual thread, which also reports how it ended. All meet in {@link Slots}.
 */
public final class Pod implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Pod.class);
  private static final String ROOM = "room";

  /** Pods that a token may pass because what it announces costs more than they have free. */
  private static final int HOPS_MAX = 32;

  private static final Duration LAST_WORDS = Duration.ofSeconds(5);

  private final Redis redis;
  private final Places places;
  private final PodName name;
  private final DispatchTerms terms;
  private final Handler handler;
  private final Slots slots;
  private final AtomicInteger wanted = new AtomicInteger();
  private final Search search;

  /** Places that it ever claimed something in. */
  private final Set<Functions> claimedAt = ConcurrentHashMap.newKeySet();

  /** The look for work that is under way, or the last one. */
  private volatile CompletableFuture<Search.Found> looking =
      CompletableFuture.completedFuture(Search.Found.DONE);

  private final Reports reports;
  private final Signal<Task> ended = new Signal<>();
  private final Signal<String> lost = new Signal<>();
  private final Signal<Integer> renewed = new Signal<>();
  private final Signal<Integer> looked = new Signal<>();
  private final Heart heart;

  /** One, or on a cluster one at home and one at the global queue. */
  private final List<Ear> ears;

  /** Starts to take tasks. */
  public Pod(
      Redis redis,
      PodName name,
      int slots,
      Capacity capacity,
      DispatchTerms terms,
      Handler handler) {
    this.redis = redis;
    this.places = new Places(redis, terms);
    this.name = name;
    this.terms = terms;
    this.handler = handler;
    this.slots = new Slots(slots, capacity);
    this.reports = new Reports(redis, name);
    this.search = new Search(redis, places, name, this.slots, this::begin, this::tellNoClaim);
    this.heart = new Heart(redis, home(), name, terms, this.slots, lost, renewed, this::drained);
    this.ears =
        places.many()
            ? List.of(ear(home(), name.region()), ear(places.global(), Place.GLOBAL))
            : List.of(ear(home(), name.region(), Place.GLOBAL));
    redis.onConnect(heart::beatNow);
  }

  private Functions home() {
    return places.home(name.region());
  }

  /** Hears the tokens of these queues in a place, and what it tells this pod. */
  private Ear ear(Functions at, String... queues) {
    return new Ear(
        redis,
        at.place(),
        "pod-ear-" + name.id(),
        terms.idle(),
        () -> listsToHear(at.place(), queues),
        (list, token) -> heard(at.place(), list, token),
        (list, token) -> {},
        () -> {
          join();
          boolean listens = slots.listens();
          if (listens) {
            var _ = look();
          }
          if (!listens || !slots.running().isEmpty()) {
            // A word to this pod may have been lost with its connection.
            heart.beatNow();
          }
        });
  }

  /** The region of a pod is one even if it has no task yet. */
  private void join() {
    try {
      if (!places.join(name.region())) {
        log.warn("pod {} takes from the global queue only: too many regions", name.id());
      }
    } catch (RedisUnavailable e) {
      log.debug("the directory of regions is out of reach, pod {} asks again", name.id());
    }
  }

  /** Who it is. */
  public PodName name() {
    return name;
  }

  /** The tasks that it runs now. */
  public List<Task> running() {
    return slots.running().stream().map(TaskRun::task).toList();
  }

  /** Each task, as it was claimed, whose outcome was reported. */
  public Signal<Task> ended() {
    return ended;
  }

  /** The id of each task whose lease was lost. */
  public Signal<String> lost() {
    return lost;
  }

  /** How many leases each renewal asked for. */
  Signal<Integer> renewed() {
    return renewed;
  }

  /** How many tasks each look for work brought. */
  Signal<Integer> looked() {
    return looked;
  }

  /** Stops at once: what runs is interrupted and given back. */
  @Override
  public void close() {
    boolean _ = drain(Duration.ZERO);
  }

  /**
   * Takes nothing any more and lets what runs come to its end; what has not by then is interrupted
   * and given back, so that another pod begins it anew.
   *
   * @return whether all came to its end by itself
   */
  public boolean drain(Duration atMost) {
    takeNothingMore();
    farewell();
    boolean all = slots.awaitNone(atMost);
    if (!all) {
      slots.running().forEach(run -> run.takeBack("its pod was shut down"));
      boolean _ = slots.awaitNone(LAST_WORDS);
      farewell();
    } else {
      farewell();
    }
    ears.forEach(Ear::close);
    heart.close();
    reports.close();
    return all;
  }

  /** Ends without a word, as a crash would: for tests. */
  void crash() {
    takeNothingMore();
    ears.forEach(Ear::close);
    heart.close();
    reports.close();
    slots
        .running()
        .forEach(
            run -> {
              boolean _ = run.lose();
            });
  }

  /** What the store answers to each beat: whether an operator wants this pod to take nothing. */
  private void drained(boolean wanted) {
    if (!slots.pause(wanted)) {
      return;
    }
    log.info("pod {} is told to take {}", name.id(), wanted ? "no more tasks" : "tasks again");
    heart.beatNow();
    nudge();
    if (!wanted) {
      var _ = look();
    }
  }

  /** What a claim that is under way brings is in its slot when this returns. */
  private void takeNothingMore() {
    slots.drain();
    Search.Found _ = looking.join();
  }

  /** At home, and wherever it has claimed something. */
  private void farewell() {
    Set<Functions> all = new LinkedHashSet<>(claimedAt);
    boolean _ = all.add(home());
    for (Functions at : all) {
      try {
        int _ = at.leave(name, terms.silence()).on(redis);
      } catch (RedisUnavailable e) {
        log.info("Redis does not hear that pod {} leaves; it will notice", name.id());
      }
    }
  }

  private String[] listsToHear(Place place, String... queues) {
    List<String> lists = new ArrayList<>();
    lists.add(place.inbox(name.id()));
    if (slots.listens()) {
      for (String queue : queues) {
        slots
            .capacity()
            .onlyTypes()
            .ifPresentOrElse(
                types -> types.forEach(type -> lists.add(place.wake(queue, type))),
                () -> lists.add(place.wake(queue)));
      }
    }
    return lists.toArray(String[]::new);
  }

  /** Runs on the connection's thread. */
  private CompletionStage<?> heard(Place place, String list, String token) {
    if (!list.equals(place.inbox(name.id()))) {
      return look().thenAccept(found -> passOn(list, token, found));
    }
    if (!token.equals(ROOM)) {
      heart.beatNow();
    }
    return CompletableFuture.completedStage(true);
  }

  /**
   * Looks for work; while one look is under way, others leave it to that one to look again. Answers
   * what the last of them came to.
   */
  private CompletableFuture<Search.Found> look() {
    if (wanted.getAndIncrement() > 0) {
      return looking;
    }
    CompletableFuture<Search.Found> end = new CompletableFuture<>();
    looking = end;
    lookOn(end);
    return end;
  }

  private void lookOn(CompletableFuture<Search.Found> end) {
    int seen = wanted.get();
    var _ =
        claimSafely()
            .whenComplete(
                (found, error) -> {
                  if (error != null) {
                    tellNoClaim(error);
                  }
                  if (wanted.compareAndSet(seen, 0)) {
                    boolean _ = end.complete(error == null ? found : Search.Found.DONE);
                  } else {
                    lookOn(end);
                  }
                });
  }

  /** A fault of ours must not end all looking. */
  private CompletionStage<Search.Found> claimSafely() {
    try {
      return search.look();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void tellNoClaim(Throwable error) {
    Throwable cause = error instanceof CompletionException e ? e.getCause() : error;
    if (cause instanceof RedisUnavailable) {
      log.debug("Redis is away, pod {} looks when it is back", name.id());
    } else {
      log.error("pod {} could not look for work", name.id(), cause);
    }
  }

  private void begin(Functions at, List<Task> tasks, long sent) {
    for (Task task : tasks) {
      TaskRun run = new TaskRun(at, task, task.workerId().orElseThrow(), sent, terms);
      slots.fill(run);
      Thread _ = Thread.ofVirtual().name("task-" + task.id()).start(() -> work(run));
    }
    if (!tasks.isEmpty()) {
      boolean _ = claimedAt.add(at);
      heart.wake();
    }
    looked.emit(tasks.size());
  }

  private void work(TaskRun run) {
    boolean told = run.run(handler).map(outcome -> reports.tell(run, outcome)).orElse(false);
    boolean deaf = slots.clear(run);
    if (told) {
      ended.emit(run.task());
    }
    var _ = look();
    if (deaf && slots.listens()) {
      nudge();
    }
  }

  /**
   * Gives a token to the next pod that waits for it, where this one had no slot for what it
   * announces, or too little capacity: another pod may have enough. A token says how many pods
   * passed it on so; if that are many, the next tick gives another one.
   */
  private void passOn(String list, String token, Search.Found found) {
    int hops = Integer.parseInt(token);
    switch (found) {
      case DONE -> {}
      case NO_SLOT -> give(list, hops);
      case TOO_COSTLY -> {
        if (hops < HOPS_MAX) {
          give(list, hops + 1);
        }
      }
    }
  }

  /** It is not waited for. */
  private void give(String list, int hops) {
    try {
      var _ = redis.async(list).lpush(list, Integer.toString(hops));
    } catch (RedisUnavailable e) {
      log.debug("Redis is away, and its tokens with it");
    }
  }

  /** Lets the ears hear that there is room again. */
  private void nudge() {
    for (Functions at : places.many() ? List.of(home(), places.global()) : List.of(home())) {
      try {
        String inbox = at.place().inbox(name.id());
        long _ = redis.call(inbox, commands -> commands.lpush(inbox, ROOM));
      } catch (RedisUnavailable e) {
        log.debug("Redis is away, the ear listens anew when it is back");
      }
    }
  }
}
