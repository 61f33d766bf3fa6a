package io.convoke.chaos.rooms;

import io.convoke.chaos.Fault;
import io.convoke.chaos.FaultInjection;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.chaos.rooms.RoomHistory.EncoderBreak;
import io.convoke.chaos.rooms.RoomPlan.RoomFailure;
import io.convoke.chaos.rooms.RoomPlan.RoomFault;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Carries out the faults of a plan, and records what each really broke. */
final class RoomFaults {
  private static final Duration TICK = Duration.ofMillis(200);
  private static final Duration SOON = Duration.ofSeconds(90);

  private final RoomPlan plan;
  private final RoomMachine machine;
  private final RoomPeople people;
  private final FaultInjection injection;
  private final FaultTimeline timeline;
  private final Consumer<String> output;
  private final Map<Long, Instant> killedBots = new ConcurrentHashMap<>();
  private final List<EncoderBreak> breaks = new CopyOnWriteArrayList<>();
  private final AtomicInteger injected = new AtomicInteger();

  RoomFaults(
      RoomPlan plan,
      RoomMachine machine,
      RoomPeople people,
      FaultInjection injection,
      Consumer<String> output) {
    this.plan = plan;
    this.machine = machine;
    this.people = people;
    this.injection = injection;
    this.timeline = injection.timeline();
    this.output = output;
  }

  /** How many faults were carried out. */
  int injected() {
    return injected.get();
  }

  /** When the run killed a bot, by its process. */
  Map<Long, Instant> killedBots() {
    return Map.copyOf(killedBots);
  }

  /** The encoders that were killed, alone or with their pod. */
  List<EncoderBreak> breaks() {
    return List.copyOf(breaks);
  }

  /** Injects all, each at its time; returns when the last is over. */
  void inject(RunClock clock) {
    for (RoomFault fault : plan.faults()) {
      clock.await(fault.at());
      begin(fault);
      int _ = injected.incrementAndGet();
    }
  }

  private void begin(RoomFault fault) {
    switch (fault.target()) {
      case SERVER -> {
        int server = (int) (plan.seed() % machine.servers().number());
        injection.inject(
            fault.how() == RoomFailure.HANGS
                ? new Fault.HangServer(fault.at(), server, fault.span())
                : new Fault.KillServers(fault.at(), List.of(server), fault.span()));
      }
      case POSTGRES ->
          injection.inject(new Fault.PostgresAway(fault.at(), away(fault), fault.span()));
      case REDIS -> injection.inject(new Fault.RedisAway(fault.at(), away(fault), fault.span()));
      case JANUS, BOT, BROWSER, POD, ENCODER, MEDIA -> {
        try (var _ =
            timeline.begin(
                fault.target() + " " + fault.how(),
                RoomHistory.BOUND,
                List.of(fault.target().name()))) {
          inject(fault);
        }
      }
    }
  }

  private static Fault.StoreFailure away(RoomFault fault) {
    return fault.how() == RoomFailure.HANGS
        ? Fault.StoreFailure.HANGS
        : Fault.StoreFailure.IS_KILLED;
  }

  private void inject(RoomFault fault) {
    boolean hangs = fault.how() == RoomFailure.HANGS;
    switch (fault.target()) {
      case JANUS -> {
        if (hangs) {
          machine.janus().pause(true);
          pause(fault.span());
          machine.janus().pause(false);
          return;
        }
        Instant from = Instant.now();
        machine.janus().kill();
        pause(fault.span());
        people.allGone(from);
        machine.janus().start();
      }
      case BOT -> {
        for (ProcessHandle one : machine.programs("org.example.janusbot.JanusBot")) {
          if (hangs) {
            signal(one, "STOP");
            pause(fault.span());
            signal(one, "CONT");
          } else {
            killedBots.put(one.pid(), Instant.now());
            boolean _ = one.destroyForcibly();
          }
        }
      }
      case BROWSER -> {
        int number = (int) (plan.seed() % 2);
        people.killBrowser(number);
        pause(fault.span());
        people.startBrowser(number);
      }
      case POD -> {
        int pod = machine.recordingPod();
        if (hangs) {
          machine.podAt(pod).pause(true);
          pause(fault.span());
          machine.podAt(pod).pause(false);
          return;
        }
        broken(
            "the pod was killed",
            () -> {
              machine.podAt(pod).kill();
              pause(fault.span());
              machine.restartPod(pod);
            });
      }
      case ENCODER ->
          broken(
              "ffmpeg was killed",
              () ->
                  machine
                      .encoder()
                      .ifPresent(
                          it -> {
                            boolean _ = it.destroyForcibly();
                          }));
      case MEDIA -> loss(fault.span());
      case SERVER, POSTGRES, REDIS -> throw new IllegalArgumentException(fault.toString());
    }
  }

  /** Breaks an encoder, and waits for the next one. */
  private void broken(String what, Runnable kill) {
    Optional<ProcessHandle> before = machine.encoder();
    if (before.isEmpty()) {
      return;
    }
    Instant began = before.get().info().startInstant().orElse(Instant.EPOCH);
    Instant killed = Instant.now();
    CompletableFuture<Instant> next =
        CompletableFuture.supplyAsync(
            () -> successor(before.get().pid()), Thread.ofPlatform()::start);
    kill.run();
    Instant encoding = next.join();
    breaks.add(new EncoderBreak(what, began, killed, encoding));
  }

  /** When the first encoder after this one began. */
  private Instant successor(long pid) {
    boolean again = await(SOON, () -> machine.encoder().filter(it -> it.pid() != pid).isPresent());
    return again
        ? machine.encoder().flatMap(it -> it.info().startInstant()).orElse(Instant.MAX)
        : Instant.MAX;
  }

  /** Drops packets; a shell of its own ends that, also when this process dies. */
  private void loss(Duration span) {
    String ports = machine.janus().mediaPorts();
    shell(
        """
        if tc qdisc add dev lo root netem loss 5%% delay 20ms 2>/dev/null; then
          sleep %1$d; tc qdisc del dev lo root; echo netem
        else
          nft -f - <<END || exit 1
        table inet convoke_%3$s {
          chain lossy {
            type filter hook input priority 0;
            iifname lo udp dport %2$s numgen random mod 100 < 5 drop
            iifname lo udp sport %2$s numgen random mod 100 < 5 drop
          }
        }
        END
          sleep %1$d; nft delete table inet convoke_%3$s; echo nftables, without a delay
        fi
        """
            .formatted(Math.max(1, span.toSeconds()), ports, ports.replace('-', '_')));
  }

  private void shell(String script) {
    try {
      Process process =
          new ProcessBuilder("setsid", "sh", "-c", script).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      boolean _ = process.waitFor(30, TimeUnit.SECONDS);
      output.accept(
          process.exitValue() == 0
              ? "  packets were lost by " + said.strip()
              : "*** PACKETS WERE NOT LOST, this machine has neither netem nor nft: "
                  + said.strip());
    } catch (IOException e) {
      output.accept("*** PACKETS WERE NOT LOST: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void signal(ProcessHandle process, String signal) {
    try {
      int _ =
          new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void pause(Duration span) {
    for (long end = System.nanoTime() + span.toNanos(), left = span.toNanos();
        left > 0;
        left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  static boolean await(Duration most, BooleanSupplier condition) {
    long deadline = System.nanoTime() + most.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      pause(TICK.multipliedBy(3));
    }
    return true;
  }
}
