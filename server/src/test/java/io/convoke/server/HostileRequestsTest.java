package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.bots.BotTokens;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.HostileValues;
import io.convoke.simulator.stores.LocalStores;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Every operation of the OpenAPI document, asked with values that break careless readers: numbers
 * beyond every type, halves of characters, NUL, impossible dates, deep nesting, members twice. No
 * answer is a fault of the server.
 */
class HostileRequestsTest {
  private static final String ADMIN = "the-admins-token";
  private static final String INTERNAL = "the-internal-token";
  private static final String SECRET_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final byte[] WEBHOOK_KEY =
      "a key of Daily's webhooks".getBytes(StandardCharsets.UTF_8);

  /** Another one finds other things; what fails names its own. */
  private static final long SEED = Long.getLong("convoke.seed", 20_261_124L);

  private static final int PER_OPERATION = Integer.getInteger("convoke.requests", 20);
  private static final int AT_ONCE = 8;
  private static final Set<String> WORDS = Set.of("get", "post", "put", "patch", "delete");

  @TempDir private static Path folder;
  private static App app;
  private static JsonNode document;
  private static Map<String, List<String>> known;
  private static String userKey = "";
  private static String botToken = "";

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private record Operation(String method, String path, JsonNode description) {
    List<JsonNode> parameters(String place) {
      return description
          .path("parameters")
          .valueStream()
          .filter(parameter -> parameter.path("in").asString().equals(place))
          .toList();
    }

    JsonNode body() {
      return description
          .path("requestBody")
          .path("content")
          .path("application/json")
          .path("schema");
    }
  }

  private record Sent(String request, int status, String answer) {}

  @BeforeAll
  static void start() {
    String database = MigratedDatabase.url();
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", database);
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", SECRET_KEY);
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_INTERNAL_TOKEN", INTERNAL);
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    settings.put("CONVOKE_DAILY_API_URL", "http://127.0.0.1:1");
    settings.put("CONVOKE_DAILY_API_KEY", "key");
    settings.put("CONVOKE_WEBHOOKS_ALLOW_PRIVATE", "true");
    settings.put("CONVOKE_DAILY_WEBHOOK_SECRET", Base64.getEncoder().encodeToString(WEBHOOK_KEY));
    app = App.start(ServerConfig.of(settings), Set.of(NodeRole.API), folder);
    ContractClient admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
    document = YAMLMapper.shared().readTree(admin.get("/openapi.yaml").expect(200).body());
    known = fixtures(admin, database);
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  /** Rows for the requests to be about, as JSON text by the names of members and parameters. */
  private static Map<String, List<String>> fixtures(ContractClient admin, String database) {
    JsonNode user =
        admin
            .post(
                "/admin/users",
                Json.read("{\"email\":\"a@example.org\",\"max_concurrent_bots\":2}"))
            .expect(201)
            .json();
    long userId = user.path("id").asLong();
    userKey =
        admin
            .post("/admin/users/" + userId + "/tokens", Map.of())
            .expect(201)
            .json()
            .path("token")
            .asString();
    ContractClient ann = ContractClient.of(app.url()).with("X-API-Key", userKey);
    Map<String, String> room = Map.of("platform", "daily", "native_meeting_id", "stand-up");
    long meeting = ann.post("/meetings", room).expect(201).json().path("id").asLong();
    long bot = ann.post("/bots/start", room).expect(201).json().path("id").asLong();
    JsonNode status = ann.get("/bots/status?meeting_id=" + bot).expect(200).json();
    String connection = status.path("session_uid").asString();
    botToken =
        new BotTokens(SecretBox.parse(SECRET_KEY))
            .of(bot, status.path("attempt").asInt(), connection);
    ann.post(
            "/tasks",
            Json.read(
                "{\"id\":\"t1\",\"request_id\":\"r1\",\"type\":\"snapshot\",\"action\":\"start\",\"channel\":\"c1\",\"payload\":{}}"))
        .expect(202);
    JsonNode endpoint =
        ann.post("/webhook-endpoints", Map.of("url", "http://127.0.0.1:1/hook")).expect(201).json();
    try (Database rows =
        Database.open(DatabaseUrl.parse(database), 2, "test", Migrations.SCHEMAS)) {
      rows.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into recordings (recording_id, room_name, meeting_id, user_id, status)
                        values ('rec-1', 'stand-up', null, null, 'unmatched'),
                               ('rec-2', 'stand-up', ?, ?, 'failed')
                        """)
                    .with(meeting, userId)
                    .update();
          });
    }
    Map<String, List<String>> fixed = new HashMap<>();
    List<String> meetings = List.of("" + meeting, "" + bot);
    List<String> ids =
        List.of(
            "" + meeting,
            "" + bot,
            "\"rec-1\"",
            "\"rec-2\"",
            "\"t1\"",
            endpoint.path("id").toString());
    fixed.put("id", ids);
    fixed.put("meeting_id", meetings);
    fixed.put("user_id", List.of("" + userId));
    fixed.put("connection_id", List.of("\"" + connection + "\""));
    fixed.put("ids", List.of("[\"t1\"]"));
    fixed.put("platform", List.of("\"daily\""));
    return fixed;
  }

  private static List<Operation> operations() {
    List<Operation> operations = new ArrayList<>();
    document
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        operation -> {
                          if (WORDS.contains(operation.getKey())) {
                            operations.add(
                                new Operation(
                                    operation.getKey().toUpperCase(java.util.Locale.ROOT),
                                    path.getKey(),
                                    operation.getValue()));
                          }
                        }));
    return operations;
  }

  @Test
  void noValueOfAnyOperationIsAFaultOfTheServer() throws Exception {
    Queue<Sent> faults = new ConcurrentLinkedQueue<>();
    List<Operation> operations = operations();
    assertThat(operations).hasSizeGreaterThan(60);
    try (ExecutorService workers = Executors.newFixedThreadPool(AT_ONCE)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < operations.size(); i++) {
        Operation operation = operations.get(i);
        long seed = SEED + i;
        all.add(
            workers.submit(
                () -> {
                  HostileValues values = new HostileValues(document, seed);
                  for (int j = 0; j < PER_OPERATION; j++) {
                    Sent sent = send(operation, request(operation, values, j));
                    if (sent.status >= 500) {
                      faults.add(sent);
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
    assertThat(faults).as("seed " + SEED).isEmpty();
  }

  /** Each member and parameter alone, with everything else as it should be. */
  @Test
  @Tag("nightly")
  void noValueAloneIsAFaultAndAnIntegerBeyondEveryTypeIs400() throws Exception {
    Set<String> never = Set.of("1e308", "1e19", "1.5", "1E400", "9223372036854775808");
    List<Sent> others = new ArrayList<>();
    int asked = 0;
    int integers = 0;
    for (Operation operation : operations()) {
      HostileValues values = new HostileValues(document, SEED);
      for (Map.Entry<String, JsonNode> member :
          resolved(operation.body()).path("properties").properties()) {
        for (String wrong : values.hostile(member.getValue())) {
          String body = values.with(member.getKey(), wrong, operation.body(), known);
          Sent sent = send(operation, new Parts(path(operation, values, 0), "", body, asked++));
          boolean must = isInteger(member.getValue()) && never.contains(wrong);
          integers += must ? 1 : 0;
          if (must ? sent.status != 400 : sent.status >= 500) {
            others.add(sent);
          }
        }
      }
      for (JsonNode parameter : operation.parameters("query")) {
        JsonNode schema = parameter.path("schema");
        for (String wrong : values.hostile(schema)) {
          String query = parameter.path("name").asString() + "=" + HostileValues.encoded(wrong);
          String body = values.value(operation.body(), "", known, 0);
          String path = path(operation, values, 0) + "?" + query;
          Sent sent = send(operation, new Parts(path, "", body, asked++));
          boolean must = isInteger(schema) && never.contains(wrong);
          if (must ? sent.status != 400 : sent.status >= 500) {
            others.add(sent);
          }
        }
      }
    }
    assertThat(integers).isGreaterThan(60);
    assertThat(others).isEmpty();
  }

  /** Keys of the form that lists have, with what no row can have. */
  @Test
  void aForgedCursorIsAFaultOfNoList() throws Exception {
    List<String> forged =
        List.of(
            Cursor.of("2026-01-01T00:00:00Z", "a\0"),
            Cursor.of("+292278994-08-17T07:12:55Z", "a"),
            Cursor.of("-292278994-08-17T07:12:55Z", "a"),
            Cursor.of("a\0", "a\0"),
            Cursor.of("false", "a\0", "0.5", "1"));
    HostileValues values = new HostileValues(document, SEED);
    List<Sent> faults = new ArrayList<>();
    int lists = 0;
    for (Operation operation : operations()) {
      StringBuilder query = new StringBuilder("?");
      boolean list = false;
      for (JsonNode parameter : operation.parameters("query")) {
        String name = parameter.path("name").asString();
        list |= name.equals("cursor");
        if (parameter.path("required").asBoolean()) {
          String value = values.value(parameter.path("schema"), name, known, 0);
          query.append(name).append('=').append(HostileValues.encoded(value)).append('&');
        }
      }
      for (String cursor : list ? forged : List.<String>of()) {
        String path = path(operation, values, 0) + query + "cursor=" + cursor;
        Sent sent = send(operation, new Parts(path, "", "", 0));
        if (sent.status >= 500) {
          faults.add(sent);
        }
      }
      lists += list ? 1 : 0;
    }
    assertThat(lists).isGreaterThan(15);
    assertThat(faults).isEmpty();
  }

  /** Everything authentic is 200, whatever is in it. */
  @Test
  void aSignedWebhookIsTakenWhateverItHolds() throws Exception {
    HostileValues values = new HostileValues(document, SEED);
    List<Sent> others = new ArrayList<>();
    for (int i = 0; i < 6 * PER_OPERATION; i++) {
      String body = webhook(values);
      String at = String.valueOf(Instant.now().getEpochSecond());
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(app.url() + "/webhooks/daily"))
              .header("X-Webhook-Timestamp", at)
              .header("X-Webhook-Signature", signature(at, body))
              .POST(BodyPublishers.ofString(body))
              .build();
      HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        others.add(new Sent(body, answer.statusCode(), answer.body()));
      }
    }
    assertThat(others).as("seed " + SEED).isEmpty();
  }

  private static String webhook(HostileValues values) {
    List<String> types =
        List.of(
            "participant.joined",
            "participant.left",
            "meeting.started",
            "meeting.ended",
            "recording.started",
            "recording.ready-to-download",
            "recording.error",
            "other.event");
    List<String> members = new ArrayList<>();
    for (String member :
        List.of(
            "room",
            "room_name",
            "session_id",
            "meeting_id",
            "user_id",
            "user_name",
            "joined_at",
            "duration",
            "start_ts",
            "end_ts",
            "recording_id",
            "status",
            "timestamp",
            "type",
            "max_participants",
            "s3_key",
            "share_token",
            "error_msg",
            "owner")) {
      if (values.below(4) > 0) {
        String good =
            member.contains("_at") || member.contains("_ts") ? "1700000000" : "\"stand-up\"";
        members.add("\"" + member + "\":" + (values.below(3) == 0 ? values.wrong() : good));
      }
    }
    String event = values.below(4) == 0 ? values.wrong() : "1700000000";
    return "{\"version\":\"1.0.0\",\"type\":\""
        + values.pick(types)
        + "\",\"id\":\"e"
        + values.below(1000)
        + "\",\"event_ts\":"
        + event
        + ",\"payload\":{"
        + String.join(",", members)
        + "}}";
  }

  private static String signature(String at, String body) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(WEBHOOK_KEY, "HmacSHA256"));
    mac.update((at + ".").getBytes(StandardCharsets.UTF_8));
    return Base64.getEncoder().encodeToString(mac.doFinal(body.getBytes(StandardCharsets.UTF_8)));
  }

  /** What is sent: address, a declared header, body, and as which of the callers that may. */
  private record Parts(String path, String key, String body, int caller) {}

  private static Parts request(Operation operation, HostileValues values, int round) {
    double wrong = round % 3 == 0 ? 0.5 : 0.12;
    StringBuilder address = new StringBuilder(path(operation, values, wrong / 2));
    char next = '?';
    for (JsonNode parameter : operation.parameters("query")) {
      boolean required = parameter.path("required").asBoolean();
      if (required ? values.below(10) > 0 : values.below(3) == 0) {
        String name = parameter.path("name").asString();
        JsonNode schema = parameter.path("schema");
        JsonNode one = schema.has("items") ? schema.path("items") : schema;
        String value = values.value(one, name, known, wrong);
        address.append(next).append(name).append('=').append(HostileValues.encoded(value));
        next = '&';
      }
    }
    String body =
        operation.body().isMissingNode() ? "" : values.value(operation.body(), "", known, wrong);
    String key =
        values.below(4) == 0
            ? values.pick(
                List.of("k1", "k2", "9223372036854775808", "1e308", "-1", "x".repeat(300)))
            : "";
    return new Parts(address.toString(), key, body, values.below(100));
  }

  private static String path(Operation operation, HostileValues values, double wrong) {
    String path = operation.path;
    for (JsonNode parameter : operation.parameters("path")) {
      String name = parameter.path("name").asString();
      String value =
          HostileValues.encoded(values.value(parameter.path("schema"), name, known, wrong));
      path = path.replace("{" + name + "}", value.isEmpty() ? "0" : value);
    }
    return path;
  }

  private Sent send(Operation operation, Parts parts) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(app.url() + parts.path))
            .timeout(Duration.ofSeconds(20))
            .method(operation.method, BodyPublishers.ofString(parts.body));
    List<String> callers = callers(operation);
    if (!callers.isEmpty()) {
      switch (callers.get(parts.caller % callers.size())) {
        case "adminKey" -> request.header("X-Admin-API-Key", ADMIN);
        case "userKey" -> request.header("X-API-Key", userKey);
        case "internalToken" -> request.header("Authorization", "Bearer " + INTERNAL);
        case "botToken" -> request.header("Authorization", "Bearer " + botToken);
        case String other -> throw new IllegalStateException(other);
      }
    }
    if (!parts.key.isEmpty()) {
      for (JsonNode header : operation.parameters("header")) {
        request.header(header.path("name").asString(), parts.key);
      }
    }
    if (!parts.body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString());
    if (operation.description.path("operationId").asString().equals("changeUser")) {
      enable();
    }
    return new Sent(
        operation.method + " " + shown(parts.path) + " " + shown(parts.body),
        answer.statusCode(),
        shown(answer.body()));
  }

  /** The requests share one user, whose key is refused while it is disabled. */
  private void enable() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(
                    app.url()
                        + "/admin/users/"
                        + known.getOrDefault("user_id", List.of()).getFirst()))
            .header("X-Admin-API-Key", ADMIN)
            .method("PATCH", BodyPublishers.ofString("{\"disabled\":false}"))
            .build();
    assertThat(http.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
  }

  private static List<String> callers(Operation operation) {
    return operation
        .description
        .path("security")
        .valueStream()
        .flatMap(choice -> choice.propertyNames().stream())
        .filter(Set.of("adminKey", "userKey", "internalToken", "botToken")::contains)
        .toList();
  }

  private static String shown(String text) {
    return text.length() > 600 ? text.substring(0, 600) + "..." : text;
  }

  private static JsonNode resolved(JsonNode schema) {
    return schema.has("$ref") ? document.at(schema.path("$ref").asString().substring(1)) : schema;
  }

  private static boolean isInteger(JsonNode schema) {
    JsonNode type = schema.path("type");
    return (type.isArray() ? type.get(0) : type).asString("").equals("integer");
  }
}
