package io.convoke.server.simulator;

import io.convoke.engine.sql.Database;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.simulator.StoredRows.StalenessBounds;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * {@code /simulator}: state, invariants and faults of the attached simulator, for operators. The
 * simulator checks the invariants; this server sends it the stored rows.
 */
public final class SimulatorEndpoints {
  /** Period that is compared; longer than all bounds. */
  private static final Duration COMPARED = Duration.ofMinutes(30);

  /** How long the platform takes to list a recording that has ended. */
  private static final Duration LISTING_DELAY = Duration.ofSeconds(15);

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
  private final StalenessBounds stalenessBounds;
  private final InstantSource clock;
  private final Instant started;

  /**
   * {@code presence} is the maximum staleness of presence, {@code listing} the interval between two
   * listings of recordings.
   */
  public SimulatorEndpoints(
      URI url, Database database, Duration presence, Duration listing, InstantSource clock) {
    this.simulator = new SimulatorClient(url);
    this.database = database;
    this.stalenessBounds = new StalenessBounds(presence, listing.plus(LISTING_DELAY));
    this.clock = clock;
    this.started = clock.instant();
  }

  /** All of {@code /simulator}. */
  public List<Endpoint> endpoints() {
    Schema simulation = Schema.of(SimulationView.class);
    return List.of(
        Endpoint.get("/simulator")
            .id("getSimulator")
            .tag("simulator")
            .summary("The attached simulator's scenario and faults.")
            .roles(CallerRole.ADMIN)
            .answers(200, simulation)
            .handle(_ -> Response.ok(simulation())),
        Endpoint.get("/simulator/invariants")
            .id("listInvariants")
            .tag("simulator")
            .summary("Invariants, checked against the simulator's state.")
            .roles(CallerRole.ADMIN)
            .answers(200, Schema.of(InvariantReport.class))
            .handle(_ -> Response.ok(invariants())),
        Endpoint.patch("/simulator/faults")
            .id("setFaults")
            .tag("simulator")
            .summary("Set some faults: a probability, or an object; others stay as they are.")
            .roles(CallerRole.ADMIN)
            .operators(OperatorRole.OPERATOR)
            .body(Schema.mapOf(FAULT))
            .answers(200, simulation)
            .handle(this::set),
        Endpoint.delete("/simulator/faults")
            .id("clearFaults")
            .tag("simulator")
            .summary("Set every fault to never.")
            .roles(CallerRole.ADMIN)
            .operators(OperatorRole.OPERATOR)
            .answers(200, simulation)
            .handle(_ -> clear()));
  }

  private SimulationView simulation() {
    return SimulationView.of(simulator.state());
  }

  private Response set(Request request) {
    simulator.set(request.json());
    return Response.ok(simulation());
  }

  private Response clear() {
    simulator.clear();
    return Response.ok(simulation());
  }

  private InvariantReport invariants() {
    Instant now = clock.instant();
    Instant since = now.minus(COMPARED);
    return simulator.check(StoredRows.read(database, now, since, started, stalenessBounds));
  }
}
