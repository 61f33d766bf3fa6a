package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.json.Json;
import io.convoke.engine.redis.Redis;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.launch.Await;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Which words count that come by Redis, and how often. */
class VexaStreamTest {
  private final EmbeddedRedis redis = LocalStores.forTests().ownRedis();
  private final String databaseUrl = MigratedDatabase.url();
  private final SecretBox secrets = SecretBox.of(SecretBox.newKey());
  private final FakeLauncher launcher = new FakeLauncher();
  private BotsTestServer node;
  private Redis bot;
  private long user;
  private long meeting;

  @BeforeEach
  void open() {
    node = node();
    bot = Redis.open(redis.url());
    user = node.user(Optional.of(5));
    meeting = start("abc-defg-hij");
  }

  @AfterEach
  void close() throws Exception {
    bot.close();
    node.close();
    redis.close();
  }

  @Test
  void theTokenDecidesWhoseWordsTheyAre() {
    long other = start("klm-nopq-rst");
    String token = node.configOf(meeting).token();
    say("", meeting, 1, "without a token");
    say("cvb_1_1_nonsense", meeting, 2, "with a made-up one");
    say(token.substring(0, token.length() - 1) + "!", meeting, 3, "with a changed one");
    say(node.configOf(other).token(), meeting, 4, "with that of another bot");
    say(token, other, 5, "with its own");
    Await.until("the last of them", () -> lines(meeting).size() == 1);
    assertThat(lines(meeting)).containsExactly("with its own");
    assertThat(lines(other)).containsExactly("with that of another bot");
  }

  @Test
  void aLaunchThatIsNotThePresentOneSaysNothing() {
    String token = node.configOf(meeting).token();
    int _ =
        node.database.read(
            tx ->
                tx.sql(
                        "update meetings set attempt = 2, connection_id = gen_random_uuid()::text"
                            + " where id = ?")
                    .with(meeting)
                    .update());
    long other = start("klm-nopq-rst");
    say(token, meeting, 1, "from before");
    say(node.configOf(other).token(), other, 2, "now");
    Await.until("the later one", () -> lines(other).size() == 1);
    assertThat(lines(meeting)).isEmpty();
  }

  @Test
  void nodesThatReadTheSameStreamStoreEachEntryOnce() throws Exception {
    String token = node.configOf(meeting).token();
    try (BotsTestServer _ = node()) {
      IntStream.range(0, 60).forEach(i -> say(token, meeting, i, "line " + i));
      Await.until("all of them", () -> lines(meeting).size() == 60);
    }
    say(token, meeting, 60, "the last");
    Await.until("the last", () -> lines(meeting).size() == 61);
    assertThat(told()).as("live, each once").isEqualTo(61);
    Await.until(
        "the trimmed stream",
        () ->
            bot.call(VexaStreamReader.WORDS, commands -> commands.xlen(VexaStreamReader.WORDS))
                <= 1);
  }

  @Test
  void wordsWaitWhileNoServerRuns() throws Exception {
    String token = node.configOf(meeting).token();
    node.close();
    say(token, meeting, 1, "in the meantime");
    node = node();
    Await.until("them", () -> lines(meeting).size() == 1);
  }

  /** Release 0.12 sends a segment again once it knows the speaker. */
  @Test
  void aSegmentThatIsNamedLaterKeepsItsIdAndItsCorrectionAndNoOtherIsToldAgain() {
    String token = node.configOf(meeting).token();
    say(token, segment("s-1", 1, "helo", Optional.empty()));
    say(token, segment("s-2", 2, "and on", Optional.empty()));
    Await.until("both", () -> lines(meeting).size() == 2);
    long id = segments().path(0).path("id").asLong();
    var _ =
        node.user(
                user,
                "PATCH",
                "/transcripts/" + meeting + "/segments/" + id,
                Map.of("text", "hello"))
            .expect(200);

    say(token, segment("s-1", 1, "helo", Optional.of("Ada")));
    Await.until("the name", () -> segments().path(0).path("speaker").asString("").equals("Ada"));
    assertThat(segments().path(0).path("id").asLong()).isEqualTo(id);
    assertThat(lines(meeting)).containsExactly("hello", "and on");
    assertThat(told()).as("two, the correction and the name").isEqualTo(4);

    say(token, segment("s-1", 1, "helo", Optional.of("Grace")));
    Await.until("another", () -> segments().path(0).path("speaker").asString("").equals("Grace"));
    assertThat(segments().path(0).path("id").asLong()).isEqualTo(id);
    assertThat(told()).isEqualTo(5);
  }

  private BotsTestServer node() {
    BotsTestServer server =
        BotsTestServer.node(
            databaseUrl,
            redis.url(),
            secrets,
            BotsTestServer.freePort(),
            launcher,
            terms -> terms.speaking(BotProtocol.VEXA, Map.of()));
    server.bots.start();
    return server;
  }

  private long start(String nativeId) {
    long id =
        node.user(
                user,
                "POST",
                "/bots/start",
                Map.of("platform", "google_meet", "native_meeting_id", nativeId))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    Await.until("the launch", () -> node.row(id).handle().isPresent());
    return id;
  }

  private void say(String token, long about, int number, String text) {
    say(
        token,
        about,
        Map.of(
            "start",
            number,
            "end",
            number + 0.5,
            "text",
            text,
            "completed",
            true,
            "speaker",
            "Ada"));
  }

  private void say(String token, Map<String, Object> segment) {
    say(token, meeting, segment);
  }

  private void say(String token, long about, Map<String, Object> segment) {
    Map<String, Object> payload = new HashMap<>();
    payload.put("type", "transcription");
    payload.put("token", token);
    payload.put("uid", "a-connection");
    payload.put("meeting_id", Long.toString(about));
    payload.put("segments", List.of(segment));
    String _ =
        bot.call(
            VexaStreamReader.WORDS,
            commands -> commands.xadd(VexaStreamReader.WORDS, "payload", Json.write(payload)));
  }

  private static Map<String, Object> segment(
      String id, int number, String text, Optional<String> speaker) {
    Map<String, Object> segment = new HashMap<>();
    segment.put("segment_id", id);
    segment.put("start", number);
    segment.put("end", number + 0.5);
    segment.put("text", text);
    segment.put("completed", true);
    speaker.ifPresent(name -> segment.put("speaker", name));
    return segment;
  }

  private JsonNode segments() {
    return node.get(user, "/transcripts/" + meeting).expect(200).json().path("segments");
  }

  private List<String> lines(long of) {
    return node.get(user, "/transcripts/" + of)
        .expect(200)
        .json()
        .path("segments")
        .valueStream()
        .map(line -> line.path("text").asString())
        .toList();
  }

  private long told() {
    return node.database.read(
        tx ->
            tx.sql(
                    """
                    select coalesce(sum(jsonb_array_length(data -> 'segments')), 0) as n
                    from events where type = 'transcript.segments'
                    """)
                .one(row -> row.longAt("n")));
  }
}
