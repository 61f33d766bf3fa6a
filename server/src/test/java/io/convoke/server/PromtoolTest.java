package io.convoke.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.convoke.server.config.ServerConfig;
import io.convoke.simulator.process.DebianPackages;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Prometheus' own tool reads what a server says at {@code /metrics} and the alert rules of {@code
 * docs/operations}. Its Debian package is unpacked beside the test, not installed: it would start a
 * Prometheus.
 */
@Tag("nightly")
class PromtoolTest {
  private static final Path HOME =
      Path.of(System.getProperty("convoke.home", "..")).toAbsolutePath().normalize();

  @TempDir private static Path folder;
  private static Path promtool = Path.of("promtool");

  private record Result(int code, String output) {}

  @BeforeAll
  static void find() throws IOException, InterruptedException {
    Optional<Path> installed = DebianPackages.onPath("promtool").findFirst();
    promtool = installed.orElse(promtool);
    if (installed.isEmpty() && DebianPackages.onPath("apt-get").findAny().isPresent()) {
      Result _ = run("", "apt-get", "update");
      Result _ =
          run("", "sh", "-c", "apt-get download prometheus && dpkg -x prometheus_*.deb unpacked");
      promtool = folder.resolve("unpacked/usr/bin/promtool");
    }
    boolean found = Files.isExecutable(promtool);
    if (!found) {
      System.err.printf("%n*** SKIPPED: PromtoolTest needs Debian's prometheus ***%n%n");
    }
    assumeTrue(found, "promtool");
  }

  @Test
  void readsTheMetricsOfAServerAndComplainsOfNoneOfOurs() throws Exception {
    Map<String, String> settings =
        Map.of(
            "CONVOKE_PORT", "0",
            "CONVOKE_DATABASE_URL", LocalStores.forTests().freshDatabase(),
            "CONVOKE_REDIS_URL", LocalStores.forTests().redis().url(),
            "CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            "CONVOKE_ADMIN_TOKEN", "the-admins-token");
    try (App app =
            App.start(
                ServerConfig.of(settings), EnumSet.allOf(NodeRole.class), folder.resolve("data"));
        HttpClient http = HttpClient.newHttpClient()) {
      // A request, so that the families with labels are there.
      String ready = get(http, app, "/readyz");
      assertThat(ready).isNotEmpty();
      String metrics = get(http, app, "/metrics");
      assertThat(metrics).contains("convoke_http_requests_seconds");
      Result result = run(metrics, promtool.toString(), "check", "metrics");
      // Of Micrometer's own, which dashboards of other programs know by these names.
      assertThat(result.output().lines().sorted())
          .containsExactly(
              "process_cpu_time_ns_total metric names should not contain abbreviated units",
              "system_cpu_count non-histogram and non-summary metrics should not have \"_count\""
                  + " suffix");
    }
  }

  private static String get(HttpClient http, App app, String path) throws Exception {
    return http.send(
            HttpRequest.newBuilder(URI.create(app.url() + path)).build(), BodyHandlers.ofString())
        .body();
  }

  @Test
  void acceptsEachFileOfRules() throws Exception {
    try (Stream<Path> files = Files.list(HOME.resolve("docs/operations"))) {
      List<Path> rules =
          files
              .filter(it -> it.getFileName().toString().endsWith("-alerts.yaml"))
              .sorted()
              .toList();
      assertThat(rules).hasSizeGreaterThanOrEqualTo(3);
      for (Path file : rules) {
        Result result = run("", promtool.toString(), "check", "rules", file.toString());
        assertThat(result.code()).as(result.output()).isZero();
      }
    }
  }

  @Test
  void findsThatTheRulesFireWhenTheyShould() throws Exception {
    for (String name : List.of("bots", "dispatch")) {
      String tests =
          Files.readString(HOME.resolve("server/src/test/resources/alerts/" + name + ".yaml"));
      Path rules = HOME.resolve("docs/operations/" + name + "-alerts.yaml");
      Path file = folder.resolve(name + "-test.yaml");
      Path _ = Files.writeString(file, tests.replace("RULES", rules.toString()));
      Result result = run("", promtool.toString(), "test", "rules", file.toString());
      assertThat(result.code()).as(result.output()).isZero();
    }
  }

  private static Result run(String input, String... command)
      throws IOException, InterruptedException {
    Path given = Files.writeString(Files.createTempFile(folder, "given", ""), input);
    Path printed = Files.createTempFile(folder, "printed", "");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(given.toFile())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).as(String.join(" ", command)).isTrue();
      return new Result(process.exitValue(), Files.readString(printed, UTF_8));
    } finally {
      var _ = process.destroyForcibly();
    }
  }
}
