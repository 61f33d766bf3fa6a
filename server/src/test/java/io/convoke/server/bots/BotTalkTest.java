package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.server.bots.BotsTestServer.Answered;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A bot is told to speak and to write into the chat (bots-29, bots-30). */
class BotTalkTest {
  private static final String SPEAK = "/bots/daily/standup/speak";
  private static final String CHAT = "/bots/daily/standup/chat";
  private static final Map<String, String> HELLO = Map.of("text", "Good morning");
  private static final int HEADER = 44;

  private final BotsTestServer testServer = BotsTestServer.open(new FakeLauncher());
  private final long user = testServer.user(Optional.of(3));
  private long meeting;
  private BotConfig bot;

  @BeforeEach
  void join() {
    meeting = testServer.start(user, "standup").expect(201).json().path("id").asLong();
    bot = testServer.configOf(meeting);
    testServer.started(bot).expect(200);
    testServer.callback(bot, "joined", Map.of()).expect(200);
  }

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void textIsACommandThatRidesOnEveryAnswerUntilItIsAcknowledged() {
    JsonNode given =
        post(SPEAK, Map.of("text", "Good morning", "voice", "en-us")).expect(202).json();
    assertThat(given.path("meeting_id").asLong()).isEqualTo(meeting);
    String id = given.path("command_id").asString();
    for (String callback : List.of("heartbeat", "joined")) {
      JsonNode command = commands(callback).path(0);
      assertThat(command.path("id").asString()).isEqualTo(id);
      assertThat(command.path("action").asString()).isEqualTo("speak");
      assertThat(command.path("text").asString()).isEqualTo("Good morning");
      assertThat(command.path("voice").asString()).isEqualTo("en-us");
    }
    testServer
        .callback(
            bot,
            "ack",
            Map.of(
                "command_id",
                id,
                "not_applied",
                List.of(Map.of("setting", "speak", "reason", "this bot does not speak"))))
        .expect(200);
    assertThat(commands("heartbeat")).isEmpty();
    JsonNode event = events("bot.command_acknowledged").getFirst();
    assertThat(event.path("command_id").asString()).isEqualTo(id);
    assertThat(event.path("not_applied").path(0).path("reason").asString())
        .isEqualTo("this bot does not speak");
    assertThat(events("bot.command_sent").toString()).doesNotContain("Good morning");
  }

  @Test
  void theSoundOfACommandIsFetchedUntilItIsAcknowledged() throws Exception {
    byte[] wav = wav(16_000, 1, SpeechAudio.MAX - HEADER);
    String id = post(SPEAK, sound(wav)).expect(202).json().path("command_id").asString();
    JsonNode command = commands("heartbeat").path(0);
    assertThat(command.path("audio_bytes").asInt()).isEqualTo(wav.length);
    assertThat(command.has("text")).isFalse();
    assertThat(command.toString()).as("the sound itself does not ride along").hasSizeLessThan(200);

    HttpResponse<byte[]> fetched = speech(bot, id);
    assertThat(fetched.statusCode()).isEqualTo(200);
    assertThat(fetched.headers().firstValue("Content-Type")).contains("audio/wav");
    assertThat(fetched.body()).isEqualTo(wav);
    assertThat(speech(bot, UUID.randomUUID().toString()).statusCode()).isEqualTo(404);
    long other = testServer.start(user, "planning").expect(201).json().path("id").asLong();
    BotConfig stranger = testServer.configOf(other);
    testServer.started(stranger).expect(200);
    assertThat(speech(stranger, id).statusCode()).isEqualTo(404);

    testServer.callback(bot, "ack", Map.of("command_id", id)).expect(200);
    assertThat(speech(bot, id).statusCode()).isEqualTo(404);
    assertThat(sounds()).isZero();
  }

  @Test
  void theSoundThatABotDidNotTakeGoesWithItsEnd() throws Exception {
    String id =
        post(SPEAK, sound(wav(16_000, 2, 3200))).expect(202).json().path("command_id").asString();
    assertThat(sounds()).isOne();
    testServer.callback(bot, "exited", Map.of("exit_code", 1)).expect(200);
    assertThat(sounds()).isZero();
    assertThat(speech(bot, id).statusCode()).isEqualTo(410);
  }

  @Test
  void whatIsNeitherTextNorSoundIsRefused() {
    byte[] good = wav(16_000, 1, 3200);
    assertRefused(Map.of(), "either");
    assertRefused(Map.of("text", "a", "audio_base64", encoded(good)), "either");
    assertRefused(Map.of("voice", "en"), "either");
    assertRefused(Map.of("audio_base64", encoded(good), "voice", "en"), "for text only");
    assertRefused(Map.of("text", " "), "blank");
    assertRefused(Map.of("text", ""), "text");
    assertRefused(Map.of("text", "a".repeat(2001)), "text");
    assertRefused(Map.of("audio_base64", "not base64!"), "not base64");
    assertRefused(sound("RIFF".getBytes(StandardCharsets.ISO_8859_1)), "not a WAV");
    assertRefused(sound(new byte[4000]), "not a WAV");
    assertRefused(sound(wav(4000, 1, 3200)), "not a WAV");
    assertRefused(sound(wav(96_000, 1, 3200)), "not a WAV");
    assertRefused(sound(wav(16_000, 3, 3200)), "not a WAV");
    assertRefused(sound(wav(16_000, 1, 0)), "not a WAV");
    byte[] eightBits = wav(16_000, 1, 3200);
    eightBits[34] = 8;
    assertRefused(sound(eightBits), "not a WAV");
    assertRefused(sound(wav(16_000, 1, SpeechAudio.MAX)), "audio_base64");
    assertThat(post(SPEAK, sound(wav(16_000, 1, 2 << 20))).expect(413).code())
        .isEqualTo("too_large");
    assertThat(commands("heartbeat")).isEmpty();
    post(SPEAK, Map.of("text", "a".repeat(2000))).expect(202);
  }

  @Test
  void chatIsACommandToo() {
    for (Map<String, String> bad :
        List.of(
            Map.<String, String>of(),
            Map.of("text", ""),
            Map.of("text", "\n"),
            Map.of("text", "a".repeat(2001)))) {
      post(CHAT, bad).expect(400);
    }
    String id = post(CHAT, HELLO).expect(202).json().path("command_id").asString();
    JsonNode command = commands("heartbeat").path(0);
    assertThat(command.path("id").asString()).isEqualTo(id);
    assertThat(command.path("action").asString()).isEqualTo("chat");
    assertThat(command.path("text").asString()).isEqualTo("Good morning");
  }

  @Test
  void theSameRequestWithTheSameKeyIsSaidOnce() {
    List<String> header = List.of("X-API-Key", "user-" + user, "Idempotency-Key", "morning");
    String first = testServer.call("POST", SPEAK, header, HELLO).expect(202).body();
    assertThat(testServer.call("POST", SPEAK, header, HELLO).expect(202).body()).isEqualTo(first);
    assertThat(commands("heartbeat")).hasSize(1);
  }

  @Test
  void onlyABotInItsMeetingIsTold() {
    post("/bots/daily/nowhere/speak", HELLO).expect(404);
    post("/bots/fax/standup/speak", HELLO).expect(400);
    long waiting = testServer.start(user, "later").expect(201).json().path("id").asLong();
    assertThat(post("/bots/daily/later/speak", HELLO).expect(409).code())
        .isEqualTo("bot_not_in_meeting");
    testServer.started(testServer.configOf(waiting)).expect(200);
    assertThat(post("/bots/daily/later/chat", HELLO).expect(409).code())
        .isEqualTo("bot_not_in_meeting");
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
    assertThat(post(SPEAK, HELLO).expect(409).code()).isEqualTo("bot_not_in_meeting");
    testServer.callback(bot, "exited", Map.of("exit_code", 0)).expect(200);
    Answered over = post(SPEAK, HELLO).expect(409);
    assertThat(over.code()).isEqualTo("meeting_over");
    assertThat(over.json().path("meeting_status").asString()).isEqualTo("completed");
  }

  @Test
  void anotherUsersBotIsNotThere() {
    long other = testServer.user(Optional.of(1));
    testServer.user(other, "POST", SPEAK, HELLO).expect(404);
    testServer.user(other, "POST", CHAT, HELLO).expect(404);
    List<String> admin = List.of("X-Admin-API-Key", "the-admin-key");
    testServer.call("POST", SPEAK + "?user_id=" + other, admin, HELLO).expect(404);
    testServer.call("POST", SPEAK + "?user_id=" + user, admin, HELLO).expect(202);
    assertThat(commands("heartbeat")).hasSize(1);
  }

  @Test
  void botsOfVexasImageTakeNeither() {
    testServer.database.run(tx -> BotStore.speaks(tx, meeting, BotProtocol.VEXA));
    assertThat(post(SPEAK, HELLO).expect(409).code()).isEqualTo("not_for_this_bot");
    assertThat(post(CHAT, HELLO).expect(409).code()).isEqualTo("not_for_this_bot");
  }

  @Test
  void aBotThatAcknowledgesNothingIsToldSoMuchAndNoMore() {
    for (int i = 0; i < BotCommandQueue.PENDING_MAX; i++) {
      post(CHAT, HELLO).expect(202);
    }
    assertThat(post(CHAT, HELLO).expect(429).code()).isEqualTo("too_many_commands");
  }

  private void assertRefused(Map<String, String> body, String why) {
    Answered answered = post(SPEAK, body).expect(400);
    assertThat(answered.json().path("errors").toString()).contains(why);
  }

  private Answered post(String path, Map<String, String> body) {
    return testServer.user(user, "POST", path, body);
  }

  private JsonNode commands(String callback) {
    return testServer.callback(bot, callback, Map.of()).expect(200).json().path("commands");
  }

  private HttpResponse<byte[]> speech(BotConfig of, String id) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
          HttpRequest.newBuilder(URI.create(testServer.url() + "/callback/speech/" + id))
              .header("Authorization", "Bearer " + of.token())
              .build(),
          HttpResponse.BodyHandlers.ofByteArray());
    }
  }

  private long sounds() {
    return testServer.database.read(
        tx ->
            tx.sql("select count(*) as n from bot_commands where audio is not null")
                .one(row -> row.longAt("n")));
  }

  private List<JsonNode> events(String type) {
    return testServer.database.read(
        tx ->
            tx.sql("select data from events where type = ? and subject = ? order by seq")
                .with(type, "meeting:" + meeting)
                .list(row -> row.json("data")));
  }

  private static Map<String, String> sound(byte[] wav) {
    return Map.of("audio_base64", encoded(wav));
  }

  private static String encoded(byte[] wav) {
    return Base64.getEncoder().encodeToString(wav);
  }

  /** A file with so many bytes of silence. */
  private static byte[] wav(int rate, int channels, int bytes) {
    ByteBuffer file = ByteBuffer.allocate(HEADER + bytes).order(ByteOrder.LITTLE_ENDIAN);
    file.put("RIFF".getBytes(StandardCharsets.ISO_8859_1)).putInt(36 + bytes);
    file.put("WAVEfmt ".getBytes(StandardCharsets.ISO_8859_1)).putInt(16);
    file.putShort((short) 1).putShort((short) channels).putInt(rate);
    file.putInt(rate * channels * 2).putShort((short) (channels * 2)).putShort((short) 16);
    file.put("data".getBytes(StandardCharsets.ISO_8859_1)).putInt(bytes);
    return file.array();
  }
}
