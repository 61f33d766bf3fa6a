package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.convoke.server.bots.BotsTestServer.Answered;
import io.convoke.server.launch.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Allowed hosts, and one id for all spellings of a meeting, over HTTP. */
class MeetingUrlTest {
  private static final String URL = "https://meet.google.com/abc-defg-hij";

  private final FakeLauncher launcher = new FakeLauncher();
  private final BotsTestServer testServer = BotsTestServer.open(launcher);
  private final long user = testServer.user(Optional.empty());

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void aUrlOfAnotherHostIsRefusedWhateverTheOtherFields() {
    for (String url :
        List.of(
            "http://169.254.169.254/latest/meta-data",
            "http://[::ffff:127.0.0.1]/",
            "http://10.0.0.1:8080/",
            "file:///etc/passwd",
            "https://meet.google.com@10.0.0.1/",
            "http://meet.google.com/abc-defg-hij",
            "nonsense")) {
      Map<String, Object> body = body("google_meet", "abc-defg-hij");
      body.put("meeting_url", url);
      refused(start(body));
      body.put("start_at", Instant.now().plusSeconds(3600).toString());
      refused(start(body));
      refused(testServer.user(user, "POST", "/meetings", body));
    }
    assertThat(count("true")).isZero();
  }

  private static void refused(Answered answer) {
    answer.expect(400);
    assertThat(answer.code()).isEqualTo("meeting_url_refused");
    assertThat(answer.json().path("errors").path(0).path("field").asString())
        .isEqualTo("meeting_url");
  }

  @Test
  void anAddressThatWasStoredBeforeIsNotFollowedEither() {
    Map<String, Object> body = body("google_meet", "abc-defg-hij");
    body.put("start_at", Instant.now().plusSeconds(3600).toString());
    long meeting = start(body).expect(201).json().path("id").asLong();
    int _ =
        testServer.database.read(
            tx ->
                tx.sql("update meetings set bot = bot || ?::jsonb where id = ?")
                    .with(Json.tree(Map.of("meeting_url", "http://10.0.0.1/")), meeting)
                    .update());
    testServer.bots.start();
    testServer
        .user(
            user,
            "PUT",
            "/bots/schedule",
            Map.of("meeting_id", meeting, "start_at", Instant.now().toString()))
        .expect(200);

    Await.until("the row has ended", () -> testServer.status(meeting).terminal());
    assertThat(testServer.outcome(meeting).path("reason").asString())
        .isEqualTo("meeting_url_refused");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("user");
  }

  @Test
  void oneMeetingIsOneHoweverItIsSpelled() {
    Answered first = start(body("google_meet", "ABC-DEFG-HIJ")).expect(201);
    long meeting = first.json().path("id").asLong();
    assertThat(first.json().path("platform_specific_id").asString()).isEqualTo("abc-defg-hij");

    for (String spelling : List.of("abc-defg-hij", "abcdefghij", URL, URL + "?authuser=0")) {
      assertThat(
              start(body("google_meet", spelling)).expect(409).json().path("meeting_id").asLong())
          .isEqualTo(meeting);
      assertThat(
              testServer
                  .get(
                      user,
                      "/bots/status?platform=google_meet&native_meeting_id="
                          + URLEncoder.encode(spelling, StandardCharsets.UTF_8))
                  .expect(200)
                  .json()
                  .path("meeting_id")
                  .asLong())
          .isEqualTo(meeting);
      Map<String, Object> config = body("google_meet", spelling);
      config.put("language", "de");
      testServer.user(user, "PUT", "/bots/config", config).expect(202);
    }
    Map<String, Object> byUrl =
        new HashMap<>(Map.of("platform", "google_meet", "meeting_url", URL));
    start(byUrl).expect(409);
    testServer.user(user, "POST", "/bots/stop", body("google_meet", URL)).expect(202);
    assertThat(count("desired = 'stop'")).isEqualTo(1);
    assertThat(count("true")).isEqualTo(1);
  }

  @Test
  void anotherNameWithItsAddressAndTheIdAreOneMeeting() {
    Map<String, Object> named = body("zoom", "team-sync");
    named.put("meeting_url", "https://zoom.us/j/1234567890?pwd=x");
    long meeting = start(named).expect(201).json().path("id").asLong();
    for (Map<String, Object> same :
        List.of(
            body("zoom", "123 456 7890"),
            body("zoom", "https://us02web.zoom.us/j/1234567890/"),
            body("zoom", "team-sync"))) {
      assertThat(start(same).expect(409).json().path("meeting_id").asLong()).isEqualTo(meeting);
    }
    Map<String, Object> renamed = body("zoom", "monday");
    renamed.put("meeting_url", "HTTPS://ZOOM.US/j/1234567890");
    start(renamed).expect(409);
    testServer.user(user, "POST", "/bots/stop", body("zoom", "1234567890")).expect(202);
    assertThat(count("desired = 'stop'")).isEqualTo(1);
    long other = testServer.user(Optional.empty());
    testServer.user(other, "POST", "/bots/start", body("zoom", "1234567890")).expect(201);
  }

  @Test
  void anAddressOnAListedHostIsTheSameInPlaceOfTheId() {
    start(body("daily", "http://127.0.0.1:4711/rooms/alpha")).expect(201);
    start(body("daily", "alpha")).expect(409);
    Map<String, Object> byUrl = new HashMap<>(Map.of("platform", "daily"));
    byUrl.put("meeting_url", "http://127.0.0.1:4711/rooms/alpha/");
    start(byUrl).expect(409);
    testServer
        .user(user, "POST", "/bots/stop", body("daily", "http://127.0.0.1:4711/rooms/alpha"))
        .expect(202);
  }

  @Test
  void noAddressSendsABotIntoTheDailyRoomOfAnotherUser() {
    start(body("daily", "victim-room")).expect(201);
    long bob = testServer.user(Optional.empty());
    for (String url :
        List.of(
            "http://127.0.0.1:4711/victim-room",
            "http://127.0.0.1:4711/rooms/victim-room",
            "https://acme.daily.co/victim-room/.",
            "https://acme.daily.co/victim-room/%2e")) {
      Map<String, Object> body = body("daily", "my-room");
      body.put("meeting_url", url);
      testServer.user(bob, "POST", "/bots/start", body).expect(400);
    }
    String dotted = "https://acme.daily.co/victim-room/.";
    testServer
        .user(bob, "POST", "/bots/start", Map.of("platform", "daily", "meeting_url", dotted))
        .expect(400);
    testServer.user(bob, "POST", "/bots/start", body("daily", dotted)).expect(400);
    testServer
        .user(bob, "POST", "/bots/start", body("daily", "https://acme.daily.co/victim-room"))
        .expect(403);
    assertThat(count("user_id = " + bob)).isZero();
  }

  @Test
  void anAddressAloneStartsABot() {
    Answered answer =
        start(
                new HashMap<>(
                    Map.of(
                        "platform", "zoom",
                        "meeting_url", "https://us02web.zoom.us/j/1234567890?pwd=secret.1")))
            .expect(201);

    assertThat(answer.json().path("platform_specific_id").asString()).isEqualTo("1234567890");
    BotSpec wish = testServer.row(answer.json().path("id").asLong()).spec();
    assertThat(wish.meetingUrl()).contains("https://us02web.zoom.us/j/1234567890?pwd=secret.1");
    assertThat(wish.passcode()).isPresent().get().asString().isNotEqualTo("secret.1");
  }

  @Test
  void aTrackedMeetingIsOneHoweverItIsSpelled() {
    testServer.user(user, "POST", "/meetings", body("google_meet", URL)).expect(201);
    testServer.user(user, "POST", "/meetings", body("google_meet", "ABC-DEFG-HIJ")).expect(409);
    testServer
        .user(user, "POST", "/meetings", Map.of("platform", "google_meet", "meeting_url", URL))
        .expect(409);
    assertThat(count("tracked and platform_specific_id = 'abc-defg-hij'")).isEqualTo(1);
  }

  @Test
  void aMeetingNeedsAnIdOrAnAddress() {
    start(new HashMap<>(Map.of("platform", "zoom"))).expect(400);
    Map<String, Object> both = body("google_meet", "abc-defg-hij");
    both.put("meeting_url", "https://meet.google.com/xyz-defg-hij");
    assertThat(start(both).expect(400).json().path("errors").path(0).path("field").asString())
        .isEqualTo("meeting_url");
  }

  @Test
  void aLeapSecondIsNoTimeToStart() {
    Map<String, Object> body = body("google_meet", "abc-defg-hij");
    body.put("start_at", "2016-12-31T23:59:60Z");
    assertThat(start(body).expect(400).json().path("errors").path(0).path("field").asString())
        .isEqualTo("start_at");
  }

  /** A row of an earlier release keeps the spelling that it was stored with. */
  @Test
  void aRowWithAnotherSpellingIsFoundByIt() {
    long meeting =
        start(body("google_meet", "abc-defg-hij")).expect(201).json().path("id").asLong();
    int _ =
        testServer.database.read(
            tx ->
                tx.sql("update meetings set platform_specific_id = 'ABC-DEFG-HIJ' where id = ?")
                    .with(meeting)
                    .update());
    testServer.user(user, "POST", "/bots/stop", body("google_meet", "ABC-DEFG-HIJ")).expect(202);
  }

  @Test
  void liveRowsOfEarlierReleasesTakeTheOneSpelling() throws IOException {
    stored("google_meet", "ABC-DEFG-HIJ", "active");
    stored("google_meet", "Abc-Defg-Hij", "reserved");
    stored("google_meet", "XYZ-DEFG-HIJ", "completed");
    stored("google_meet", "KLM-DEFG-HIJ", "active");
    stored("google_meet", "klm-defg-hij", "active");
    stored("google_meet", "Standup", "active");
    stored("zoom", "123 456-7890", "starting");
    stored("teams", "212 345 678 901", "stopping");
    stored("daily", "123 456 7890", "active");
    String migration;
    try (InputStream file = getClass().getResourceAsStream("/db/migration/V028__meeting_ids.sql")) {
      migration = new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
    for (int run = 0; run < 2; run++) {
      int _ = testServer.database.read(tx -> tx.sql(migration).update());
    }
    List<String> ids =
        testServer.database.read(
            tx ->
                tx.sql("select platform_specific_id from meetings order by id")
                    .list(resultRow -> resultRow.text("platform_specific_id")));
    assertThat(ids)
        .containsExactly(
            "abc-defg-hij",
            "Abc-Defg-Hij",
            "XYZ-DEFG-HIJ",
            "KLM-DEFG-HIJ",
            "klm-defg-hij",
            "Standup",
            "1234567890",
            "212345678901",
            "123 456 7890");
    // Rows inserted by hand have no journal events.
    int _ = testServer.database.read(tx -> tx.sql("delete from meetings").update());
  }

  private void stored(String platform, String id, String status) {
    int _ =
        testServer.database.read(
            tx ->
                tx.sql(
                        """
                        insert into meetings (user_id, platform, platform_specific_id, status)
                        values (?, ?, ?, ?)
                        """)
                    .with(user, platform, id, status)
                    .update());
  }

  private Answered start(Map<String, Object> body) {
    return testServer.user(user, "POST", "/bots/start", body);
  }

  private static Map<String, Object> body(String platform, String id) {
    return new HashMap<>(Map.of("platform", platform, "native_meeting_id", id));
  }

  private long count(String condition) {
    return testServer.database.read(
        tx ->
            tx.sql("select count(*) as number from meetings where " + condition)
                .one(resultRow -> resultRow.longAt("number")));
  }
}
