package io.convoke.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The commands against a server that answers from a list. */
class ConvokeCommandTest {
  private static final String KEY = "cvk_secret";
  private static final String MEETING =
      """
      {"id":42,"user_id":7,"platform":"daily","platform_specific_id":"stand\\u001b[31m-up\\u009b2J",
       "status":"starting","substatus":"awaiting_admission","num_clients":2,"tracked":false,
       "data":{},"start_time":null,"end_time":null}
      """;

  /** A request as it came. */
  private record ReceivedRequest(
      String method, String target, String key, String lastEventId, String body) {}

  /** What is answered to a method and path, with or without a query. */
  private record ListedAnswer(int status, String body, Map<String, String> headers) {
    ListedAnswer(int status, String body) {
      this(status, body, Map.of());
    }
  }

  @TempDir private Path config;
  private final Map<String, ListedAnswer> answers = new ConcurrentHashMap<>();
  private final List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Map<String, String> environment = new HashMap<>();
  private HttpServer server;
  private String url = "";

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    url = "http://127.0.0.1:" + server.getAddress().getPort();
    environment.put("XDG_CONFIG_HOME", config.toString());
    answers.put("GET /session", new ListedAnswer(200, "{\"role\":\"user\",\"user_id\":7}"));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String method = exchange.getRequestMethod();
    String target = exchange.getRequestURI().toString();
    String key = String.valueOf(exchange.getRequestHeaders().getFirst("X-API-Key"));
    String lastEventId = String.valueOf(exchange.getRequestHeaders().getFirst("Last-Event-ID"));
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    received.add(new ReceivedRequest(method, target, key, lastEventId, body));
    ListedAnswer listed =
        answers.getOrDefault(
            method + " " + exchange.getRequestURI().getPath(), problem(404, "not_found"));
    ListedAnswer answer =
        key.equals(KEY)
            ? answers.getOrDefault(method + " " + target, listed)
            : problem(401, "unauthorized");
    byte[] bytes = answer.body().getBytes(UTF_8);
    exchange
        .getResponseHeaders()
        .add(
            "Content-Type",
            answer.status() < 300 ? "application/json" : "application/problem+json");
    answer.headers().forEach(exchange.getResponseHeaders()::add);
    exchange.sendResponseHeaders(answer.status(), bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static ListedAnswer problem(int status, String code) {
    return new ListedAnswer(
        status, "{\"code\":\"%s\",\"detail\":\"It is so.\",\"trace_id\":\"abc\"}".formatted(code));
  }

  private int run(String input, String... arguments) {
    out.reset();
    err.reset();
    return ConvokeCommand.run(
        new Terminal(
            environment,
            new ByteArrayInputStream(input.getBytes(UTF_8)),
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8),
            Optional.empty()),
        arguments);
  }

  private String said() {
    return out.toString(UTF_8);
  }

  private String complained() {
    return err.toString(UTF_8);
  }

  private void login() {
    assertThat(run(KEY + "\n", "login", url + "/")).as(complained()).isZero();
    received.clear();
  }

  @Test
  void aLoginIsTriedAndStoredForItsOwnerAlone() throws IOException {
    Path file = config.resolve("convoke/login.json");
    assertThat(run("cvk_wrong\n", "login", url)).isEqualTo(ExitCodes.NO_LOGIN);
    assertThat(file).doesNotExist();
    assertThat(run("", "login", url)).isEqualTo(ExitCodes.USAGE);

    assertThat(run(KEY + "\n", "login", url + "/")).isZero();
    assertThat(said()).contains("user 7", url).doesNotContain(KEY);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(run("", "whoami")).isZero();
    assertThat(said()).isEqualTo("user 7 at " + url + "\n");

    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(run("", "whoami")).isEqualTo(ExitCodes.NO_LOGIN);
    assertThat(complained()).contains("chmod 600");
    assertThat(run("", "logout")).isZero();
    assertThat(run("", "whoami")).isEqualTo(ExitCodes.NO_LOGIN);
    assertThat(complained()).contains("convoke login URL");
  }

  @Test
  void theStoredKeyGoesToItsOwnServerOnly() {
    login();
    environment.put("CONVOKE_URL", "http://127.0.0.1:1");
    assertThat(run("", "meetings")).isEqualTo(ExitCodes.NO_LOGIN);
    assertThat(complained()).contains("CONVOKE_API_KEY");
    environment.put("CONVOKE_URL", url);
    environment.put("CONVOKE_API_KEY", "cvk_other");
    assertThat(run("", "meetings")).isEqualTo(ExitCodes.NO_LOGIN);
    assertThat(received.getLast().key()).isEqualTo("cvk_other");
  }

  @Test
  void aKeyThatCannotBeSentIsRefusedWithoutItsValue() {
    String refusal =
        "convoke: the API key is empty, or has a character that is not printable ASCII\n";
    assertThat(run("cvk_\u200bsecret\n", "login", url)).isEqualTo(ExitCodes.USAGE);
    assertThat(complained()).isEqualTo(refusal);
    environment.put("CONVOKE_URL", url);
    environment.put("CONVOKE_API_KEY", "cvk_\nsecret");
    assertThat(run("", "whoami")).isEqualTo(ExitCodes.NO_LOGIN);
    assertThat(complained()).isEqualTo(refusal);
    assertThat(received).isEmpty();
    environment.put("CONVOKE_URL", url + "\n");
    environment.put("CONVOKE_API_KEY", " " + KEY + "\r\n");
    assertThat(run("", "whoami")).as(complained()).isZero();
  }

  @Test
  void aLoginThatCannotBeStoredIsToldInOneLine() throws IOException {
    Path occupied = Files.createFile(config.resolve("occupied"));
    environment.put("XDG_CONFIG_HOME", occupied.toString());
    String file = occupied.resolve("convoke/login.json") + ": ";
    assertThat(run(KEY + "\n", "login", url)).isEqualTo(ExitCodes.NO_OUTPUT);
    assertThat(complained())
        .startsWith("convoke: cannot store the login in " + file)
        .hasLineCount(1);
    assertThat(run("", "logout")).isEqualTo(ExitCodes.NO_OUTPUT);
    assertThat(complained())
        .startsWith("convoke: cannot delete the login in " + file)
        .hasLineCount(1);
    environment.put("XDG_CONFIG_HOME", "\u0000");
    assertThat(run("", "logout")).isEqualTo(ExitCodes.REFUSED);
    assertThat(complained()).startsWith("convoke: failed: ").hasLineCount(1);
  }

  @Test
  void aTableIsForPeopleAndJsonForPrograms() {
    login();
    answers.put(
        "GET /meetings",
        new ListedAnswer(200, "{\"items\":[" + MEETING + "],\"next_cursor\":null}"));
    assertThat(run("", "meetings", "--status", "starting", "-n", "5")).isZero();
    assertThat(said())
        .startsWith("ID  PLATFORM  MEETING")
        .contains("42", "stand?[31m-up?2J", "starting (awaiting_admission)")
        .doesNotContain("\u001b", "\u009b");
    assertThat(received.getLast().target()).isEqualTo("/meetings?status=starting&limit=5");
    assertThat(run("", "meetings", "--json")).isZero();
    JsonNode json = Terminal.mapper().readTree(said());
    assertThat(json.at("/0/id").asLong()).isEqualTo(42);
    assertThat(json.at("/0/substatus").asString()).isEqualTo("awaiting_admission");
  }

  @Test
  void anExitCodeSaysWhatKindOfFailure() {
    login();
    assertThat(run("", "transcript", "42")).isEqualTo(ExitCodes.REFUSED);
    assertThat(complained()).isEqualTo("convoke: It is so. (404 not_found)\n");
    assertThat(run("", "transcript")).isEqualTo(ExitCodes.USAGE);
    assertThat(run("", "transcript", "42", "--vtt", "--srt")).isEqualTo(ExitCodes.USAGE);
    assertThat(run("", "nonsense")).isEqualTo(ExitCodes.USAGE);
    assertThat(run("")).isEqualTo(ExitCodes.USAGE);
    assertThat(run("", "login", "ftp://x")).isEqualTo(ExitCodes.USAGE);
    // A label that is too long is not asked for in the network.
    String nowhere = "a".repeat(64) + ".invalid";
    assertThat(run(KEY + "\n", "login", "http://" + nowhere)).isEqualTo(ExitCodes.NO_SERVER);
    assertThat(complained())
        .isEqualTo("convoke: No answer from " + nowhere + ": there is no host of this name\n");
    for (String command : List.of("meetings", "events", "search word", "task list")) {
      assertThat(run("", (command + " -n -1").split(" ", -1)))
          .as(command)
          .isEqualTo(ExitCodes.USAGE);
    }
    assertThat(complained()).contains("-n takes a number from 0 on");
    answers.put("POST /bots/stop", problem(500, "internal"));
    assertThat(run("", "bot", "stop", "42")).isEqualTo(ExitCodes.NO_SERVER);
    assertThat(complained()).contains("trace abc");
    environment.put("CONVOKE_API_KEY", KEY);
    environment.put("CONVOKE_URL", "http://127.0.0.1:1");
    assertThat(run("", "bot", "start", "daily", "x", "--json")).isEqualTo(ExitCodes.NO_SERVER);
    assertThat(complained()).contains("No answer from http://127.0.0.1:1: nothing listens there");
  }

  /** As on a full disk, or behind a pipe whose reader has ended. */
  @Test
  void anOutputThatCannotBeWrittenIsAFailure() {
    login();
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    Terminal terminal =
        new Terminal(
            environment,
            InputStream.nullInputStream(),
            new PrintStream(full, false, UTF_8),
            new PrintStream(err, true, UTF_8),
            Optional.empty());
    assertThat(ConvokeCommand.run(terminal, "whoami")).isEqualTo(ExitCodes.NO_OUTPUT);
    assertThat(complained()).isEqualTo("convoke: the output cannot be written\n");
  }

  @Test
  void whatGoesToAFileIsUtf8UnderEveryLocale() {
    PrintStream before = System.out;
    System.setOut(new PrintStream(out, true, US_ASCII));
    try {
      PrintStream ofProcess = Terminal.ofProcess().out();
      ofProcess.print("ä");
      ofProcess.flush();
    } finally {
      System.setOut(before);
    }
    assertThat(out.toByteArray()).isEqualTo("ä".getBytes(UTF_8));
  }

  @Test
  void aBotIsSentByNameOrAddress() {
    login();
    answers.put("POST /bots/start", new ListedAnswer(201, MEETING));
    assertThat(run("", "bot", "start", "daily", "stand-up", "--name", "Notes", "--queue")).isZero();
    assertThat(said()).contains("Bot of meeting 42", "convoke events -f --subject meeting:42");
    assertThat(Terminal.mapper().readTree(received.getLast().body()))
        .isEqualTo(
            Terminal.mapper()
                .readTree(
                    "{\"platform\":\"daily\",\"native_meeting_id\":\"stand-up\",\"bot_name\":\"Notes\",\"queue\":true}"));
    String address = "https://meet.google.com/abc-defg-hij";
    assertThat(run("", "bot", "start", "google_meet", address)).isZero();
    assertThat(Terminal.mapper().readTree(received.getLast().body()).path("meeting_url").asString())
        .isEqualTo(address);
  }

  @Test
  void aTaskTakesItsPayloadFromAFileOrTheInput() throws IOException {
    login();
    answers.put("POST /tasks", new ListedAnswer(202, "{\"id\":\"t1\",\"state\":\"PENDING\"}"));
    assertThat(run("{\"a\":1}", "task", "submit", "snapshot", "room-1", "--payload", "-")).isZero();
    assertThat(said()).isEqualTo("Task t1: PENDING\n");
    JsonNode body = Terminal.mapper().readTree(received.getLast().body());
    assertThat(body.at("/payload/a").asInt()).isEqualTo(1);
    assertThat(body.path("action").asString()).isEqualTo("start");
    Path file = Files.writeString(config.resolve("p.json"), "{\"b\":2}");
    assertThat(run("", "task", "submit", "s", "c", "--payload", "@" + file, "--region", "eu"))
        .isZero();
    assertThat(Terminal.mapper().readTree(received.getLast().body()).at("/payload/b").asInt())
        .isEqualTo(2);
    received.clear();
    assertThat(run("", "task", "submit", "s", "c", "--payload", "[1]")).isEqualTo(ExitCodes.USAGE);
    assertThat(received).isEmpty();
  }

  @Test
  void theNewestEventsAreShownOldestFirst() {
    login();
    String event =
        "{\"seq\":%d,\"type\":\"t\",\"subject\":\"meeting:1\",\"at\":\"2026-03-02T09:00:00Z\",\"data\":{}}";
    answers.put(
        "GET /events",
        new ListedAnswer(
            200,
            "{\"items\":[%s,%s],\"next_cursor\":null,\"next_after\":2}"
                .formatted(event.formatted(2), event.formatted(1))));
    assertThat(run("", "events", "--json", "--type", "t")).isZero();
    assertThat(said().lines().map(line -> Terminal.mapper().readTree(line).path("seq").asInt()))
        .containsExactly(1, 2);
    assertThat(received.getLast().target()).contains("type=t", "order=newest", "limit=20");
  }

  /** What happens between the two requests is in the list, or is followed. */
  @Test
  void followingBeginsWhereNowWasBeforeTheNewestWereRead() {
    login();
    String page = "{\"items\":[%s],\"next_cursor\":null}";
    String event =
        "{\"seq\":%d,\"type\":\"t\",\"subject\":\"meeting:1\",\"at\":\"2026-03-02T09:00:00Z\",\"data\":{}}";
    String newest = "/events?order=newest&limit=1";
    String list = "/events?type=t&order=newest&limit=3";
    answers.put("GET " + newest, new ListedAnswer(200, page.formatted(event.formatted(5))));
    answers.put("GET " + list, new ListedAnswer(200, page.formatted("")));
    answers.put("GET /events?type=t", problem(403, "forbidden"));
    assertThat(run("", "events", "-f", "-n", "3", "--type", "t")).isEqualTo(ExitCodes.REFUSED);
    assertThat(received)
        .extracting(ReceivedRequest::target)
        .containsExactly(newest, list, "/events?type=t");
    assertThat(received.getLast().lastEventId()).isEqualTo("5");

    answers.put("GET " + list, new ListedAnswer(200, page.formatted(event.formatted(6))));
    assertThat(run("", "events", "-f", "-n", "3", "--type", "t")).isEqualTo(ExitCodes.REFUSED);
    assertThat(said()).startsWith("6  ");
    assertThat(received.getLast().lastEventId()).isEqualTo("6");
  }

  @Test
  void aLongTranscriptIsReadToItsEnd() {
    login();
    answers.put(
        "GET /transcripts/42",
        new ListedAnswer(200, "{\"segments\":[{\"id\":1}],\"next_cursor\":\"p2\"}"));
    answers.put(
        "GET /transcripts/42?cursor=p2",
        new ListedAnswer(200, "{\"segments\":[{\"id\":2}],\"next_cursor\":null}"));
    assertThat(run("", "transcript", "42", "--json")).as(complained()).isZero();
    assertThat(Terminal.mapper().readTree(said()).valueStream().map(it -> it.path("id").asInt()))
        .containsExactly(1, 2);

    String cue = "1\n00:00:0%1$d,000 --> 00:00:0%1$d,500\nHi\n\n";
    answers.put(
        "GET /transcripts/42?format=srt",
        new ListedAnswer(200, cue.formatted(1), Map.of("Next-Cursor", "p2")));
    answers.put(
        "GET /transcripts/42?format=srt&cursor=p2", new ListedAnswer(200, cue.formatted(2)));
    assertThat(run("", "transcript", "42", "--srt")).as(complained()).isZero();
    assertThat(said())
        .isEqualTo(
            """
            1
            00:00:01,000 --> 00:00:01,500
            Hi

            2
            00:00:02,000 --> 00:00:02,500
            Hi

            """);
  }

  @Test
  void theShellCompletesCommands() throws Exception {
    assertThat(run("", "completion")).isZero();
    assertThat(said()).contains("transcript", "--srt", "complete -F");
    Path script = Files.writeString(config.resolve("complete.sh"), said());
    Process bash = new ProcessBuilder("bash", "-n", script.toString()).start();
    assertThat(bash.waitFor()).isZero();
  }
}
