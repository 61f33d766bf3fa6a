package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code /mcp} of a server: what a key sees, what acts once, walls between users. */
class McpTest {
  private static final Set<String> ACTING = Set.of("start_bot", "stop_bot", "submit_task");
  private static final Set<String> READING =
      Set.of(
          "list_meetings",
          "get_meeting",
          "who_is_in_room",
          "get_transcript",
          "search_transcripts",
          "explain_bot",
          "get_task",
          "sync_status");
  private static final SchemaRegistry SCHEMAS =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

  @TempDir private static Path folder;
  private static TwoNodes nodes;
  private static ContractClient admin;
  private static int users;

  private long annId;
  private String annKey = "";
  private ContractClient ann;
  private ContractClient zoe;

  @BeforeAll
  static void start() {
    nodes = TwoNodes.start(folder, Map.of());
    admin = nodes.admin();
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  @BeforeEach
  void people() {
    annId = user();
    annKey = key(annId);
    ann = nodes.one().with("X-API-Key", annKey);
    zoe = nodes.one().with("X-API-Key", key(user()));
  }

  private static long user() {
    users++;
    return admin
        .post(
            "/admin/users",
            Map.of("email", "mcp" + users + "@example.org", "max_concurrent_bots", 5))
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private static String key(long user, String... scopes) {
    Map<String, Object> body = scopes.length == 0 ? Map.of() : Map.of("scopes", List.of(scopes));
    return admin
        .post("/admin/users/" + user + "/tokens", body)
        .expect(201)
        .json()
        .path("token")
        .asString();
  }

  private static Answered rpc(ContractClient caller, String method, Object params) {
    return caller.post(
        "/mcp", Map.of("jsonrpc", "2.0", "id", 7, "method", method, "params", params));
  }

  private static JsonNode result(ContractClient caller, String method, Object params) {
    JsonNode answer = rpc(caller, method, params).expect(200).json();
    assertThat(answer.path("id").asInt()).isEqualTo(7);
    assertThat(answer.has("error")).as(answer.toString()).isFalse();
    return answer.path("result");
  }

  private static JsonNode call(ContractClient caller, String tool, Map<String, ?> arguments) {
    return result(caller, "tools/call", Map.of("name", tool, "arguments", arguments));
  }

  /** The structured answer, which its listed schema describes. */
  private static JsonNode answer(ContractClient caller, String tool, Map<String, ?> arguments) {
    JsonNode result = call(caller, tool, arguments);
    assertThat(result.path("isError").asBoolean()).as(result.toString()).isFalse();
    JsonNode structured = result.path("structuredContent");
    assertThat(Json.read(result.at("/content/0/text").asString())).isEqualTo(structured);
    JsonNode listed =
        result(caller, "tools/list", Map.of())
            .path("tools")
            .valueStream()
            .filter(it -> it.path("name").asString().equals(tool))
            .findFirst()
            .orElseThrow();
    ObjectNode schema = listed.path("outputSchema").deepCopy().asObject();
    assertThat(schema.path("type").asString()).isEqualTo("object");
    withoutBounds(schema);
    assertThat(SCHEMAS.getSchema(schema).validate(structured)).as(tool).isEmpty();
    return structured;
  }

  /** The validator in use does not take bounds beside a list of types. */
  private static void withoutBounds(JsonNode node) {
    node.forEach(McpTest::withoutBounds);
    if (node instanceof ObjectNode schema && schema.path("type").isArray()) {
      var _ = schema.remove(List.of("minimum", "maximum"));
    }
  }

  private static String refusal(ContractClient caller, String tool, Map<String, ?> arguments) {
    JsonNode result = call(caller, tool, arguments);
    assertThat(result.path("isError").asBoolean()).as(result.toString()).isTrue();
    assertThat(result.has("structuredContent")).isFalse();
    return Json.read(result.at("/content/0/text").asString()).path("code").asString();
  }

  private static Set<String> tools(ContractClient caller) {
    Set<String> names = new TreeSet<>();
    result(caller, "tools/list", Map.of())
        .path("tools")
        .forEach(it -> names.add(it.path("name").asString()));
    return names;
  }

  private static long bots(ContractClient caller) {
    return caller.get("/bots/active").expect(200).json().path("items").size();
  }

  private static Map<String, Object> with(Map<String, ?> arguments, String name, Object value) {
    Map<String, Object> more = new HashMap<>(arguments);
    more.put(name, value);
    return more;
  }

  @Test
  void aKeySeesTheToolsThatItsScopesPermit() {
    Set<String> all = new TreeSet<>(READING);
    all.addAll(ACTING);
    assertThat(tools(ann)).isEqualTo(all);
    assertThat(tools(nodes.one().with("X-API-Key", key(annId, "read")))).isEqualTo(READING);
    assertThat(tools(nodes.one().with("X-API-Key", key(annId, "viewer")))).isEqualTo(READING);
    assertThat(tools(nodes.one().with("X-API-Key", key(annId, "tasks"))))
        .containsExactly("get_task", "submit_task");
    for (JsonNode tool : result(ann, "tools/list", Map.of()).path("tools")) {
      boolean acts = ACTING.contains(tool.path("name").asString());
      assertThat(tool.at("/annotations/readOnlyHint").asBoolean()).isEqualTo(!acts);
      assertThat(tool.at("/inputSchema/properties").has("confirm")).isEqualTo(acts);
      assertThat(tool.path("description").asString()).hasSizeGreaterThan(20);
    }
  }

  @Test
  void aHiddenToolIsRefusedByTheOperationThatItCalls() {
    Map<String, Object> bot = Map.of("platform", "daily", "native_meeting_id", "hidden");
    ContractClient reader = nodes.one().with("X-API-Key", key(annId, "read"));
    assertThat(refusal(reader, "start_bot", bot)).isEqualTo("scope_missing");
    ContractClient viewer = nodes.one().with("X-API-Key", key(annId, "viewer"));
    assertThat(refusal(viewer, "start_bot", bot)).isEqualTo("role_missing");
    assertThat(
            rpc(ann, "tools/call", Map.of("name", "drop_tables")).json().at("/error/code").asInt())
        .isEqualTo(-32602);
    assertThat(refusal(ann, "get_meeting", Map.of("meeting_id", "x"))).isEqualTo("bad_request");
    assertThat(refusal(ann, "start_bot", Map.of("platform", "radio"))).isEqualTo("bad_request");
  }

  @Test
  void whatActsHappensOnceAndOnlyAfterItsConfirmation() {
    Map<String, Object> bot =
        Map.of("platform", "daily", "native_meeting_id", "standup-" + annId, "bot_name", "Notes");
    JsonNode asked = answer(ann, "start_bot", bot);
    assertThat(asked.path("dry_run").asBoolean()).isTrue();
    assertThat(asked.path("would").asString()).contains("daily standup-" + annId);
    assertThat(bots(ann)).isZero();
    String confirm = asked.path("confirm").asString();

    JsonNode dry = answer(ann, "start_bot", with(with(bot, "confirm", confirm), "dry_run", true));
    assertThat(dry.path("dry_run").asBoolean()).isTrue();
    assertThat(bots(ann)).isZero();

    JsonNode done = answer(ann, "start_bot", with(bot, "confirm", confirm));
    assertThat(done.path("dry_run").asBoolean()).isFalse();
    long meeting = done.at("/result/id").asLong();
    assertThat(bots(ann)).isOne();

    JsonNode again = answer(ann, "start_bot", with(bot, "confirm", confirm));
    assertThat(again.path("replayed").asBoolean()).isTrue();
    assertThat(again.at("/result/id").asLong()).isEqualTo(meeting);
    assertThat(bots(ann)).isOne();

    assertThat(answer(ann, "start_bot", bot).path("would").asString())
        .contains("bot_already_there", String.valueOf(meeting));

    JsonNode rows = admin.get("/admin/audit?limit=100").expect(200).json().path("items");
    List<JsonNode> ours =
        rows.valueStream()
            .filter(it -> it.path("actor").asString().equals("user:" + annId))
            .toList();
    assertThat(ours).hasSize(1);
    assertThat(ours.getFirst().path("action").asString()).isEqualTo("startBot");
    assertThat(ours.getFirst().path("key_id").asLong()).isPositive();
    assertThat(rows.toString()).doesNotContain("callMcp");
  }

  @Test
  void aConfirmationIsOfOneKeyToolAndItsArguments() {
    Map<String, Object> bot = Map.of("platform", "daily", "native_meeting_id", "room-" + annId);
    String confirm = answer(ann, "start_bot", bot).path("confirm").asString();
    Map<String, Object> other = Map.of("platform", "daily", "native_meeting_id", "r2-" + annId);
    assertThat(refusal(ann, "start_bot", with(other, "confirm", confirm)))
        .isEqualTo("confirmation_invalid");
    assertThat(refusal(zoe, "start_bot", with(bot, "confirm", confirm)))
        .isEqualTo("confirmation_invalid");
    ContractClient second = nodes.one().with("X-API-Key", key(annId));
    assertThat(refusal(second, "start_bot", with(bot, "confirm", confirm)))
        .isEqualTo("confirmation_invalid");
    assertThat(refusal(ann, "start_bot", with(bot, "confirm", confirm.replace("cvm_1", "cvm_9"))))
        .isEqualTo("confirmation_invalid");
    assertThat(bots(ann)).isZero();
    ContractClient elsewhere = nodes.other().with("X-API-Key", annKey);
    assertThat(answer(elsewhere, "start_bot", with(bot, "confirm", confirm)).path("replayed"))
        .isEqualTo(Json.read("false"));
    assertThat(bots(ann)).isOne();
  }

  @Test
  void anotherUsersMeetingIsNotThere() {
    long meeting = bot("walls-" + annId);
    Map<String, Object> it = Map.of("meeting_id", meeting);
    for (String tool :
        List.of("get_meeting", "who_is_in_room", "get_transcript", "explain_bot", "stop_bot")) {
      assertThat(refusal(zoe, tool, it)).as(tool).isEqualTo("not_found");
    }
    assertThat(refusal(zoe, "sync_status", it)).isIn("not_found", "forbidden");
    assertThat(answer(zoe, "list_meetings", Map.of()).path("items")).isEmpty();
    String task = task("walls");
    assertThat(refusal(zoe, "get_task", Map.of("task_id", task))).isEqualTo("not_found");
    assertThat(answer(ann, "get_task", Map.of("task_id", task)).path("state").asString())
        .isEqualTo("PENDING");
  }

  @Test
  void aRefusalSaysWhatIsMissingAndNamesTheArgument() {
    Map<String, Object> tracked =
        Map.of("platform", "daily", "native_meeting_id", "tracked-" + annId);
    long meeting = ann.post("/meetings", tracked).expect(201).json().path("id").asLong();
    for (String tool : List.of("explain_bot", "stop_bot")) {
      assertThat(call(ann, tool, Map.of("meeting_id", meeting)).toString())
          .contains("There is no such meeting with a bot.");
    }
    assertThat(call(ann, "get_task", Map.of("task_id", "a b")).toString())
        .contains("task_id has a form");
    assertThat(call(admin, "start_bot", tracked).toString())
        .contains("user_id is needed from admins");
    assertThat(admin.post("/meetings", tracked).expect(400).body())
        .contains("user_id is needed from admins, as ?user_id=");
  }

  @Test
  void aTeamMateReadsAndDoesNotStop() {
    long bob = user();
    long _ = teamWith(bob);
    long meeting = bot("team-" + annId);
    ContractClient mate = nodes.one().with("X-API-Key", key(bob));
    assertThat(answer(mate, "get_meeting", Map.of("meeting_id", meeting)).path("user_id").asLong())
        .isEqualTo(annId);
    assertThat(refusal(mate, "stop_bot", Map.of("meeting_id", meeting))).isEqualTo("not_owner");
  }

  /** Each user has one bot in a meeting, whatever bots others have there. */
  @Test
  void aStartIsRefusedForABotOfItsUserAlone() {
    long bob = user();
    long team = teamWith(bob);
    String room = "shared-" + annId;
    admin.put("/rooms/daily/" + room, Map.of("team_id", team)).expect(200);
    Map<String, Object> start = Map.of("platform", "daily", "native_meeting_id", room);
    ContractClient mate = nodes.one().with("X-API-Key", key(bob));
    long hers = bot(room);
    assertThat(would(mate, start)).contains("would be sent");
    long his = mate.post("/bots/start", start).expect(201).json().path("id").asLong();
    assertThat(would(ann, start)).contains("bot_already_there", "meeting " + hers + " ");
    assertThat(would(mate, start)).contains("bot_already_there", "meeting " + his + " ");
    assertThat(would(admin, with(start, "user_id", annId)))
        .contains("bot_already_there", "meeting " + hers + " ");
    assertThat(would(admin, with(start, "user_id", user()))).contains("would be sent");
    assertThat(refusal(admin, "start_bot", start)).isEqualTo("bad_request");
    ContractClient bots = nodes.one().with("X-API-Key", key(annId, "bots"));
    assertThat(would(bots, start)).contains("bot_already_there", "meeting " + hers + " ");

    Map<String, Object> byUrl =
        Map.of("platform", "daily", "meeting_url", "https://example.daily.co/" + room);
    assertThat(would(ann, byUrl)).contains("would be sent", "not checked");
  }

  private static String would(ContractClient caller, Map<String, ?> start) {
    return answer(caller, "start_bot", start).path("would").asString();
  }

  /** A team of Ann and another user. */
  private long teamWith(long other) {
    long team =
        admin
            .post("/admin/teams", Map.of("name", "mcp " + annId))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    for (long member : List.of(annId, other)) {
      admin.put("/admin/teams/" + team + "/members/" + member, Map.of());
    }
    return team;
  }

  private long bot(String room) {
    return ann.post("/bots/start", Map.of("platform", "daily", "native_meeting_id", room))
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private String task(String request) {
    Map<String, Object> task =
        Map.of(
            "request_id",
            request + annId,
            "type",
            "snapshot",
            "action",
            "start",
            "channel",
            "c" + annId,
            "region",
            "eu-nowhere",
            "payload",
            Map.of("a", 1));
    JsonNode asked = answer(ann, "submit_task", task);
    assertThat(asked.path("would").asString()).contains("eu-nowhere", "no pod is alive");
    return answer(ann, "submit_task", with(task, "confirm", asked.path("confirm").asString()))
        .at("/result/id")
        .asString();
  }

  @Test
  void aBotIsExplainedByTheEventsOfItsMeeting() {
    long meeting = bot("explained-" + annId);
    JsonNode explained = answer(ann, "explain_bot", Map.of("meeting_id", meeting));
    assertThat(explained.path("conclusion").asString()).contains("not launched yet");
    assertThat(explained.path("waits_for").asString()).isEqualTo("launcher");
    JsonNode first =
        ann.get("/events?subject=meeting:" + meeting).expect(200).json().at("/items/0");
    assertThat(explained.at("/facts/0/events/0").asLong()).isEqualTo(first.path("seq").asLong());

    JsonNode asked = answer(ann, "stop_bot", Map.of("meeting_id", meeting));
    assertThat(asked.path("would").asString()).contains("asked to leave");
    JsonNode stopped =
        answer(
            ann,
            "stop_bot",
            Map.of("meeting_id", meeting, "confirm", asked.path("confirm").asString()));
    assertThat(stopped.at("/result/meeting_id").asLong()).isEqualTo(meeting);
    JsonNode again =
        answer(
            ann,
            "stop_bot",
            Map.of("meeting_id", meeting, "confirm", asked.path("confirm").asString()));
    assertThat(again.path("replayed").asBoolean()).isTrue();
    assertThat(again.path("result")).isEqualTo(stopped.path("result"));
  }

  /** People come and go while a bot is in a meeting, and write to it. */
  @Test
  void aBotIsExplainedAlsoWhenPagesOfOtherEventsFollowed() {
    long meeting = bot("busy-" + annId);
    run(
        """
        insert into events (type, subject, user_id, data)
        select case when n = 0 then 'meeting.status_changed' else 'chat.message' end,
          'meeting:' || ?::bigint, ?, '{"from": "starting", "to": "active", "attempt": 1}'::jsonb
        from generate_series(0, 450) as n
        """,
        meeting,
        annId);
    run("update meetings set status = 'completed', end_time = now() where id = ?", meeting);
    // Its event makes this server read the journal.
    long _ = bot("next-" + annId);
    JsonNode explained = answer(ann, "explain_bot", Map.of("meeting_id", meeting));
    assertThat(explained.path("conclusion").asString()).contains("It was in the meeting");
    assertThat(explained.at("/facts/0/says").asString()).contains("to reserved");
  }

  @Test
  void aResourceSaysWhereTheRestOfALongTranscriptIs() {
    long meeting = bot("long-" + annId);
    run(
        """
        insert into transcriptions (meeting_id, start_time, end_time, text, completed)
        select ?, n, n + 1, 'word ' || n, false from generate_series(0, 20000) as n
        """,
        meeting);
    String uri = "convoke://meetings/" + meeting + "/transcript";
    String text =
        result(ann, "resources/read", Map.of("uri", uri)).at("/contents/0/text").asString();
    assertThat(text).contains("word 19999", "get_transcript").doesNotContain("word 20000");
    String cursor = text.substring(text.lastIndexOf(' ') + 1, text.lastIndexOf(']'));
    JsonNode rest = answer(ann, "get_transcript", Map.of("meeting_id", meeting, "cursor", cursor));
    assertThat(rest.path("text").asString()).contains("word 20000").doesNotContain("word 19999");
  }

  @Test
  void transcriptsAreResourcesOfThoseWhoMayReadThem() {
    long meeting = bot("resource-" + annId);
    said(meeting, "resources" + annId);
    String uri = "convoke://meetings/" + meeting + "/transcript";
    JsonNode listed = result(ann, "resources/list", Map.of()).path("resources");
    assertThat(listed.valueStream().map(it -> it.path("uri").asString())).containsExactly(uri);
    assertThat(listed.at("/0/title").asString()).contains("resource-" + annId);
    JsonNode content = result(ann, "resources/read", Map.of("uri", uri)).at("/contents/0");
    assertThat(content.path("text").asString()).contains("resources" + annId + " number 2");
    assertThat(
            result(ann, "resources/templates/list", Map.of())
                .at("/resourceTemplates/0/uriTemplate")
                .asString()
                .replace("{meeting_id}", String.valueOf(meeting)))
        .isEqualTo(uri);

    assertThat(result(zoe, "resources/list", Map.of()).path("resources")).isEmpty();
    assertThat(error(zoe, "resources/read", Map.of("uri", uri))).isEqualTo(-32002);
    assertThat(error(ann, "resources/read", Map.of("uri", "file:///etc/passwd"))).isEqualTo(-32002);
    ContractClient tasks = nodes.one().with("X-API-Key", key(annId, "tasks"));
    assertThat(result(tasks, "resources/list", Map.of()).path("resources")).isEmpty();
    JsonNode refused = rpc(tasks, "resources/read", Map.of("uri", uri)).expect(200).json();
    assertThat(refused.at("/error/data/code").asString()).isEqualTo("scope_missing");
  }

  @Test
  void promptsAreAboutAMeeting() {
    List<String> names = new ArrayList<>();
    result(ann, "prompts/list", Map.of())
        .path("prompts")
        .forEach(it -> names.add(it.path("name").asString()));
    assertThat(names).containsExactly("summarize_meeting", "explain_late_bot");
    for (String name : names) {
      Map<String, Object> asked = Map.of("name", name, "arguments", Map.of("meeting_id", "42"));
      assertThat(result(ann, "prompts/get", asked).at("/messages/0/content/text").asString())
          .contains("meeting 42");
    }
    Map<String, Object> injected =
        Map.of("name", names.getFirst(), "arguments", Map.of("meeting_id", "1; and obey"));
    assertThat(error(ann, "prompts/get", injected)).isEqualTo(-32602);
    assertThat(
            error(ann, "prompts/get", Map.of("name", "x", "arguments", Map.of("meeting_id", "1"))))
        .isEqualTo(-32602);
  }

  private static int error(ContractClient caller, String method, Object params) {
    return rpc(caller, method, params).expect(200).json().at("/error/code").asInt();
  }

  private static void run(String sql, Object... values) {
    try (Database database =
        Database.open(DatabaseUrl.parse(nodes.database()), 2, "test", Migrations.SCHEMAS)) {
      database.run(
          tx -> {
            int _ = tx.sql(sql).with(values).update();
          });
    }
  }

  private static void said(long meeting, String word) {
    run(
        """
        insert into transcriptions (meeting_id, start_time, end_time, text, speaker, language, completed)
        select ?, n, n + 1, 'The ' || ?::text || ' number ' || n, 'Ada', 'en', true
        from generate_series(0, 2) as n
        """,
        meeting,
        word);
  }

  @Test
  void whatWasSaidIsReadAndFound() {
    String word = "zebra" + annId;
    long meeting = bot("said-" + annId);
    said(meeting, word);
    JsonNode text = answer(ann, "get_transcript", Map.of("meeting_id", meeting));
    assertThat(text.path("text").asString()).contains("Ada", word + " number 2");
    JsonNode page =
        answer(ann, "get_transcript", Map.of("meeting_id", meeting, "format", "json", "limit", 2));
    assertThat(page.path("segments")).hasSize(2);
    JsonNode rest =
        answer(
            ann,
            "get_transcript",
            Map.of(
                "meeting_id",
                meeting,
                "format",
                "json",
                "cursor",
                page.path("next_cursor").asString()));
    assertThat(rest.path("segments")).hasSize(1);
    List<Long> found = new ArrayList<>();
    answer(ann, "search_transcripts", Map.of("q", word))
        .path("items")
        .forEach(it -> found.add(it.path("meeting_id").asLong()));
    assertThat(found).hasSize(3).containsOnly(meeting);
    assertThat(answer(zoe, "search_transcripts", Map.of("q", word)).path("items")).isEmpty();
    assertThat(
            answer(
                    ann,
                    "who_is_in_room",
                    Map.of("platform", "daily", "native_meeting_id", "said-" + annId))
                .path("meeting_id")
                .asLong())
        .isEqualTo(meeting);
    assertThat(refusal(ann, "who_is_in_room", Map.of("platform", "daily")))
        .isEqualTo("bad_request");
    assertThat(answer(ann, "sync_status", Map.of("meeting_id", meeting)).path("status").asString())
        .isEqualTo("not_started");
  }
}
