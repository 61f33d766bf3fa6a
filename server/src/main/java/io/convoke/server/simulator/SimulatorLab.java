package io.convoke.server.simulator;

import io.convoke.engine.sql.Database;
import io.convoke.server.http.Answer;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Request;
import io.convoke.server.http.Role;
import io.convoke.server.http.Schema;
import io.convoke.server.simulator.Invariants.Bounds;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** {@code /simulator}: the operator looks at the attached simulator and makes it misbehave. */
public final class SimulatorLab {
  /** What was over before that is of no interest any more; bounds are shorter. */
  private static final Duration LOOK_BACK = Duration.ofMinutes(30);

  /** How long the platform takes to list a recording that has ended. */
  private static final Duration LISTED = Duration.ofSeconds(15);

  private static final Schema FAULT =
      Schema.anyOf(
          Schema.number(0, 1),
          Schema.object()
              .optional("probability", Schema.number(0, 1))
              .optional("amount_s", Schema.number(0, 3600))
              .optional("on", Schema.printable(1, 200))
              .optional("times", Schema.integer(1, 1_000_000)));

  private final SimulatorClient simulator;
  private final Database database;
  private final Bounds bounds;
  private final InstantSource clock;
  private final Instant started;

  /**
   * {@code presence} bounds how old presence may be, {@code listing} is the time between two
   * listings of recordings.
   */
  public SimulatorLab(
      URI url, Database database, Duration presence, Duration listing, InstantSource clock) {
    this.simulator = new SimulatorClient(url);
    this.database = database;
    this.bounds = new Bounds(presence, listing.plus(LISTED));
    this.clock = clock;
    this.started = clock.instant();
  }

  /**
   * The judgement.
   *
   * @param at when the truth was so
   */
  record Judgement(Instant at, List<Invariant> invariants) {}

  /** All of {@code /simulator}. */
  public List<Endpoint> endpoints() {
    Schema simulation = Schema.of(Simulation.class);
    return List.of(
        Endpoint.get("/simulator")
            .id("getSimulator")
            .tag("simulator")
            .summary("What the attached simulator plays, and its faults.")
            .roles(Role.ADMIN)
            .answers(200, simulation)
            .handle(_ -> Answer.ok(simulation())),
        Endpoint.get("/simulator/invariants")
            .id("listInvariants")
            .tag("simulator")
            .summary("What must be so, held against what really happened.")
            .roles(Role.ADMIN)
            .answers(200, Schema.of(Judgement.class))
            .handle(_ -> Answer.ok(judgement())),
        Endpoint.patch("/simulator/faults")
            .id("setFaults")
            .tag("simulator")
            .summary("Set some faults: a probability, or an object; others stay as they are.")
            .roles(Role.ADMIN)
            .body(Schema.mapOf(FAULT))
            .answers(200, simulation)
            .handle(this::set),
        Endpoint.delete("/simulator/faults")
            .id("clearFaults")
            .tag("simulator")
            .summary("Set every fault to never.")
            .roles(Role.ADMIN)
            .answers(200, simulation)
            .handle(_ -> clear()));
  }

  private Simulation simulation() {
    return Simulation.of(simulator.state());
  }

  private Answer set(Request request) {
    simulator.set(request.json());
    return Answer.ok(simulation());
  }

  private Answer clear() {
    simulator.clear();
    return Answer.ok(simulation());
  }

  private Judgement judgement() {
    Instant lately = clock.instant().minus(LOOK_BACK);
    Truth truth = Truth.of(simulator.truth(lately));
    Held held =
        Held.read(
            database,
            lately,
            truth.recordings().stream().map(Truth.Finished::recordingId).toList());
    return new Judgement(
        truth.at(), Invariants.judge(truth, held, started, bounds, clock.instant()));
  }
}
