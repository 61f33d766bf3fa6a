package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import io.convoke.server.http.OperatorRole;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a key may do, on every route that the OpenAPI document names. */
class KeyScopesTest {
  /** The scope of what each group of operations is about. */
  private static final Map<String, String> FAMILIES =
      Map.ofEntries(
          Map.entry("bots", "bots"),
          Map.entry("events", "read"),
          Map.entry("meetings", "meetings"),
          Map.entry("recordings", "meetings"),
          Map.entry("egress", "meetings"),
          Map.entry("rooms", "meetings"),
          Map.entry("sync", "meetings"),
          Map.entry("tasks", "tasks"),
          Map.entry("usage", "read"),
          Map.entry("webhooks", "webhooks"),
          Map.entry("workflows", "meetings"));

  @TempDir private static Path folder;
  private static TwoNodes nodes;
  private static ContractClient admin;
  private static long ann;

  /** By its group and method, whatever the document says. */
  private static Set<String> scopesNeeded(DocumentedOperation operation) {
    Set<String> schemes = operation.securitySchemes();
    if (Set.of("whoAmI", "callMcp").contains(operation.id())
        || !(schemes.contains("userKey") || schemes.contains("adminKey"))) {
      return Set.of();
    }
    if (!schemes.contains("userKey")) {
      return switch (roleNeeded(operation)) {
        case VIEWER -> Set.of("viewer", "operator", "admin");
        case OPERATOR -> Set.of("operator", "admin");
        case ADMIN -> Set.of("admin");
      };
    }
    String group = operation.description().at("/tags/0").asString();
    assertThat(FAMILIES).as(operation.id()).containsKey(group);
    Set<String> needed = new TreeSet<>(Set.of(FAMILIES.getOrDefault(group, "")));
    if (operation.method().equals("GET")) {
      boolean _ = needed.add("read");
    }
    return needed;
  }

  /** IdentityProviderTest says which it must be. */
  private static OperatorRole roleNeeded(DocumentedOperation operation) {
    String name = operation.description().path("x-convoke-operator-role").asString();
    return OperatorRole.valueOf(name.toUpperCase(Locale.ROOT));
  }

  private static boolean permitted(DocumentedOperation operation, ApiScope scope) {
    Set<String> needed = scopesNeeded(operation);
    return needed.isEmpty()
        || scope
            .operatorRole()
            .map(role -> role.includes(roleNeeded(operation)))
            .orElse(needed.contains(scope.wireName()));
  }

  @BeforeAll
  static void start() {
    nodes = TwoNodes.start(folder, Map.of());
    admin = nodes.admin();
    ann = user("ann@example.org");
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static long user(String email) {
    return admin
        .post("/admin/users", Map.of("email", email))
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private static String issue(long user, String body) {
    return admin
        .json("POST", "/admin/users/" + user + "/tokens", body)
        .expect(201)
        .json()
        .path("token")
        .asString();
  }

  private static ContractClient with(String... scopes) {
    return nodes.one().with("X-API-Key", issue(ann, Json.write(Map.of("scopes", List.of(scopes)))));
  }

  @Test
  void aKeyThatMayReadChangesNothing() {
    ContractClient reader = with("read");
    reader.get("/meetings").expect(200);
    reader.get("/events").expect(200);
    Answered refused =
        reader
            .post("/meetings", Map.of("platform", "daily", "native_meeting_id", "stand-up"))
            .expect(403, "scope_missing");
    assertThat(refused.json().path("scopes")).isEqualTo(Json.read("[\"meetings\"]"));
    assertThat(refused.json().path("detail").asString()).contains("meetings");
    assertThat(reader.get("/meetings").expect(200).json().path("items")).isEmpty();
  }

  @Test
  void theScopeOfAFamilyReadsAndChangesIt() {
    ContractClient tracker = with("meetings");
    Map<String, String> room = Map.of("platform", "daily", "native_meeting_id", "retro");
    long id = tracker.post("/meetings", room).expect(201).json().path("id").asLong();
    tracker.get("/meetings/" + id).expect(200);
    tracker.get("/tasks").expect(403, "scope_missing");
    tracker.get("/webhook-endpoints").expect(403, "scope_missing");
    tracker.get("/session").expect(200);
  }

  /** Each route with a key of each scope: refused exactly where the table above says so. */
  @Test
  void everyRouteNeedsTheScopeOfWhatItIsAbout() {
    List<DocumentedOperation> operations = DocumentedOperation.of(admin);
    assertThat(operations).hasSizeGreaterThan(60);
    Map<ApiScope, ContractClient> keys = new EnumMap<>(ApiScope.class);
    for (ApiScope scope : ApiScope.values()) {
      keys.put(scope, with(scope.wireName()));
    }
    ContractClient unnamed = nodes.one().with("X-API-Key", issue(ann, "{}"));
    List<String> wrong = new ArrayList<>();
    for (DocumentedOperation operation : operations) {
      Set<String> needed = scopesNeeded(operation);
      Set<String> declared = new TreeSet<>();
      operation.description().path("x-convoke-scopes").forEach(it -> declared.add(it.asString()));
      assertThat(declared).as(operation.id()).isEqualTo(needed);
      keys.forEach(
          (scope, key) ->
              check(operation, scope.wireName(), key, permitted(operation, scope), wrong));
      check(operation, "no scopes", unnamed, !needed.contains("admin"), wrong);
    }
    assertThat(wrong).isEmpty();
  }

  private static void check(
      DocumentedOperation operation,
      String scope,
      ContractClient key,
      boolean permitted,
      List<String> wrong) {
    Answered answered = operation.call(key);
    boolean refused =
        answered.status() == 403
            && Set.of("scope_missing", "role_missing").contains(answered.code());
    boolean unknown = answered.status() == 401 && !operation.securitySchemes().isEmpty();
    if (refused == permitted || answered.status() >= 500 || unknown) {
      boolean _ = wrong.add(operation.id() + " with " + scope + ": " + answered.status());
    }
  }

  @Test
  void aKeyWithAdminIsAnOperatorsUnderItsOwnName() {
    ContractClient operator = with("admin");
    operator.get("/admin/users").expect(200);
    operator.post("/admin/users/" + ann + "/tokens").expect(201);
    JsonNode me = operator.get("/session").expect(200).json();
    assertThat(me.path("role").asString()).isEqualTo("admin");
    assertThat(me.path("user_id").asLong()).isEqualTo(ann);
    with("read", "meetings", "bots", "tasks", "webhooks")
        .get("/admin/users")
        .expect(403, "scope_missing");
  }

  @Test
  void aKeyOfAViewerReadsForAllUsersAndChangesNothing() {
    long bea = user("bea@example.org");
    admin
        .post("/meetings?user_id=" + bea, Map.of("platform", "daily", "native_meeting_id", "beas"))
        .expect(201);
    ContractClient viewer = with("viewer");
    assertThat(viewer.get("/meetings?user_id=" + bea).expect(200).json().path("items")).hasSize(1);
    assertThat(viewer.get("/session").expect(200).json().path("operator_role").asString())
        .isEqualTo("viewer");
    viewer
        .post("/meetings?user_id=" + bea, Map.of("platform", "daily", "native_meeting_id", "no"))
        .expect(403, "role_missing");
    with("operator").post("/admin/users", Map.of("email", "x@example.org")).expect(403);
    String path = "/admin/users/" + ann + "/tokens";
    admin.json("POST", path, "{\"scopes\":[\"viewer\",\"bots\"]}").expect(400);
  }

  @Test
  void scopesAreNamedOrAllButAdmin() {
    JsonNode issued =
        admin.post("/admin/users/" + user("bob@example.org") + "/tokens").expect(201).json();
    assertThat(issued.path("scopes"))
        .isEqualTo(Json.read("[\"read\",\"meetings\",\"bots\",\"tasks\",\"webhooks\"]"));
    String path = "/admin/users/" + ann + "/tokens";
    admin.json("POST", path, "{\"scopes\":[]}").expect(400);
    admin.json("POST", path, "{\"scopes\":[\"everything\"]}").expect(400);
    admin.json("POST", path, "{\"scopes\":\"read\"}").expect(400);
    admin.json("POST", path, "{\"expires_at\":\"2001-01-01T00:00:00Z\"}").expect(400);
    String scopes =
        admin
            .json("POST", path, "{\"scopes\":[\"tasks\",\"read\",\"tasks\"]}")
            .expect(201)
            .json()
            .path("scopes")
            .toString();
    assertThat(scopes).isEqualTo("[\"read\",\"tasks\"]");
    assertThat(admin.get(path + "?limit=1").expect(200).json().at("/items/0/scopes").toString())
        .isEqualTo(scopes);
  }
}
