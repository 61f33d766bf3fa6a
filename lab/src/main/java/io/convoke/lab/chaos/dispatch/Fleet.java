package io.convoke.lab.chaos.dispatch;

import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Servers;
import io.convoke.lab.child.JavaProgram;
import io.convoke.lab.child.Programs;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The servers and pods of one run, on one fresh database and one Redis. */
final class Fleet implements AutoCloseable {
  private static final String SERVER = "io.convoke.server.Main";
  private static final String POD = "io.convoke.agent.ReferencePod";

  /** What lives for seconds starts faster so, and nine of them have to fit. */
  private static final List<String> SMALL =
      List.of("-XX:TieredStopAtLevel=1", "-Xmx160m", "-Xss512k");

  private final String adminToken = Servers.randomKey();
  private final String secretKey = Servers.randomKey();
  private final Ground ground;
  private final Plan plan;
  private final Path folder;
  private final Witness witness;
  private final String databaseUrl;
  private final List<Integer> ports;
  private final List<Member> servers = new ArrayList<>();
  private final List<Member> pods = new ArrayList<>();

  Fleet(Ground ground, Plan plan, Path folder, Witness witness) {
    this.ground = ground;
    this.plan = plan;
    this.folder = folder;
    this.witness = witness;
    this.databaseUrl = ground.stores().freshDatabase();
    this.ports = IntStream.range(0, plan.servers()).mapToObj(i -> Programs.freePort()).toList();
  }

  /** Starts all and waits until all work. The first server brings the schema. */
  void start() throws IOException {
    for (int i = 0; i < plan.servers(); i++) {
      servers.add(server(i));
      if (i == 0) {
        URI _ = servers.getFirst().awaitReady();
      }
    }
    for (int i = 0; i < plan.pods(); i++) {
      pods.add(pod(i));
    }
    servers.forEach(Member::awaitReady);
    pods.forEach(Member::awaitReady);
  }

  List<Member> servers() {
    return servers;
  }

  List<Member> pods() {
    return pods;
  }

  List<URI> urls() {
    return ports.stream().map(port -> URI.create("http://127.0.0.1:" + port)).toList();
  }

  String adminToken() {
    return adminToken;
  }

  /** The name of the database, for looking at rows. */
  String database() {
    return databaseUrl.substring(databaseUrl.lastIndexOf('/') + 1);
  }

  @Override
  public void close() throws IOException {
    for (Member pod : pods) {
      pod.close();
    }
    for (Member server : servers) {
      server.close();
    }
  }

  private Member server(int number) throws IOException {
    String name = "server-" + number;
    Map<String, String> settings = settings();
    settings.put("CONVOKE_DATABASE_URL", databaseUrl);
    settings.put("CONVOKE_ADMIN_TOKEN", adminToken);
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    List<String> arguments =
        List.of(
            "serve",
            "--port",
            ports.get(number).toString(),
            "--roles",
            "api,dispatch",
            "--data",
            folder.resolve(name).toString());
    return member(name, SERVER, arguments, settings);
  }

  private Member pod(int number) throws IOException {
    String name = "pod-" + number;
    Map<String, String> settings = settings();
    settings.put("LAB_NOTES", witness.notes().toString());
    List<String> arguments =
        List.of(
            "--region",
            Terms.REGIONS.get(number % Terms.REGIONS.size()),
            "--slots",
            Integer.toString(Terms.SLOTS),
            "--grace",
            Terms.GRACE.toSeconds() + "s",
            "--exec",
            witness.command());
    return member(name, POD, arguments, settings);
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>(Terms.settings());
    settings.put("CONVOKE_REDIS_URL", ground.stores().redis().url());
    settings.put("CONVOKE_SECRET_KEY", secretKey);
    return settings;
  }

  private Member member(
      String name, String main, List<String> arguments, Map<String, String> settings)
      throws IOException {
    JavaProgram program =
        new JavaProgram(name, main, arguments, settings, SMALL, folder.resolve(name + ".log"));
    return new Member(
        program,
        ground.guardian(),
        ground.stores().redis().port(),
        folder,
        plan.clocks().getOrDefault(name, Duration.ZERO));
  }
}
