package io.convoke.e2e.journey;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.client.ConvokeClient;
import io.convoke.client.ConvokeException.RequestRefused;
import io.convoke.client.EventStream;
import io.convoke.client.WebhookVerifier;
import io.convoke.client.calls.GetMeeting;
import io.convoke.client.calls.ListMeetings;
import io.convoke.client.calls.StartBot;
import io.convoke.client.types.EventView;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The commands of users and the client that they use, against a real server. */
@Tag("nightly")
@Tag("heavy")
class CommandLineTest {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final long SECONDS_MAX = 60;

  @TempDir private static Path folder;
  private static JourneyTestServer server;

  @BeforeAll
  static void start() throws IOException {
    server =
        JourneyTestServer.open(
            Files.createDirectory(folder.resolve("server")),
            Map.of("CONVOKE_WEBHOOKS_ALLOW_PRIVATE", "true"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** What a command said. */
  private record Said(int code, String out, String err) {}

  private static Process begin(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                Path.of("../cli/target/lib").toAbsolutePath() + "/*",
                "io.convoke.cli.ConvokeCommand"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("XDG_CONFIG_HOME", folder.resolve("config").toString());
    return builder.start();
  }

  private static Said convoke(String input, String... arguments) throws Exception {
    Process process = begin(arguments);
    process.getOutputStream().write(input.getBytes(UTF_8));
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
    return new Said(process.exitValue(), out, err);
  }

  private static JsonNode json(String... arguments) throws Exception {
    Said said = convoke("", arguments);
    assertThat(said.code()).as(said.err()).isZero();
    return JSON.readTree(said.out());
  }

  @Test
  void aMeetingFromTheCommandLine() throws Exception {
    String key = server.key("cli@example.org");
    server.meet("cli-room", "Ada");
    Said login = convoke(key + "\n", "login", server.server().url());
    assertThat(login.code()).as(login.err()).isZero();
    assertThat(login.out()).doesNotContain(key);

    String room = server.simulator().roomUrl("cli-room").toString();
    long meeting =
        json("bot", "start", "daily", "cli-room", "--url", room, "--name", "Notes", "--json")
            .path("id")
            .asLong();
    Process follower = begin("events", "-f", "--json", "--after", "0");
    try (BufferedReader lines = follower.inputReader(UTF_8)) {
      awaitLine(lines, "\"to\":\"active\"");
      assertThat(convoke("", "bot", "list").out()).contains("cli-room", "active");
      assertThat(convoke("", "meetings").out()).contains(String.valueOf(meeting), "cli-room");
      assertThat(convoke("", "bot", "stop", String.valueOf(meeting)).out())
          .contains("asked to leave");
      awaitLine(lines, "\"to\":\"completed\"");
    } finally {
      Process _ = follower.destroyForcibly();
    }
    assertThat(json("meetings", "--json").at("/0/status").asString()).isEqualTo("completed");
    assertThat(json("transcript", String.valueOf(meeting), "--json").isArray()).isTrue();
    assertThat(convoke("", "transcript", String.valueOf(meeting), "--vtt").out())
        .startsWith("WEBVTT");
    assertThat(convoke("", "search", "hello").out()).startsWith("MEETING");

    Said task =
        convoke("{\"a\":1}", "task", "submit", "snapshot", "room", "--payload", "-", "--json");
    String id = JSON.readTree(task.out()).path("id").asString();
    assertThat(json("task", "get", id, "--json").at("/payload/a").asInt()).isEqualTo(1);
    JourneyTestServer.await(
        "the task in the list",
        java.time.Duration.ofSeconds(20),
        () -> {
          try {
            return convoke("", "task", "list").out().contains(id);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });

    // Without a Janus there are no rooms to make: the server says so, and the command passes it on.
    Said rooms = convoke("", "rooms", "create");
    assertThat(rooms.code()).isEqualTo(1);
    assertThat(rooms.err()).contains("405");
    assertThat(convoke("", "transcript", "987654").code()).isEqualTo(1);
  }

  private static void awaitLine(BufferedReader lines, String text) throws Exception {
    LinkedBlockingQueue<Boolean> found = new LinkedBlockingQueue<>();
    var _ =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                      if (line.contains(text)) {
                        found.add(true);
                        return;
                      }
                    }
                    found.add(false);
                  } catch (IOException e) {
                    found.add(false);
                  }
                });
    assertThat(found.poll(SECONDS_MAX, TimeUnit.SECONDS)).as(text).isEqualTo(true);
  }

  @Test
  void aStreamOutlivesTheServer(@TempDir Path own) throws Exception {
    try (JourneyTestServer mortal =
        JourneyTestServer.open(own, Map.of("CONVOKE_BOTS_MAX_LIVE", "5"))) {
      String key = mortal.key("stream@example.org");
      try (ConvokeClient client =
              ConvokeClient.builder(URI.create(mortal.server().url())).apiKey(key).build();
          EventStream events = client.events(Map.of("type", "meeting.status_changed"))) {
        long first = client.call(StartBot.of("daily").nativeMeetingId("one")).id();
        assertThat(events.next().subject()).isEqualTo("meeting:" + first);
        mortal.server().kill();
        mortal.server().restart();
        long second = client.call(StartBot.of("daily").nativeMeetingId("two").queue(true)).id();
        EventView next = events.next();
        while (next.subject().equals("meeting:" + first)) {
          next = events.next();
        }
        assertThat(next.subject()).isEqualTo("meeting:" + second);
      }
    }
  }

  @Test
  void theClientReadsListsAndVerifiesWebhooks() throws Exception {
    String key = server.key("hooks@example.org");
    LinkedBlockingQueue<Map<String, String>> delivered = new LinkedBlockingQueue<>();
    HttpServer receiver =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/", exchange -> receive(exchange, delivered));
    receiver.start();
    try (ConvokeClient client =
        ConvokeClient.builder(URI.create(server.server().url())).apiKey(key).build()) {
      for (int i = 0; i < 5; i++) {
        JsonNode _ =
            client.create(
                "/meetings",
                JSON.readTree("{\"platform\":\"daily\",\"native_meeting_id\":\"hooks-" + i + "\"}"),
                "track-" + i);
      }
      assertThat(
              client.list(ListMeetings.of().limit(2)).stream().map(it -> it.platformSpecificId()))
          .containsExactly("hooks-4", "hooks-3", "hooks-2", "hooks-1", "hooks-0");
      Assertions.assertThatThrownBy(() -> client.call(GetMeeting.of(987_654)))
          .isInstanceOfSatisfying(RequestRefused.class, it -> assertThat(it.notFound()).isTrue());

      String hook = "{\"url\":\"http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook\"}";
      JsonNode endpoint = client.create("/webhook-endpoints", JSON.readTree(hook), "hook");
      JsonNode _ =
          client.send(
              "POST",
              "/webhook-endpoints/" + endpoint.path("id").asLong() + "/test",
              java.util.Optional.empty(),
              true);
      Map<String, String> message = delivered.poll(SECONDS_MAX, TimeUnit.SECONDS);
      assertThat(message).isNotNull();
      WebhookVerifier.of(endpoint.path("secret").asString())
          .verify(
              message.getOrDefault("webhook-id", ""),
              message.getOrDefault("webhook-timestamp", ""),
              message.getOrDefault("webhook-signature", ""),
              message.getOrDefault("body", "").getBytes(UTF_8));
    } finally {
      receiver.stop(0);
    }
  }

  private static void receive(
      HttpExchange exchange, LinkedBlockingQueue<Map<String, String>> delivered)
      throws IOException {
    Map<String, String> message = new HashMap<>();
    exchange
        .getRequestHeaders()
        .forEach(
            (name, values) ->
                message.put(name.toLowerCase(java.util.Locale.ROOT), values.getFirst()));
    message.put("body", new String(exchange.getRequestBody().readAllBytes(), UTF_8));
    delivered.add(message);
    exchange.sendResponseHeaders(204, -1);
    exchange.close();
  }
}
