package io.convoke.server.launch.nomad;

import io.convoke.server.launch.Exits;
import io.convoke.server.launch.Following;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.nomad.Instance.Allocation;
import io.convoke.server.launch.nomad.NomadApi.Job;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Runs each bot as one dispatched instance of a parameterized job. Its handle is {@code
 * nomad:JOBID}. A stop deregisters the instance, which Nomad carries out within the task's own
 * {@code kill_timeout}; when our grace is over first, the task gets SIGKILL.
 */
public final class NomadLauncher implements Launcher {
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

  private final NomadTerms terms;
  private final NomadApi nomad;
  private final Exits exits = new Exits();

  /** The state of the last listing, written before it is compared with what runs. */
  private volatile long looked;

  private final Following following = new Following("nomad-jobs", this::follow);

  /** Connects to Nomad on first use. */
  public NomadLauncher(NomadTerms terms) {
    this.terms = terms;
    this.nomad = new NomadApi(terms);
  }

  @Override
  public String launch(LaunchSpec spec) throws LaunchException {
    Map<String, String> meta = new HashMap<>(spec.environment());
    meta.put("BOT_CONFIG", spec.botConfig());
    meta.put("convoke_fleet", terms.fleet());
    meta.put("convoke_name", spec.containerName());
    meta.put("convoke_meeting_id", Long.toString(spec.meetingId()));
    meta.put("convoke_connection_id", spec.connectionId());
    meta.put("convoke_attempt", Integer.toString(spec.attempt()));
    NomadApi.Dispatched dispatched =
        nomad.dispatch(meta, terms.fleet() + ":" + spec.connectionId() + ":" + spec.attempt());
    String handle = PREFIX + dispatched.jobId();
    exits.runs(handle, spec.containerName());
    if (!dispatched.fresh() || looked >= dispatched.index()) {
      // An earlier call began it, or the listing was faster than this answer: an end of it that
      // nobody waited for is told now.
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
  public List<Running> list() {
    return look(nomad.list(0, Duration.ZERO));
  }

  @Override
  public Remains remains(String handle) {
    try {
      Optional<Allocation> last = jobId(handle).flatMap(nomad::find).flatMap(Instance::last);
      if (last.isEmpty()) {
        return Remains.NONE;
      }
      Allocation bot = last.get();
      return Remains.of(
          bot.reason(),
          nomad.printed(bot.id(), bot.task(), "stdout")
              + nomad.printed(bot.id(), bot.task(), "stderr"));
    } catch (LauncherUnavailable e) {
      return Remains.NONE;
    }
  }

  @Override
  public void onExit(Consumer<Exit> listener) {
    exits.listen(listener);
    following.start();
  }

  @Override
  public void close() {
    exits.deafen();
    following.close();
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
    Optional<Instance> instance = nomad.find(jobId);
    if (instance.isEmpty()) {
      return exits
          .of(handle)
          .<Probe>map(exit -> new Probe.Gone(exit.exitCode()))
          .orElseGet(Probe.Unknown::new);
    }
    return instance.get().ended() ? new Probe.Gone(instance.get().exitCode()) : new Probe.Alive();
  }

  private Probe kill(String handle, String jobId) {
    for (Allocation bot : nomad.find(jobId).map(Instance::allocations).orElse(List.of())) {
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
      Optional<Instance> instance = nomad.find(jobId);
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
      NomadApi.Listing listing = nomad.list(index, LIST_WAIT);
      looked = listing.index();
      List<Running> _ = look(listing);
      // An index that went back means that Nomad's state was restored: begin anew.
      index = listing.index() < index ? 0 : listing.index();
    }
  }

  /** The running instances of this installation; reports exits that the stream missed. */
  private List<Running> look(NomadApi.Listing listing) {
    Map<String, String> expected = new HashMap<>(exits.running());
    List<Running> running = new ArrayList<>();
    for (Job job : listing.jobs()) {
      String handle = PREFIX + job.id();
      if (!terms.fleet().equals(job.meta().get("convoke_fleet"))) {
        continue;
      }
      String name = Optional.ofNullable(job.meta().get("convoke_name")).orElse("");
      if (job.active() && exits.of(handle).isEmpty()) {
        running.add(new Running(handle, name));
        exits.runs(handle, name);
        expected.remove(handle);
      }
    }
    expected.forEach(this::settle);
    return running;
  }

  /** Reports an exit if there is one. */
  private void settle(String handle, String name) {
    switch (probe(handle)) {
      case Probe.Gone(var exitCode) -> exits.ended(handle, name, exitCode);
      case Probe.Unknown _ -> exits.ended(handle, name, Optional.empty());
      case Probe.Alive _, Probe.Unreachable _ -> {}
    }
  }
}
