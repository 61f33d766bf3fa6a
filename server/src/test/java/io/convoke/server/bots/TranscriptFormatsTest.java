package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.server.bots.BotsTestServer.Answered;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A transcript is exported as WebVTT, SubRip, text and Markdown (transcripts-1 to transcripts-4).
 */
class TranscriptFormatsTest {
  private final BotsTestServer testServer = BotsTestServer.open(new FakeLauncher());
  private long user;
  private long meeting;
  private BotConfig bot;

  @BeforeEach
  void start() {
    user = testServer.user(Optional.of(3));
    meeting = testServer.start(user, "standup").expect(201).json().path("id").asLong();
    bot = testServer.configOf(meeting);
    testServer.started(bot).expect(200);
    send(61.5, 63, "Ada", "Profit & loss");
    send(63, 64.25, "Björn", "Größer <als>");
  }

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void everyFormatHasItsContentTypeAndText() {
    Answered vtt = export("vtt");
    assertThat(vtt.header("Content-Type")).contains("text/vtt; charset=utf-8");
    assertThat(vtt.header("Content-Disposition"))
        .contains("inline; filename=\"meeting-" + meeting + ".vtt\"");
    assertThat(vtt.body())
        .isEqualTo(
            """
            WEBVTT

            00:01:01.500 --> 00:01:03.000
            <v Ada>Profit &amp; loss</v>

            00:01:03.000 --> 00:01:04.250
            <v Björn>Größer &lt;als&gt;</v>
            """);
    Answered srt = export("srt");
    assertThat(srt.header("Content-Type")).contains("application/x-subrip; charset=utf-8");
    assertThat(srt.body())
        .startsWith("1\n00:01:01,500 --> 00:01:03,000\nAda: Profit & loss\n\n2\n");
    Answered txt = export("txt");
    assertThat(txt.header("Content-Type")).contains("text/plain; charset=utf-8");
    assertThat(txt.body()).contains("[00:01:03] Björn: Größer <als>\n");
    Answered md = export("md");
    assertThat(md.header("Content-Type")).contains("text/markdown; charset=utf-8");
    assertThat(md.body())
        .startsWith("# Transcript of meeting " + meeting + " (")
        .contains("**Ada** (00:01:01): Profit \\& loss\n")
        .contains("**Björn** (00:01:03): Größer \\<als\\>\n");
    assertThat(export("json").json()).isEqualTo(get("").json());
  }

  @Test
  void unknownFormatsAreRefusedAndStrangersFindNoMeeting() {
    testServer.get(user, "/transcripts/" + meeting + "?format=docx").expect(400);
    testServer.get(user, "/transcripts/" + meeting + "?format=").expect(400);
    long other = testServer.user(Optional.of(1));
    testServer.get(other, "/transcripts/" + meeting + "?format=vtt").expect(404);
    testServer.get(user, "/transcripts/987654321?format=vtt").expect(404);
  }

  @Test
  void anUnchangedTranscriptIsNotSentAgain() {
    for (String format : List.of("json", "vtt")) {
      String path = "/transcripts/" + meeting + "?format=" + format;
      String tag = export(format).header("ETag").orElseThrow();
      List<String> credentials = List.of("X-API-Key", "user-" + user, "If-None-Match", "W/" + tag);
      assertThat(testServer.call("GET", path, credentials, Map.of()).expect(304).body()).isEmpty();
      send(70 + format.length(), 80, "Ada", "More for " + format);
      testServer.call("GET", path, credentials, Map.of()).expect(200);
    }
  }

  /** A second bot in the meeting began a minute later. */
  @Test
  void sessionsArePutOnOneTimeUnlessOneIsAskedFor() {
    testServer.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into meeting_sessions (meeting_id, session_uid, session_start_time)
                      select meeting_id, 'a-second', session_start_time + interval '60 seconds'
                      from meeting_sessions where meeting_id = ?
                      """)
                  .with(meeting)
                  .update();
          int _ =
              tx.sql(
                      """
                      insert into transcriptions
                        (meeting_id, session_uid, start_time, end_time, text, speaker)
                      values (?, 'a-second', 2, 3, 'Between', 'Cem')
                      """)
                  .with(meeting)
                  .update();
        });
    assertThat(export("txt").body().lines())
        .containsExactly(
            "[00:01:01] Ada: Profit & loss",
            "[00:01:02] Cem: Between",
            "[00:01:03] Björn: Größer <als>");
    assertThat(get("?format=txt&session_uid=a-second").body())
        .isEqualTo("[00:00:02] Cem: Between\n");
    assertThat(get("?session_uid=a-second").json().path("segments")).hasSize(1);
  }

  @Test
  void aDocumentOfSeveralPagesNamesTheNextOne() {
    Answered first = get("?format=txt&limit=1");
    assertThat(first.body()).contains("Ada").doesNotContain("Björn");
    Answered second =
        get("?format=txt&limit=1&cursor=" + first.header("Next-Cursor").orElseThrow());
    assertThat(second.body()).contains("Björn").doesNotContain("Ada");
    assertThat(second.header("Next-Cursor")).isEmpty();
  }

  private void send(double start, double end, String speaker, String text) {
    Answered _ =
        testServer
            .callback(
                bot,
                "transcript",
                Map.of(
                    "segments",
                    List.of(Map.of("start", start, "end", end, "speaker", speaker, "text", text))))
            .expect(200);
  }

  private Answered export(String format) {
    return get("?format=" + format);
  }

  private Answered get(String query) {
    return testServer.get(user, "/transcripts/" + meeting + query).expect(200);
  }
}
