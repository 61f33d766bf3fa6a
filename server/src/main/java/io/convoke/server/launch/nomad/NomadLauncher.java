package io.convoke.server.launch.nomad;

import io.convoke.server.launch.ExitTracker;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.StreamFollower;
import io.convoke.server.launch.nomad.NomadApi.NomadJob;
import io.convoke.server.launch.nomad.NomadJobInstance.NomadAllocation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs each bot as one dispatched instance of a parameterized job. Its handle is {@code
 * nomad:JOBID}. A stop deregisters the instance, which Nomad carries out within the task's own
 * {@code kill_timeout}; when our grace is over first, the task gets SIGKILL. Where Nomad runs an
 * instance a second time, that is ended: the bot is the first allocation.
 */
public final class NomadLauncher implements Launcher {
  private static final Logger log = LoggerFactory.getLogger(NomadLauncher.class);

  /** The metadata that the job must allow at dispatch. */
  public static final List<String> META =
      List.of(
          "BOT_CONFIG",
          "convoke_fleet",
          "convoke_name",
          "convoke_meeting_id",
          "convoke_connection_id",
          "convoke_attempt");

  private static final String PREFIX = "nomad:";
  private static final Duration KILL_WAIT = Duration.ofSeconds(10);

  /** Nomad takes no wait for its own longest one. */
  private static final Duration WAIT_LEAST = Duration.ofMillis(5);

  private static final Duration LIST_WAIT = Duration.ofMinutes(1);

  private final NomadConfig terms;
  private final NomadApi nomad;
  private final ExitTracker exitTracker = new ExitTracker();

  /** Why replacements that still run could not be stopped, by job. */
  private final Map<String, String> refusedStops = new ConcurrentHashMap<>();

  /** The state of the last listing, written before it is compared with what runs. */
  private volatile long looked;

  private final StreamFollower streamFollower = new StreamFollower("nomad-jobs", this::follow);

  /** Connects to Nomad on first use. */
  public NomadLauncher(NomadConfig terms) {
    this.terms = terms;
    this.nomad = new NomadApi(terms);
  }

  @Override
  public String launch(LaunchSpec spec) throws LaunchException {
    Map<String, String> meta = new HashMap<>(spec.environment());
    meta.putAll(spec.secrets());
    meta.put("BOT_CONFIG", spec.botConfig());
    meta.put("convoke_fleet", terms.fleet());
    meta.put("convoke_name", spec.containerName());
    meta.put("convoke_meeting_id", Long.toString(spec.meetingId()));
    meta.put("convoke_connection_id", spec.connectionId());
    meta.put("convoke_attempt", Integer.toString(spec.attempt()));
    NomadApi.NomadDispatchResult nomadDispatchResult =
        nomad.dispatch(meta, terms.fleet() + ":" + spec.connectionId() + ":" + spec.attempt());
    String handle = PREFIX + nomadDispatchResult.jobId();
    exitTracker.runs(handle, spec.containerName());
    if (!nomadDispatchResult.fresh() || looked >= nomadDispatchResult.index()) {
      // An earlier call started it, or a listing was faster than this response: report its exit
      // now, which no listener has received.
      Thread.startVirtualThread(() -> settle(handle, spec.containerName()));
    }
    return handle;
  }

  @Override
  public Probe probe(String handle) {
    return at(handle, jobId -> probe(handle, jobId));
  }

  @Override
  public Probe stop(String handle, Duration grace) {
    return at(
        handle,
        jobId -> {
          Probe before = probe(handle, jobId);
          if (!(before instanceof Probe.Alive)) {
            return before;
          }
          nomad.deregister(jobId);
          return awaitEnd(jobId, grace) ? probe(handle, jobId) : kill(handle, jobId);
        });
  }

  @Override
  public Probe kill(String handle) {
    return at(
        handle,
        jobId -> {
          Probe before = probe(handle, jobId);
          if (!(before instanceof Probe.Alive)) {
            return before;
          }
          // First, or Nomad would start it again.
          nomad.deregister(jobId);
          return kill(handle, jobId);
        });
  }

  @Override
  public List<RunningBot> list() {
    return look(nomad.list(0, Duration.ZERO));
  }

  @Override
  public BotExitDetails remains(String handle) {
    try {
      Optional<NomadAllocation> first =
          jobId(handle).flatMap(nomad::find).flatMap(NomadJobInstance::bot);
      if (first.isEmpty()) {
        return BotExitDetails.NONE;
      }
      NomadAllocation bot = first.get();
      // The output is on a node, which is not asked once Nomad says that it is lost.
      boolean lost = bot.reason().equals(Optional.of(BotExitDetails.NODE_LOST));
      return BotExitDetails.of(
          bot.reason(), bot.failures() + (lost ? "" : nomad.printed(bot.id(), bot.task())));
    } catch (LauncherUnavailable e) {
      return BotExitDetails.NONE;
    }
  }

  @Override
  public void onExit(Consumer<BotExit> listener) {
    exitTracker.listen(listener);
    streamFollower.start();
  }

  @Override
  public void close() {
    exitTracker.removeListeners();
    streamFollower.close();
    nomad.close();
  }

  private static Optional<String> jobId(String handle) {
    return handle.startsWith(PREFIX)
        ? Optional.of(handle.substring(PREFIX.length()))
        : Optional.empty();
  }

  private static Probe at(String handle, Function<String, Probe> question) {
    try {
      return jobId(handle).map(question).orElseGet(Probe.Unknown::new);
    } catch (LauncherUnavailable e) {
      return new Probe.Unreachable(String.valueOf(e.getMessage()));
    }
  }

  private Probe probe(String handle, String jobId) {
    Optional<NomadJobInstance> instance = nomad.find(jobId);
    if (instance.isEmpty()) {
      return exitTracker
          .of(handle)
          .<Probe>map(botExit -> new Probe.Gone(botExit.exitCode()))
          .orElseGet(Probe.Unknown::new);
    }
    return instance.get().ended() ? new Probe.Gone(instance.get().exitCode()) : new Probe.Alive();
  }

  private Probe kill(String handle, String jobId) {
    for (NomadAllocation bot :
        nomad.find(jobId).map(NomadJobInstance::allocations).orElse(List.of())) {
      if (!bot.ended()) {
        nomad.signal(bot.id(), "SIGKILL");
      }
    }
    boolean _ = awaitEnd(jobId, KILL_WAIT);
    return probe(handle, jobId);
  }

  /** Waits by blocking queries until the instance has ended; false if that takes too long. */
  private boolean awaitEnd(String jobId, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    long index = 0;
    while (true) {
      Optional<NomadJobInstance> instance = nomad.find(jobId);
      if (instance.isEmpty() || instance.get().ended()) {
        return true;
      }
      Duration left = Duration.ofNanos(deadline - System.nanoTime());
      if (left.compareTo(WAIT_LEAST) < 0) {
        return false;
      }
      index = nomad.allocations(jobId, index, left).index();
    }
  }

  private void follow() {
    long index = 0;
    while (!Thread.currentThread().isInterrupted()) {
      NomadApi.NomadJobListing nomadJobListing = nomad.list(index, LIST_WAIT);
      looked = nomadJobListing.index();
      List<RunningBot> _ = look(nomadJobListing);
      // An index that went back means that Nomad's state was restored: begin anew. Before its first
      // job it is 0, for which Nomad would not wait.
      index = nomadJobListing.index() < index ? 0 : Math.max(1, nomadJobListing.index());
    }
  }

  /** The running instances of this installation; reports exits that the stream missed. */
  private List<RunningBot> look(NomadApi.NomadJobListing nomadJobListing) {
    Map<String, String> expected = new HashMap<>(exitTracker.running());
    List<RunningBot> running = new ArrayList<>();
    Set<String> replaced = new HashSet<>();
    for (NomadJob nomadJob : nomadJobListing.jobs()) {
      String handle = PREFIX + nomadJob.id();
      if (!terms.fleet().equals(nomadJob.meta().get("convoke_fleet"))) {
        continue;
      }
      if (nomadJob.replaced()) {
        replaced.add(nomadJob.id());
        stopReplacement(nomadJob.id());
      }
      String name = Optional.ofNullable(nomadJob.meta().get("convoke_name")).orElse("");
      if (nomadJob.active() && exitTracker.of(handle).isEmpty()) {
        running.add(new RunningBot(handle, name));
        exitTracker.runs(handle, name);
        expected.remove(handle);
      }
    }
    refusedStops.keySet().retainAll(replaced);
    expected.forEach(this::settle);
    return running;
  }

  /**
   * One launch is one bot: another allocation would come into the meeting with the first one's
   * token, where that one may still be. A refusal, as without the right {@code submit-job}, is met
   * again at each listing, and logged when it changes.
   */
  private void stopReplacement(String jobId) {
    try {
      nomad.deregister(jobId);
      log.warn("Nomad runs {} a second time, for a node that was lost or drained: stopped", jobId);
    } catch (LauncherUnavailable e) {
      String why = String.valueOf(e.getMessage());
      if (!why.equals(refusedStops.put(jobId, why))) {
        log.warn("{}, which Nomad runs a second time, cannot be stopped: {}", jobId, why);
      }
    }
  }

  /** Reports an exit if there is one. */
  private void settle(String handle, String name) {
    switch (probe(handle)) {
      case Probe.Gone(var exitCode) -> exitTracker.ended(handle, name, exitCode);
      case Probe.Unknown _ -> exitTracker.ended(handle, name, Optional.empty());
      case Probe.Alive _, Probe.Unreachable _ -> {}
    }
  }
}
