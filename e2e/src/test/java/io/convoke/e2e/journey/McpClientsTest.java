package io.convoke.e2e.journey;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The official clients of the Model Context Protocol against a real server: for TypeScript that of
 * the versions with a handshake and that of 2026-07-28, for Java that of the versions with a
 * handshake. They check each answer against the tool's output schema. The Java client runs in a
 * process of its own with the libraries that Maven resolves for its users, which are other versions
 * of Reactor and of the validator of schemas than ours.
 */
@Tag("nightly")
@Tag("heavy")
class McpClientsTest {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration INSTALL_MAX = Duration.ofMinutes(4);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(60);

  @TempDir private static Path folder;
  private static JourneyTestServer server;

  @BeforeAll
  @Timeout(600)
  static void start() throws Exception {
    boolean installed =
        Stream.of("node", "npm", "mvn").allMatch(it -> Files.isExecutable(program(it)));
    Assumptions.assumeTrue(installed, "no node, npm or mvn on the PATH");
    for (String name : List.of("package.json", "driver.mjs")) {
      resource(name, folder.resolve(name));
    }
    install(folder, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts");
    Path java = Files.createDirectory(folder.resolve("java"));
    resource("pom.xml", java.resolve("pom.xml"));
    Path sources = Files.createDirectories(java.resolve("src/main/java"));
    resource("Driver.java", sources.resolve("Driver.java"));
    install(
        java,
        "mvn",
        "-B",
        "-ntp",
        "-q",
        "-Dmaven.repo.local=" + folder.resolve("local"),
        "compile",
        "dependency:copy-dependencies");
    server = JourneyTestServer.open(Files.createDirectory(folder.resolve("server")), Map.of());
  }

  private static void resource(String name, Path file) throws IOException {
    try (InputStream in = McpClientsTest.class.getResourceAsStream("/mcp/" + name)) {
      long _ = Files.copy(in, file);
    }
  }

  /** Runs an installer; without its registry the tests are skipped. */
  private static void install(Path where, String... command)
      throws IOException, InterruptedException {
    Path log = where.resolve(command[0] + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(where.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    boolean done =
        process.waitFor(INSTALL_MAX.toSeconds(), TimeUnit.SECONDS) && process.exitValue() == 0;
    Process _ = process.destroyForcibly();
    Assumptions.assumeTrue(
        done, command[0] + " cannot install the clients: " + Files.readString(log));
  }

  private static Path program(String name) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .map(it -> Path.of(it, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(Path.of(name));
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  /** A client in a process of its own. */
  private static final class ClientProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;
    private final BufferedWriter in;
    private final JsonNode connected;

    ClientProcess(String key, String which) throws IOException {
      process =
          new ProcessBuilder(command(which, server.server().url() + "/mcp", key))
              .directory(folder.toFile())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      out = process.inputReader(UTF_8);
      in = process.outputWriter(UTF_8);
      connected = line();
    }

    private static List<String> command(String which, String url, String key) {
      if (!which.equals("java")) {
        return List.of("node", "driver.mjs", url, key, which);
      }
      String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      String target = "java/target/";
      return List.of(
          java, "-cp", target + "classes:" + target + "dependency/*", "Driver", url, key);
    }

    JsonNode call(String tool, Map<String, ?> arguments) throws IOException {
      return send(Map.of("tool", tool, "arguments", arguments));
    }

    JsonNode send(Map<String, ?> message) throws IOException {
      in.write(JSON.writeValueAsString(message) + "\n");
      in.flush();
      return line();
    }

    /** The structured answer of a call that succeeds. */
    JsonNode answer(String tool, Map<String, ?> arguments) throws IOException {
      JsonNode result = call(tool, arguments);
      assertThat(result.has("failed")).as(result.toString()).isFalse();
      assertThat(result.path("isError").asBoolean()).as(result.toString()).isFalse();
      return result.path("structuredContent");
    }

    String refusal(String tool, Map<String, ?> arguments) throws IOException {
      JsonNode result = call(tool, arguments);
      assertThat(result.path("isError").asBoolean()).as(result.toString()).isTrue();
      return JSON.readTree(result.at("/content/0/text").asString()).path("code").asString();
    }

    private JsonNode line() {
      String line =
          CompletableFuture.supplyAsync(
                  () -> {
                    try {
                      return String.valueOf(out.readLine());
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  })
              .orTimeout(ANSWER_MAX.toSeconds(), TimeUnit.SECONDS)
              .join();
      return JSON.readTree(line);
    }

    @Override
    public void close() {
      Process _ = process.destroyForcibly();
    }
  }

  private static Map<String, Object> with(Map<String, ?> arguments, String name, Object value) {
    Map<String, Object> more = new HashMap<>(arguments);
    more.put(name, value);
    return more;
  }

  @ParameterizedTest
  @CsvSource({"sdk,2025-11-25", "client,2026-07-28", "java,2025-11-25"})
  void everyToolAnswersAsItsSchemaSays(String which, String version) throws Exception {
    String key = server.key(which + "@example.org");
    String room = "mcp-" + which;
    server.meet(room, "Ada");
    try (ClientProcess client = new ClientProcess(key, which)) {
      assertThat(client.connected.path("version").asString()).isEqualTo(version);
      assertThat(client.connected.at("/server/name").asString()).isEqualTo("convoke");
      assertThat(client.connected.path("tools")).hasSize(11);
      assertThat(client.connected.path("prompts")).hasSize(2);

      Map<String, Object> bot =
          Map.of(
              "platform",
              "daily",
              "native_meeting_id",
              room,
              "meeting_url",
              server.simulator().roomUrl(room).toString());
      String confirm = client.answer("start_bot", bot).path("confirm").asString();
      JsonNode started = client.answer("start_bot", with(bot, "confirm", confirm));
      long meeting = started.at("/result/id").asLong();
      assertThat(meeting).isPositive();
      Map<String, Object> it = Map.of("meeting_id", meeting);

      ApiUser user = new ApiUser(server.server().url(), Map.of("X-API-Key", key));
      JsonNode _ =
          user.await(
              0,
              event ->
                  event.at("/data/meeting_id").asLong() == meeting
                      && event.at("/data/to").asString("").equals("active"));
      JsonNode explained = client.answer("explain_bot", it);
      assertThat(explained.path("conclusion").asString()).contains("in the meeting");
      assertThat(explained.at("/facts/0/events")).hasSize(1);
      assertThat(client.answer("list_meetings", Map.of()).path("items")).hasSize(1);
      assertThat(client.answer("get_meeting", it).path("status").asString()).isEqualTo("active");
      assertThat(client.answer("who_is_in_room", it).path("meeting_id").asLong())
          .isEqualTo(meeting);
      assertThat(client.answer("get_transcript", it).path("format").asString()).isEqualTo("txt");
      assertThat(client.answer("search_transcripts", Map.of("q", "hello")).path("items")).isEmpty();
      assertThat(client.answer("sync_status", it).path("status").asString())
          .isEqualTo("not_started");

      Map<String, Object> task =
          Map.of(
              "request_id",
              which,
              "type",
              "snapshot",
              "action",
              "start",
              "channel",
              which,
              "payload",
              Map.of());
      String sure = client.answer("submit_task", task).path("confirm").asString();
      String taskId =
          client.answer("submit_task", with(task, "confirm", sure)).at("/result/id").asString();
      assertThat(client.answer("get_task", Map.of("task_id", taskId)).path("id").asString())
          .isEqualTo(taskId);

      String uri = "convoke://meetings/" + meeting + "/transcript";
      assertThat(client.send(Map.of("resource", uri)).at("/contents/0/uri").asString())
          .isEqualTo(uri);
      Map<String, Object> prompt =
          Map.of("prompt", "explain_late_bot", "arguments", Map.of("meeting_id", "" + meeting));
      assertThat(client.send(prompt).at("/messages/0/role").asString()).isEqualTo("user");

      String leave = client.answer("stop_bot", it).path("confirm").asString();
      assertThat(client.answer("stop_bot", with(it, "confirm", leave)).path("dry_run").asBoolean())
          .isFalse();

      try (ClientProcess stranger =
          new ClientProcess(server.key("stranger-" + which + "@example.org"), which)) {
        assertThat(stranger.refusal("get_meeting", it)).isEqualTo("not_found");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"sdk", "client", "java"})
  void aKeyThatReadsSeesNoToolThatActs(String which) throws Exception {
    JsonNode user =
        server
            .admin()
            .post("/admin/users", "{\"email\": \"reader-%s@example.org\"}".formatted(which))
            .body();
    String key =
        server
            .admin()
            .post("/admin/users/" + user.path("id").asLong() + "/tokens", "{\"scopes\":[\"read\"]}")
            .body()
            .path("token")
            .asString();
    try (ClientProcess client = new ClientProcess(key, which)) {
      assertThat(client.connected.path("tools").valueStream().map(JsonNode::asString))
          .hasSize(8)
          .doesNotContain("start_bot", "stop_bot", "submit_task");
      assertThat(client.refusal("start_bot", Map.of("platform", "daily", "native_meeting_id", "x")))
          .isEqualTo("scope_missing");
    }
  }
}
