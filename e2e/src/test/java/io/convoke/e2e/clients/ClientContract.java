package io.convoke.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.convoke.e2e.build.ProjectCopy;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The contract of every client: its own tests pass, and what it is made for works against a real
 * server, also one that is killed meanwhile.
 */
@Tag("nightly")
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ClientContract {
  private static final String INTERNAL = "the-internal-token-of-this-test";
  private static final String POD = "io.convoke.agent.ReferencePod";

  private Path data;
  private ClientPackage client;
  private JourneyTestServer journey;
  private String key;
  private ApiUser user;

  /** Packs and installs the client below a folder, or skips the class, loudly. */
  abstract ClientPackage install(Path folder) throws Exception;

  /** Skips the class, loudly, unless something is there that nothing here can bring. */
  static void skipUnless(boolean possible, String what) {
    if (!possible) {
      System.err.printf("%n*** SKIPPED: the tests of a client need %s ***%n%n", what);
    }
    assumeTrue(possible, what);
  }

  /** Whether a program can be run, and ends well. */
  static boolean runs(Path folder, String... command) throws InterruptedException {
    try {
      return ProjectCopy.start(folder, Map.of(), command).code() == 0;
    } catch (IOException missing) {
      return false;
    }
  }

  @BeforeAll
  @Timeout(600)
  void open(@TempDir Path packages, @TempDir Path folder) throws Exception {
    client = install(packages);
    data = folder;
    journey =
        JourneyTestServer.open(
            data,
            Map.of(
                "CONVOKE_BOT_COMMAND",
                client.referenceBot(),
                "CONVOKE_BOTS_HEARTBEAT_INTERVAL",
                "1s",
                "CONVOKE_PRESENCE_RECONCILE_INTERVAL",
                "4s",
                "CONVOKE_INTERNAL_TOKEN",
                INTERNAL,
                "CONVOKE_DISPATCH_RETRY_BACKOFF",
                "200ms",
                "CONVOKE_WEBHOOKS_ALLOW_PRIVATE",
                "true"));
    key = journey.key("olivia@example.org");
    user = new ApiUser(journey.server().url(), Map.of("X-API-Key", key));
  }

  @AfterAll
  void close() {
    if (journey != null) {
      String server = journey.server().url();
      ProcessHandle.allProcesses()
          .filter(process -> isBotOf(process, server))
          .forEach(ProcessHandle::destroyForcibly);
      journey.close();
    }
  }

  private static boolean isBotOf(ProcessHandle process, String server) {
    try {
      String environment = Files.readString(Path.of("/proc/" + process.pid() + "/environ"));
      return environment.contains("BOT_CONFIG=") && environment.contains(server);
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void itsOwnTestsPass() throws Exception {
    try (ClientProgram tests = ClientProgram.start(client.folder(), client.tests(), Map.of())) {
      assertThat(tests.output()).isNotEmpty();
    }
  }

  @Test
  void itsDailyMethodsWork() throws Exception {
    String own = journey.key("live@example.org");
    List<String> command = new ArrayList<>(client.live());
    command.add(Instant.now().plus(Duration.ofHours(3)).toString());
    command.add(Instant.now().plus(Duration.ofHours(5)).toString());
    Map<String, String> keys =
        Map.of("CONVOKE_ADMIN_KEY", JourneyTestServer.ADMIN, "CONVOKE_INTERNAL", INTERNAL);
    try (ClientProgram live = program(command, own, keys)) {
      assertThat(live.output()).containsExactly("ok");
    }
  }

  @Test
  void aBotIsSentHearsTakesNewSettingsIsFoundByItsWordsAndLeaves() throws Exception {
    journey.meet("stand-up", "Ada");
    String bot = journey.key("sender@example.org");
    ApiUser sender = new ApiUser(journey.server().url(), Map.of("X-API-Key", bot));
    String url = journey.simulator().roomUrl("stand-up").toString();
    List<String> printed;
    try (ClientProgram send = program(with("send-bot", url), bot, Map.of())) {
      printed = send.output();
    }
    assertThat(printed).contains("status starting", "status active");
    long meeting = Long.parseLong(printed.getLast().substring("meeting ".length()));
    JsonNode _ = sender.await(0, person("participant.joined", meeting, "Notes"));

    say("stand-up", "Ada", "The budget is fine");
    JsonNode said = sender.await(0, event -> type(event).equals("transcript.segments"));
    assertThat(said.path("data").path("segments").path(0).path("speaker").asString())
        .isEqualTo("Ada");
    try (ClientProgram search = program(with("search", "budget"), bot, Map.of())) {
      assertThat(String.join("\n", search.output()))
          .startsWith("meeting " + meeting + " at ")
          .contains("Ada: The budget is fine", "00:00:");
    }

    assertThat(
            sender
                .put(
                    "/bots/config", "{\"meeting_id\": %d, \"language\": \"fr\"}".formatted(meeting))
                .status())
        .isEqualTo(202);
    JsonNode change = sender.await(0, event -> type(event).equals("bot.command_acknowledged"));
    assertThat(change.path("data").path("applied").path(0).asString()).isEqualTo("language");
    assertThat(sender.post("/bots/daily/stand-up/chat", "{\"text\": \"Hello\"}").status())
        .isEqualTo(202);
    JsonNode refusal =
        sender.await(
            0,
            event ->
                type(event).equals("bot.command_acknowledged")
                    && event.path("data").path("action").asString().equals("chat"));
    assertThat(refusal.path("data").path("not_applied").path(0).path("reason").asString())
        .isEqualTo("this bot does not write into the chat");

    stop(sender, meeting);
    JsonNode ended = sender.get("/meetings/" + meeting).body();
    assertThat(ended.path("data").path("outcome").path("reason").asString()).isEqualTo("stopped");
    JsonNode _ = sender.await(0, person("participant.left", meeting, "Notes"));
  }

  @Test
  void aBotAndAStreamOutliveTheServer() throws Exception {
    journey.meet("review", "Ada");
    long meeting =
        user.post(
                "/bots/start",
                "{\"platform\": \"daily\", \"native_meeting_id\": \"review\", \"meeting_url\": \"%s\"}"
                    .formatted(journey.simulator().roomUrl("review")))
            .body()
            .path("id")
            .asLong();
    JsonNode _ = user.await(0, became(meeting, "active"));
    try (ClientProgram stream = program(with("events", "0"), key, Map.of())) {
      String subject = "meeting:" + meeting;
      List<String> printed = new ArrayList<>();
      String _ = stream.await(line -> printed.add(line) && line.endsWith(subject));
      journey.server().kill();
      journey.meet("review", "Grace");
      say("review", "Ada", "Is the server back?");
      journey.server().restart();
      JsonNode _ = user.await(0, person("participant.joined", meeting, "Grace"));
      JsonNode _ = user.await(0, event -> event.toString().contains("Is the server back?"));
      JsonNode status = user.get("/bots/status?meeting_id=" + meeting).body();
      assertThat(status.path("status").asString()).isEqualTo("active");
      assertThat(status.path("attempt").asInt()).isEqualTo(1);

      stop(user, meeting);
      JsonNode end = user.await(0, became(meeting, "completed"));
      String last = end.path("seq").asString();
      String _ = stream.await(line -> printed.add(line) && line.startsWith(last + " "));
      assertThat(printed).isEqualTo(journal(Long.parseLong(last)));
    }
  }

  /** All events up to a sequence, as the example prints them. */
  private List<String> journal(long last) throws Exception {
    List<String> all = new ArrayList<>();
    long after = 0;
    while (after < last) {
      JsonNode page = user.get("/events?limit=200&after=" + after).body();
      page.path("items").forEach(event -> all.add(line(event)));
      after = page.path("next_after").asLong();
    }
    return all.stream().filter(line -> Long.parseLong(line.split(" ", 2)[0]) <= last).toList();
  }

  private static String line(JsonNode event) {
    return "%d %s %s"
        .formatted(event.path("seq").asLong(), type(event), event.path("subject").asString());
  }

  @Test
  void aWebhookIsVerifiedAndAForgedOneIsRefused() throws Exception {
    String own = journey.key("hooks@example.org");
    ApiUser owner = new ApiUser(journey.server().url(), Map.of("X-API-Key", own));
    int port = InstalledPrograms.freePort();
    try (ClientProgram receiver =
        program(with("webhook-receiver", Integer.toString(port)), own, Map.of())) {
      String _ = receiver.await(line -> line.startsWith("ready "));
      ApiUser stranger =
          new ApiUser(
              "http://127.0.0.1:" + port,
              Map.of(
                  "webhook-id", "msg_1",
                  "webhook-timestamp", Long.toString(Instant.now().getEpochSecond()),
                  "webhook-signature", "v1,AAAA"));
      assertThat(stranger.post("/hooks", "{\"type\": \"forged\"}").status()).isEqualTo(401);
      String _ = receiver.await(line -> line.startsWith("refused "));
      long meeting =
          owner
              .post("/meetings", "{\"platform\": \"zoom\", \"native_meeting_id\": \"123\"}")
              .body()
              .path("id")
              .asLong();
      String _ = receiver.await(line -> line.equals("meeting.status_changed meeting:" + meeting));
    }
  }

  @Test
  void aPodRunsTasksFailsThemRetriesThemAndStopsThem() throws Exception {
    Map<String, String> settings =
        Map.of(
            "CONVOKE_REDIS_URL",
            journey.redisUrl(),
            "CONVOKE_DISPATCH_RETRY_BACKOFF",
            "200ms",
            "CONVOKE_SECRET_KEY",
            JourneyTestServer.SECRET_KEY);
    List<String> options =
        List.of("--region", "eu-west-1", "--slots", "2", "--port", "0", "--exec");
    List<String> arguments =
        Stream.concat(options.stream(), Stream.of(client.shell("first-pod"))).toList();
    JavaProgramSpec pod =
        new JavaProgramSpec("pod", POD, arguments, settings, List.of(), data.resolve("pod.log"));
    try (OrphanReaper orphanReaper = new OrphanReaper();
        JavaProcess _ = JavaProcess.start(pod, orphanReaper)) {
      assertThat(end(submit("check", "{}"))).isEqualTo("FAILED 1 url is missing");
      assertThat(end(submit("check", "{\"url\": \"x\"}"))).isEqualTo("SUCCESS 2 ");
      assertThat(end(submit("dance", "{}")))
          .isEqualTo("FAILED 1 no handler for tasks of type dance");
      String running = submit("count", "{\"seconds\": 600}");
      JsonNode _ = user.await(0, moved(running, "task.processing"));
      assertThat(user.post("/tasks/" + running + "/stop", "").status()).isEqualTo(202);
      assertThat(end(running)).isEqualTo("SUCCESS 1 ");
    }
  }

  private String submit(String type, String payload) throws Exception {
    return user.post(
            "/tasks",
            """
            {"request_id": "%s", "type": "%s", "action": "start", "channel": "c",
             "region": "eu-west-1", "payload": %s}
            """
                .formatted(UUID.randomUUID(), type, payload))
        .body()
        .path("id")
        .asString();
  }

  /** State, attempt and error of a task that has ended. */
  private String end(String task) throws Exception {
    JsonNode data = user.await(0, moved(task, "task.success", "task.failed")).path("data");
    return "%s %d %s"
        .formatted(
            data.path("state").asString(),
            data.path("attempt").asInt(),
            data.path("error").asString(""));
  }

  private static Predicate<JsonNode> moved(String task, String... types) {
    return event ->
        List.of(types).contains(type(event))
            && event.path("data").path("task_id").asString().equals(task);
  }

  private void stop(ApiUser owner, long meeting) throws Exception {
    assertThat(owner.post("/bots/stop", "{\"meeting_id\": %d}".formatted(meeting)).status())
        .isEqualTo(202);
    JsonNode _ = owner.await(0, became(meeting, "completed"));
  }

  private void say(String room, String name, String text) {
    String session =
        journey.simulator().world().roomViews().stream()
            .filter(seen -> seen.room().name().equals(room))
            .flatMap(seen -> seen.present().stream())
            .filter(one -> one.visitor().userName().filter(name::equals).isPresent())
            .findFirst()
            .orElseThrow()
            .sessionId();
    assertThat(journey.simulator().world().say(room, session, text)).isTrue();
  }

  private List<String> with(String example, String argument) {
    return Stream.concat(client.examples().of(example).stream(), Stream.of(argument)).toList();
  }

  private ClientProgram program(List<String> command, String apiKey, Map<String, String> more)
      throws IOException {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("CONVOKE_URL", journey.server().url());
    environment.put("CONVOKE_API_KEY", apiKey);
    return ClientProgram.start(client.folder(), command, environment);
  }

  private static Predicate<JsonNode> became(long meeting, String status) {
    return event ->
        type(event).equals("meeting.status_changed")
            && event.path("data").path("meeting_id").asLong() == meeting
            && event.path("data").path("to").asString().equals(status);
  }

  private static Predicate<JsonNode> person(String type, long meeting, String name) {
    return event ->
        type(event).equals(type)
            && event.path("data").path("meeting_id").asLong() == meeting
            && event.path("data").path("user_name").asString("").equals(name);
  }

  private static String type(JsonNode event) {
    return event.path("type").asString();
  }
}
