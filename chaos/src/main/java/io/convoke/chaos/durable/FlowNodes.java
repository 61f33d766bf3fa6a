package io.convoke.chaos.durable;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosProgram;
import io.convoke.chaos.FakeClock;
import io.convoke.chaos.FaultTargets;
import io.convoke.simulator.process.JavaProgramSpec;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** The engine nodes of one run, on one database. It notes what each held when it was killed. */
final class FlowNodes implements FaultTargets, AutoCloseable {
  /** Started by class name: the rules know the library by its tables only. */
  private static final String PROGRAM = "io.convoke.chaos.flows.FlowNode";

  private static final List<String> SMALL =
      List.of("-XX:TieredStopAtLevel=1", "-Xmx160m", "-Xss512k");
  private static final String DATABASE = "DATABASE_URL";
  private static final String LISTEN = "LISTEN_URL";
  private static final String OUTSIDE = "OUTSIDE_URL";

  private final ChaosEnvironment environment;
  private final String url;
  private final boolean network;
  private final FlowFaultLog faultLog;
  private final List<ChaosProgram> nodes;

  /**
   * Starts all, and waits until they are ready.
   *
   * @param network whether they reach the stores over ways that faults can hit
   */
  FlowNodes(
      ChaosEnvironment environment,
      String url,
      Path folder,
      Optional<Integer> shiftedClock,
      boolean network,
      FlowFaultLog faultLog) {
    this.environment = environment;
    this.url = url;
    this.network = network;
    this.faultLog = faultLog;
    this.nodes =
        IntStream.range(0, FlowRunConfig.NODES)
            .mapToObj(i -> node("node-" + i, folder, shiftedClock.equals(Optional.of(i))))
            .toList();
    nodes.forEach(ChaosProgram::awaitReady);
  }

  @Override
  public List<ChaosProgram> programs() {
    return nodes;
  }

  /** Reads the node's locked items right after the kill, before another node can detect it. */
  @Override
  public void kill(int number) {
    ChaosProgram node = nodes.get(number);
    List<String> others =
        nodes.stream()
            .filter(it -> !it.equals(node) && it.undisturbed())
            .map(ChaosProgram::name)
            .toList();
    List<String> held = List.of();
    Instant at = Instant.now();
    try (FlowRows rows = rows()) {
      Optional<Integer> identity = rows.number(node.ports(LISTEN));
      at = Instant.now();
      node.kill();
      held = identity.isPresent() ? rows.held(identity.get()) : List.of();
    } catch (SQLException away) {
      node.kill();
    }
    faultLog.killed(node.name(), at, held, others);
  }

  /** Silences the LISTEN connection of the current process; the next one has a new connection. */
  void silenceListener(int number) {
    nodes.get(number).silence(LISTEN);
  }

  /** Opens connections that listen as a node does and never read. */
  @Override
  public StalledClients stall(int number) {
    List<Connection> listeners = new ArrayList<>();
    try {
      for (int i = 0; i < number; i++) {
        listeners.add(connection());
        try (Statement statement = listeners.getLast().createStatement()) {
          for (String channel : FlowRunConfig.CHANNELS) {
            boolean _ = statement.execute("listen \"" + channel + "\"");
          }
        }
      }
    } catch (SQLException away) {
      // A fault took Postgres: there are fewer.
    }
    return () -> listeners.forEach(FlowNodes::close);
  }

  FlowRows rows() throws SQLException {
    return new FlowRows(connection());
  }

  @Override
  public void close() {
    nodes.forEach(ChaosProgram::close);
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException broken) {
      // A fault has closed it.
    }
  }

  private Connection connection() throws SQLException {
    return environment.stores().postgres().connect(url.substring(url.lastIndexOf('/') + 1));
  }

  private ChaosProgram node(String name, Path folder, boolean movable) {
    Map<String, String> urls = new HashMap<>();
    urls.put(DATABASE, url);
    urls.put(LISTEN, url);
    urls.put(OUTSIDE, environment.stores().redis().url());
    return new ChaosProgram(
        life ->
            new JavaProgramSpec(
                    name,
                    PROGRAM,
                    List.of(
                        folder.resolve(ActivityLog.file(name, life)).toString(),
                        Long.toString(FlowRunConfig.LOCK.toMillis()),
                        Long.toString(FlowRunConfig.FALLBACK.toMillis())),
                    urls,
                    SMALL,
                    folder.resolve(name + ".log"))
                .inEitherRelease(),
        environment.guardian(),
        network ? Set.of(DATABASE, LISTEN, OUTSIDE) : Set.of(LISTEN),
        movable ? FakeClock.in(folder.resolve(name + ".clock")) : Optional.empty());
  }
}
