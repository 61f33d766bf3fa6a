package io.convoke.server.crmaccounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.fakes.crm.HubSpotOAuth;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.crm.CrmAccounts;
import io.convoke.server.crm.CrmAccounts.CrmAccess;
import io.convoke.server.crm.CrmConnector;
import io.convoke.server.crm.CrmConnector.CrmPushResult;
import io.convoke.server.crm.CrmConnectorFactory;
import io.convoke.server.crm.MeetingNote;
import io.convoke.server.crm.MeetingNote.MeetingNotePerson;
import io.convoke.server.crmaccounts.CrmConnectionStore.CrmConnection;
import io.convoke.server.http.ContractClient.Answered;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.TestServer;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.reseal.SecretResealer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Users connect accounts at HubSpot by OAuth, and the notes of their meetings go there. */
class CrmConnectionTest {
  private static final String PRIVATE = "the-private-apps-token";
  private static final String ANNS = "1001";

  private final FakeCrm crm = new FakeCrm(PRIVATE);
  private final HubSpotOAuth oauth = crm.hubSpot().oauth();
  private final Database database =
      Database.open(DatabaseUrl.parse(MigratedDatabase.url()), 20, "test", Migrations.SCHEMAS);
  private final byte[] key = SecretBox.newKey();
  private final CrmAccountsFeature feature = node(SecretBox.of(key));
  private final TestServer server = TestServer.of(feature.endpoints().toArray(Endpoint[]::new));
  private final CrmConnector connector = connector(Optional.of(PRIVATE), feature.accounts());
  private final long ann = id("insert into users (email) values ('ann@example.org') returning id");
  private final long bob = id("insert into users (email) values ('bob@example.org') returning id");

  @AfterEach
  void close() {
    connector.close();
    server.close();
    database.close();
    crm.close();
  }

  private CrmAccountsFeature node(SecretBox box) {
    return new CrmAccountsFeature(
        Optional.of(
            new HubSpotAppConfig(
                "app-1",
                "app-secret",
                crm.hubSpotUrl().resolve("/oauth/authorize"),
                crm.hubSpotUrl().resolve("/oauth/v3/token"),
                "oauth crm.objects.contacts.read")),
        database,
        box,
        InstantSource.system());
  }

  private CrmConnector connector(Optional<String> token, CrmAccounts accounts) {
    return connector(token, accounts, Optional.empty());
  }

  private CrmConnector connector(
      Optional<String> token, CrmAccounts accounts, Optional<String> owner) {
    return CrmConnectorFactory.hubSpotOfUsers(
        crm.hubSpotUrl(), token, accounts, owner, _ -> RateLimiter.unlimited());
  }

  @Test
  void aUserConnectsAnAccountInOneBrowserAndDisconnectsIt() throws Exception {
    assertThat(state(ann).path("connected").asBoolean()).isFalse();
    assertThat(state(ann).path("available").asBoolean()).isTrue();
    server.anonymous().post("/crm/connection").expect(401);

    Answered begun = server.user(ann).post("/crm/connection").expect(200);
    String cookie = begun.header("Set-Cookie");
    assertThat(cookie).contains("HttpOnly", "SameSite=Lax");
    String back = consent(begun);
    // Another browser has another flow, or none.
    server.anonymous().get(back).expect(401, "connection_refused");
    Answered others = server.user(bob).post("/crm/connection").expect(200);
    server.anonymous().with("Cookie", value(others)).get(back).expect(401, "connection_refused");
    assertThat(state(ann).path("connected").asBoolean()).isFalse();

    Answered done = server.anonymous().with("Cookie", value(begun)).get(back).expect(303);
    assertThat(done.header("Set-Cookie")).contains("Max-Age=0");
    assertThat(state(ann).path("account_id").asString()).isEqualTo(ANNS);
    assertThat(state(ann).path("scopes").asString()).contains("crm.objects.contacts.read");
    assertThat(state(bob).path("connected").asBoolean()).isFalse();
    // A code is for one use.
    server.anonymous().with("Cookie", value(begun)).get(back).expect(401);
    assertThat(text("select tokens as t from crm_connections"))
        .doesNotContain("access-", "refresh-");

    server.user(ann).delete("/crm/connection").expect(204);
    server.user(ann).delete("/crm/connection").expect(404);
    assertThat(state(ann).path("connected").asBoolean()).isFalse();
    assertThat(crm.complaints()).isEmpty();
  }

  @Test
  void whoRefusesAtHubSpotConnectsNothing() throws Exception {
    Answered begun = server.user(ann).post("/crm/connection").expect(200);
    String back = consent(begun).replaceFirst("code=[^&]*", "error=access_denied");
    assertThat(server.anonymous().with("Cookie", value(begun)).get(back).expect(401).body())
        .contains("access_denied");
    assertThat(state(ann).path("connected").asBoolean()).isFalse();
  }

  @Test
  void aNoteGoesToTheAccountOfTheMeetingsUserElseToTheServersOwn() throws Exception {
    connect(ann);
    push(meeting(ann));
    assertThat(crm.hubSpot().accounts()).isNotEmpty().containsOnly(ANNS);
    push(meeting(bob));
    assertThat(crm.hubSpot().accounts()).contains("private");
    try (CrmConnector alone = connector(Optional.empty(), feature.accounts())) {
      assertThat(alone.forMeeting(meeting(bob)).lacks())
          .hasValueSatisfying(why -> assertThat(why).contains("connected no HubSpot account"));
      assertThat(alone.forMeeting(meeting(ann)).lacks()).isEmpty();
    }
    server.user(ann).delete("/crm/connection").expect(204);
    push(meeting(ann));
    assertThat(crm.hubSpot().accounts().getLast()).isEqualTo("private");
  }

  /** A refresh token that is used twice ends the grant, so two nodes must not both use it. */
  @Test
  void ofManyNodesOneRefreshesATokenThatIsNearItsEnd() throws Exception {
    oauth.accessLife(Duration.ofMinutes(2));
    connect(ann);
    long meeting = meeting(ann);
    List<CrmAccounts> nodes = List.of(feature.accounts(), node(SecretBox.of(key)).accounts());
    for (int round = 1; round <= 5; round++) {
      oauth.accessLife(round < 5 ? Duration.ofMinutes(2) : Duration.ofMinutes(30));
      CyclicBarrier start = new CyclicBarrier(16);
      List<Future<CrmAccess>> found = new ArrayList<>();
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < 16; i++) {
          CrmAccounts node = nodes.get(i % 2);
          found.add(
              threads.submit(
                  () -> {
                    int _ = start.await();
                    return node.ofMeeting(meeting);
                  }));
        }
      }
      for (Future<CrmAccess> each : found) {
        assertThat(each.get()).isInstanceOf(CrmAccess.ConnectedAccount.class);
      }
    }
    push(meeting);
    int refreshes = oauth.refreshes();
    assertThat(refreshes).isGreaterThanOrEqualTo(5);
    push(meeting);
    assertThat(oauth.refreshes()).isEqualTo(refreshes);
    assertThat(state(ann).has("failure")).isFalse();
    assertThat(crm.complaints()).isEmpty();
  }

  @Test
  void aTokenThatHasEndedIsReplacedAndWhileHubSpotIsAwayTheNoteWaits() throws Exception {
    oauth.accessLife(Duration.ofSeconds(1));
    connect(ann);
    oauth.accessLife(Duration.ofMinutes(30));
    database.run(
        tx -> {
          int _ = tx.sql("update crm_connections set expires_at = now() - interval '1 s'").update();
        });
    long meeting = meeting(ann);
    crm.faults()
        .next(
            request -> request.path().getFirst().equals("oauth"),
            new RequestFault.RefuseRequest(503));
    assertThatThrownBy(() -> connector.forMeeting(meeting)).isInstanceOf(IOException.class);
    assertThat(state(ann).has("failure")).isFalse();
    push(meeting);
    assertThat(oauth.refreshes()).isEqualTo(1);
  }

  @Test
  void aRevokedGrantIsTheFailureOfTheSyncUntilTheUserConnectsAgain() throws Exception {
    connect(ann);
    long meeting = meeting(ann);
    oauth.uninstall(ANNS);
    // The token is valid by its time: HubSpot's 401 makes the next attempt ask for another one.
    assertThatThrownBy(() -> push(meeting)).isInstanceOf(IOException.class);
    CrmConnector lost = connector.forMeeting(meeting);
    assertThat(lost.lacks()).contains(ConnectedAccounts.REVOKED);
    assertThat(lost.push(body(lost), Optional.empty(), "key"))
        .isEqualTo(new CrmPushResult.CrmPushRefused(ConnectedAccounts.REVOKED));
    assertThat(state(ann).path("failure").asString()).isEqualTo(ConnectedAccounts.REVOKED);
    connect(ann);
    push(meeting);
    assertThat(state(ann).has("failure")).isFalse();
  }

  /** HubSpot's answer with the next pair comes after the user connected another account. */
  @Test
  void aLateRefreshDoesNotReachTheConnectionAfterTheOneItIsOf() throws Exception {
    connect(ann);
    CrmConnectionStore store = new CrmConnectionStore(database);
    CrmConnection former = store.find(ann).orElseThrow();
    assertThat(store.beginRefresh(former, Duration.ofMinutes(1))).isTrue();
    server.user(ann).delete("/crm/connection").expect(204);
    oauth.signedInAs("2002");
    connect(ann);
    CrmConnection present = store.find(ann).orElseThrow();

    String late = new CrmTokens("access-late", "refresh-late").seal(SecretBox.of(key));
    assertThat(store.refreshed(former, late, Duration.ofMinutes(30))).isFalse();
    store.fail(former, ConnectedAccounts.REVOKED);
    store.expire(ann, former.version());
    assertThat(store.beginRefresh(present, Duration.ofMinutes(1))).isTrue();
    store.endRefresh(former);
    assertThat(store.beginRefresh(present, Duration.ofMinutes(1)))
        .as("the right to refresh is still taken")
        .isFalse();
    push(meeting(ann));
    assertThat(crm.hubSpot().accounts().getLast()).isEqualTo("2002");
    assertThat(oauth.refreshes()).isZero();
    assertThat(state(ann).has("failure")).isFalse();
  }

  @Test
  void aTokenThatEndsAfterTheUpsertIsReplacedAndTheMeetingIsAssociatedAllTheSame()
      throws Exception {
    connect(ann);
    String contact = crm.hubSpot().records().contact("ada@example.org");
    long meeting = meeting(ann);
    Optional<MeetingNote> note =
        Optional.of(
            note()
                .with(
                    Optional.empty(),
                    Optional.empty(),
                    List.of(
                        MeetingNotePerson.of(Optional.of("ada@example.org"), Optional.of("Ada"))),
                    List.of()));
    for (String call : List.of("contacts/batch/read", "contacts/batch/create")) {
      crm.faults()
          .next(
              request -> String.join("/", request.path()).endsWith(call),
              new RequestFault.RefuseRequest(401));
      int refreshes = oauth.refreshes();
      CrmConnector ended = connector.forMeeting(meeting);
      assertThatThrownBy(() -> ended.push(body(ended), note, "key"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("401");
      CrmConnector next = connector.forMeeting(meeting);
      assertThat(oauth.refreshes()).isEqualTo(refreshes + 1);
      assertThat(next.push(body(next), note, "key"))
          .isInstanceOfSatisfying(
              CrmPushResult.CrmPushAccepted.class,
              accepted ->
                  assertThat(crm.hubSpot().records().timelines(accepted.id()))
                      .containsExactly("contacts:" + contact));
    }
  }

  /** An owner is of one account, and the configured one of the server's. */
  @Test
  void inAUsersAccountTheOwnerIsTheUserWhateverOwnerIsConfigured() throws Exception {
    connect(ann);
    String sales = crm.hubSpot().records().owner("sales@example.org");
    String herself = crm.hubSpot().records().owner(ANNS, "ann@example.org");
    for (String configured : List.of(sales, "sales@example.org")) {
      try (CrmConnector target =
          connector(Optional.of(PRIVATE), feature.accounts(), Optional.of(configured))) {
        assertThat(owner(target.forMeeting(meeting(ann)))).isEqualTo(herself);
        assertThat(owner(target.forMeeting(meeting(bob)))).isEqualTo(sales);
      }
    }
  }

  /** The owner at HubSpot of a meeting of Ann's address. */
  private String owner(CrmConnector target) throws Exception {
    MeetingNote note =
        note().with(Optional.of("ann@example.org"), Optional.empty(), List.of(), List.of());
    assertThat(target.push(body(target), Optional.of(note), "key"))
        .isInstanceOf(CrmPushResult.CrmPushAccepted.class);
    return Optional.ofNullable(crm.notes().get("meeting-1"))
        .orElseThrow()
        .body()
        .path("hubspot_owner_id")
        .asString("");
  }

  @Test
  void tokensAreResealedWhenTheKeyIsRotated() throws Exception {
    connect(ann);
    byte[] newer = SecretBox.newKey();
    assertThat(
            new SecretResealer(database, SecretBox.of(newer, key), Optional.empty(), _ -> {})
                .run()
                .unreadable())
        .isZero();
    long meeting = meeting(ann);
    assertThat(node(SecretBox.of(newer)).accounts().ofMeeting(meeting))
        .isInstanceOf(CrmAccess.ConnectedAccount.class);
    assertThat(feature.accounts().ofMeeting(meeting)).isInstanceOf(CrmAccess.LostAccount.class);
  }

  private void connect(long user) throws Exception {
    Answered begun = server.user(user).post("/crm/connection").expect(200);
    server.anonymous().with("Cookie", value(begun)).get(consent(begun)).expect(303);
  }

  /** What the browser gets from HubSpot: the path and query to which it is sent back. */
  private String consent(Answered begun) throws Exception {
    try (HttpClient browser = HttpClient.newHttpClient()) {
      URI authorize = URI.create(begun.json().path("authorize_url").asString());
      HttpResponse<String> sent =
          browser.send(
              HttpRequest.newBuilder(authorize).build(), HttpResponse.BodyHandlers.ofString());
      assertThat(sent.statusCode()).as(sent.body()).isEqualTo(302);
      URI back = URI.create(sent.headers().firstValue("Location").orElseThrow());
      assertThat(back.toString()).startsWith(server.url() + "/crm/connection/callback?");
      return back.getRawPath() + "?" + back.getRawQuery();
    }
  }

  private static String value(Answered begun) {
    return begun.header("Set-Cookie").replaceFirst(";.*", "");
  }

  private JsonNode state(long user) {
    return server.user(user).get("/crm/connection").expect(200).json();
  }

  private void push(long meeting) throws Exception {
    CrmConnector target = connector.forMeeting(meeting);
    assertThat(target.lacks()).isEmpty();
    assertThat(target.push(body(target), Optional.empty(), "key-" + meeting))
        .isInstanceOf(CrmPushResult.CrmPushAccepted.class);
  }

  private static JsonNode body(CrmConnector target) {
    return switch (target.transform(note())) {
      case CrmConnector.CrmTransformResult.CrmBodyReady(JsonNode body) -> body;
      case CrmConnector.CrmTransformResult.CrmBodyImpossible(String why) ->
          tools.jackson.databind.node.StringNode.valueOf(why);
    };
  }

  private static MeetingNote note() {
    return new MeetingNote(
        "meeting:1",
        1,
        Optional.empty(),
        "daily",
        "room",
        Optional.of(Instant.parse("2026-03-02T09:00:00Z")),
        Optional.of(60),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of());
  }

  private long meeting(long user) {
    return id(
        "insert into meetings (user_id, platform, platform_specific_id, status, tracked) values ("
            + user
            + ", 'daily', 'room', 'completed', true) returning id");
  }

  private long id(String sql) {
    return database.read(tx -> tx.sql(sql).one(row -> row.longAt("id")));
  }

  private String text(String sql) {
    return database.read(tx -> tx.sql(sql).one(row -> row.text("t")));
  }
}
