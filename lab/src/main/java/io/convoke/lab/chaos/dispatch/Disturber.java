package io.convoke.lab.chaos.dispatch;

import io.convoke.lab.stores.Postgres;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Carries out what a plan breaks, and notes what was struck and when. */
final class Disturber {
  private static final Duration LOOK_EVERY = Duration.ofMillis(10);

  /** No program says the word that somebody waits for: nobody is killed then. */
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  /** A server that is ready again has looked at what there is to tend. */
  private static final Duration SETTLED = Duration.ofSeconds(1);

  /** A connection that went silent is noticed by the kernel after this. */
  private static final Duration UNHEARD = Duration.ofSeconds(10);

  /**
   * Longer than it takes until somebody works again, and until he knows that another died at it.
   */
  private static final Duration COMPARED_MAX = Duration.ofSeconds(30);

  private static final int ASKERS = 4;

  /** When what is dead is heard again. */
  private static final CompletableFuture<Instant> NEVER = new CompletableFuture<>();

  private final Plan plan;
  private final Fleet fleet;
  private final RedisServer redis;
  private final Postgres postgres;
  private final Witness witness;
  private final Customers customers;
  private final Struck struck;
  private final ExecutorService threads;
  private final ConcurrentHashMap<String, ReentrantLock> operators = new ConcurrentHashMap<>();

  /** Pods that a "resume" without an answer may reach at any time. */
  private final Set<String> resumedLate = ConcurrentHashMap.newKeySet();

  Disturber(
      Plan plan,
      Fleet fleet,
      Stores stores,
      Witness witness,
      Customers customers,
      Struck struck,
      ExecutorService threads) {
    this.plan = plan;
    this.fleet = fleet;
    this.redis = stores.redis();
    this.postgres = stores.postgres();
    this.witness = witness;
    this.customers = customers;
    this.struck = struck;
    this.threads = threads;
  }

  /** Returns when what was broken is whole again. */
  void disturb(Step step) {
    switch (step) {
      case Step.KillPod(Duration _, int pod, Duration down) -> kill(fleet.pods().get(pod), down);
      case Step.KillWhoever(Duration _, String word, Duration down) ->
          whoever(step, word, pod -> kill(pod, down));
      case Step.KillServer(Duration _, int server, Duration down) -> killServer(server, down);
      case Step.KillAsked(Duration _, int server, Duration after, Duration down) -> {
        ask(server);
        LockSupport.parkNanos(after.toNanos());
        killServer(server, down);
      }
      case Step.PausePod(Duration _, int number, Duration span) -> {
        Member pod = fleet.pods().get(number);
        silent(
            pod,
            "it hung",
            () -> pod.hang(span).map(CompletableFuture::completedFuture).orElse(NEVER));
      }
      case Step.PauseServer(Duration _, int server, Duration span) -> {
        Instant now = Instant.now();
        struck.away(server, now, now.plus(span).plus(SETTLED));
        Optional<Instant> _ = fleet.servers().get(server).hang(span);
      }
      case Step.KillRedis(Duration _, Duration down) -> {
        Instant now = Instant.now();
        redis.kill();
        restart("Redis was killed", now, down);
      }
      case Step.LosePower(Duration _, Duration lost, Duration down) -> {
        Instant now = Instant.now();
        long written = redis.written();
        LockSupport.parkNanos(lost.toNanos());
        redis.killLosing(written);
        restart("Redis lost its power", now, down);
      }
      case Step.FlushRedis _ -> {
        Instant now = Instant.now();
        redis.flush();
        forgot("Redis forgot", now);
      }
      case Step.CutRedis _ -> {
        Instant now = Instant.now();
        redis.cut();
        struck.trouble("connections broke", now, Instant.now().plus(Terms.RECOVERED), false);
      }
      case Step.SilencePod(Duration _, int number) -> {
        Member pod = fleet.pods().get(number);
        silent(pod, "nobody heard it", pod::silence);
      }
      case Step.SlowWhoever(Duration _, Duration span) ->
          whoever(
              step, "begin", pod -> silent(pod, "what it said came late", () -> pod.slow(span)));
      case Step.EchoWhoever(Duration _, Duration moment, Duration span) ->
          whoever(step, "begin", pod -> pod.slow(moment, span));
      case Step.KillWriting(Duration _, int server, Duration hanging, Duration down) -> {
        Instant now = Instant.now();
        postgres.pause(true);
        try {
          LockSupport.parkNanos(hanging.toNanos());
          struck.killed();
          fleet.servers().get(server).kill();
        } finally {
          postgres.pause(false);
        }
        struck.trouble("Postgres hung", now, Instant.now().plus(SETTLED), false);
        again(server, now, down);
      }
      case Step.DrainPod(Duration _, int number, Duration span) ->
          fleet
              .pods()
              .get(number)
              .podName()
              .ifPresentOrElse(
                  name -> drain(name, span), () -> struck.missed(step + ": it does not work"));
      case Step.SilenceServer(Duration _, int server) -> {
        Instant now = Instant.now();
        struck.away(server, now, now.plus(UNHEARD));
        var _ = fleet.servers().get(server).silence();
      }
    }
  }

  /** One operator at a time for each pod, who knows what the one before has done. */
  private void drain(String pod, Duration span) {
    ReentrantLock operator = operators.computeIfAbsent(pod, _ -> new ReentrantLock());
    operator.lock();
    try {
      Customers.Told told = customers.tell(pod, "drain");
      Instant from = Instant.now();
      LockSupport.parkNanos(span.toNanos());
      if (told.status() == 202 && !resumedLate.contains(pod)) {
        struck.drained(pod, from, Instant.now());
      }
      if (!customers.tell(pod, "resume").once()) {
        boolean _ = resumedLate.add(pod);
      }
    } finally {
      operator.unlock();
    }
  }

  private void restart(String what, Instant from, Duration down) {
    LockSupport.parkNanos(down.toNanos());
    redis.restart();
    forgot(what, from);
  }

  /** Until a server has compared Redis with the ledger nobody can tend what is in it. */
  private void forgot(String what, Instant from) {
    Instant back = Instant.now();
    long end = System.nanoTime() + COMPARED_MAX.toNanos();
    while (!compared() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    Instant compared = Instant.now();
    struck.compared(Duration.between(back, compared));
    Instant found = back.plus(Terms.RECOVERED);
    struck.trouble(what, from, compared.isAfter(found) ? compared : found, true);
  }

  private boolean compared() {
    String known = redis.get("convoke:dispatch:server");
    return !known.isEmpty()
        && !redis.get("convoke:dispatch:generation").isEmpty()
        && known.equals(redis.runId());
  }

  private void kill(Member pod, Duration down) {
    silent(
        pod,
        "it was killed",
        () -> {
          pod.kill();
          return NEVER;
        });
    struck.killed();
    LockSupport.parkNanos(down.toNanos());
    boolean _ = pod.startAgain();
  }

  /**
   * Has a pod say nothing any more.
   *
   * @param strike tells when it is heard again
   */
  private void silent(Member pod, String why, Supplier<CompletableFuture<Instant>> strike) {
    Optional<String> name = pod.podName();
    Instant from = pod.lastHeard();
    CompletableFuture<Instant> heard = strike.get();
    name.ifPresent(it -> struck.silent(it, why, from, heard));
  }

  private void killServer(int number, Duration down) {
    Member server = fleet.servers().get(number);
    Instant now = Instant.now();
    struck.killed();
    server.kill();
    again(number, now, down);
  }

  private void again(int number, Instant dead, Duration down) {
    Member server = fleet.servers().get(number);
    LockSupport.parkNanos(down.toNanos());
    if (server.startAgain()) {
      boolean works = server.awaitWork();
      struck.away(number, dead, works ? Instant.now().plus(SETTLED) : Instant.now());
    }
  }

  private void whoever(Step step, String word, Consumer<Member> strike) {
    try {
      int seen = witness.read().size();
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (System.nanoTime() - end < 0) {
        Optional<Member> said =
            witness.read().stream()
                .skip(seen)
                .filter(note -> note.word().equals(word))
                .findFirst()
                .flatMap(note -> alive(note.life()));
        if (said.isPresent()) {
          strike.accept(said.get());
          return;
        }
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
      }
      struck.missed(step + ": no program said it");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Optional<Member> alive(String life) {
    return fleet.pods().stream().filter(pod -> pod.life().equals(life)).findFirst();
  }

  /** Several ask at once, half of whom ask others when nobody answers. */
  private void ask(int server) {
    long number = System.nanoTime();
    IntStream.range(0, ASKERS)
        .mapToObj(
            i ->
                new Order(
                    Duration.ZERO,
                    "req-t%d-%d-%d".formatted(plan.seed(), number, i),
                    Optional.empty(),
                    "record",
                    "lobby",
                    Optional.empty(),
                    false,
                    new Fate(Fate.Kind.SUCCEEDS, Duration.ofMillis(100), 0),
                    i % 2 == 0,
                    0,
                    List.of()))
        .forEach(order -> threads.execute(() -> customers.want(order, server)));
  }
}
