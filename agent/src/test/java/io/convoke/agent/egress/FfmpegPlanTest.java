package io.convoke.agent.egress;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.egress.EgressRequest.EgressKind;
import io.convoke.agent.egress.EgressRequest.EgressLayout;
import io.convoke.agent.egress.EgressRequest.EgressParseResult;
import io.convoke.agent.egress.JanusForwarder.Forward;
import io.convoke.agent.egress.JanusForwarder.PortPair;
import io.convoke.agent.egress.JanusForwarder.Publisher;
import io.convoke.engine.json.Json;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FfmpegPlanTest {
  private static final Publisher ADA = new Publisher("a", "Ada");
  private static final Publisher BEN = new Publisher("b", "Ben");
  private static final Publisher CEM = new Publisher("c", "Cem");

  private static FfmpegPlan plan(EgressKind kind) {
    return plan(kind, EgressLayout.GRID);
  }

  private static FfmpegPlan plan(EgressKind kind, EgressLayout layout) {
    return plan(kind, layout, List.of(ADA, BEN));
  }

  /** All of their streams but a picture of Ben's, and none of others. */
  private static FfmpegPlan plan(EgressKind kind, EgressLayout layout, List<Publisher> publishers) {
    return new FfmpegPlan(
        new EgressRequest(kind, layout, Duration.ofSeconds(5), "secret"),
        "10.0.0.7",
        publishers,
        List.of(
            new Forward(ADA, false, new PortPair(5000), 1, 0),
            new Forward(ADA, true, new PortPair(5002), 2, 6000),
            new Forward(BEN, false, new PortPair(5004), 3, 0)));
  }

  private static EgressParseResult read(String payload) {
    return EgressRequest.read(Json.read(payload));
  }

  @Test
  void streamsAreDescribedInTheirOrder() {
    assertThat(plan(new EgressKind.StreamRoom()).sdp().lines())
        .containsSubsequence(
            "c=IN IP4 10.0.0.7",
            "m=audio 5000 RTP/AVP 111",
            "a=rtpmap:111 opus/48000/2",
            "a=rtcp:5001",
            "m=video 5002 RTP/AVP 96",
            "m=audio 5004 RTP/AVP 111");
  }

  @Test
  void whatFfmpegSaysOfAPushTellsItsServerAndNoKey() {
    FfmpegPlan push =
        plan(new EgressKind.PushRoom(URI.create("rtmp://ada:pw@a.example:1935/live/k-123456?s=1")));
    assertThat(push.redacted("rtmp://ada:pw@a.example:1935/live/k-123456?s=1: Input/output error"))
        .isEqualTo("rtmp://a.example:1935: Input/output error");
    assertThat(push.redacted("Server error: live/k-123456 is published already"))
        .isEqualTo("Server error: live/*** is published already");
    assertThat(push.redacted("Error opening rtmp://ada:pw@a.example:1935/live/k-1"))
        .isEqualTo("Error opening rtmp://a.example:1935");
    FfmpegPlan other = plan(new EgressKind.PushRoom(URI.create("srt://h:9?passphrase=0123456789")));
    assertThat(other.redacted("srt://h:9?passphrase=0123456789: refused"))
        .isEqualTo("srt://h:9: refused");
    assertThat(other.redacted("Option passphrase=0123456789 is refused"))
        .isEqualTo("Option passphrase=*** is refused");
    FfmpegPlan deep =
        plan(new EgressKind.PushRoom(URI.create("rtmp://h/live/room/k-123456?txSecret=abcdef0")));
    assertThat(deep.redacted("Server error: k-123456?txSecret=abcdef0 is published"))
        .isEqualTo("Server error: ***?txSecret=*** is published");
  }

  @Test
  void aKeyHasSixCharactersAtLeastAndAnAddressThatWasCutMayBeAllOfTheLine() {
    FfmpegPlan push = plan(new EgressKind.PushRoom(URI.create("rtmp://h:1/abcde/k12345")));
    assertThat(push.redacted("Server error: abcde/k12345 is published"))
        .isEqualTo("Server error: abcde/*** is published");
    assertThat(push.redacted("rtmp://h:1/abcde/k1")).isEqualTo("rtmp://h:1");
  }

  @Test
  void onlyAPushHasAKey() {
    for (EgressKind kind :
        List.<EgressKind>of(
            new EgressKind.RecordRoom(),
            new EgressKind.StreamRoom(),
            new EgressKind.PictureRoom())) {
      assertThat(plan(kind).redacted("rtmp://h/live/k-123456")).isEqualTo("rtmp://h/live/k-123456");
    }
  }

  @Test
  void whoHasNoPictureIsABlackTileAndSoundIsMixed() {
    assertThat(plan(new EgressKind.StreamRoom()).filters())
        .contains("[0:1]fps=15", "color=black:s=640x720", "xstack=inputs=2:layout=0_0|640_0")
        .contains("[s0][s1]amix=inputs=2")
        .doesNotContain("asplit");
    assertThat(plan(new EgressKind.RecordRoom()).filters()).contains("asplit[s1][v1]");
  }

  @Test
  void threeAreInTwoRows() {
    assertThat(
            plan(new EgressKind.StreamRoom(), EgressLayout.GRID, List.of(ADA, BEN, CEM)).filters())
        .contains("color=black:s=640x360")
        .contains("[t0][t1][t2]xstack=inputs=3:layout=0_0|640_0|0_360:fill=black,scale=1280:720");
  }

  @Test
  void picturesComeAtTheirIntervalAndHaveNoSound() {
    assertThat(plan(new EgressKind.PictureRoom()).filters())
        .contains("gte(t-prev_selected_t\\,5.000)'[pictures];")
        .endsWith("[s0][s1]amix=inputs=2:normalize=0:dropout_transition=0,anullsink");
    assertThat(plan(new EgressKind.PictureRoom(), EgressLayout.GRID, List.of(CEM)).filters())
        .endsWith("anullsrc=r=48000:cl=stereo,arealtime,anullsink");
  }

  @Test
  void whatIsRecordedHasSoundAlsoWhereAllAreSilent() {
    assertThat(plan(new EgressKind.StreamRoom()).filters())
        .endsWith("[s0][s1]amix=inputs=2:normalize=0:dropout_transition=0[sound]");
    assertThat(plan(new EgressKind.StreamRoom(), EgressLayout.GRID, List.of(CEM)).filters())
        .endsWith("anullsrc=r=48000:cl=stereo,arealtime[sound]");
  }

  @Test
  void soundSetsThePaceOfBlackTilesWhereItIsRecorded() {
    assertThat(plan(new EgressKind.RecordRoom()).filters()).doesNotContain("realtime");
    assertThat(plan(new EgressKind.StreamRoom()).filters()).doesNotContain("realtime");
    assertThat(plan(new EgressKind.PictureRoom()).filters()).contains("r=15,realtime[t1]");
    assertThat(
            new FfmpegPlan(
                    new EgressRequest(
                        new EgressKind.RecordRoom(),
                        EgressLayout.GRID,
                        Duration.ofSeconds(5),
                        "secret"),
                    "10.0.0.7",
                    List.of(ADA, BEN),
                    List.of(new Forward(ADA, true, new PortPair(5002), 2, 6000)))
                .filters())
        .contains("r=15,realtime[t1]");
  }

  @Test
  void whoSpeaksHasAllOfThePictureIfThatIsAskedFor() {
    assertThat(plan(new EgressKind.RecordRoom(), EgressLayout.SPEAKER).filters())
        .contains("[t0][t1]streamselect@focus=inputs=2:map=0[picture]", "color=black:s=1280x720")
        .doesNotContain("xstack");
  }

  @Test
  void oneIsChosenWhereThereAreSeveral() {
    EgressKind kind = new EgressKind.RecordRoom();
    assertThat(plan(kind, EgressLayout.SPEAKER).selects()).isTrue();
    assertThat(plan(kind, EgressLayout.SPEAKER, List.of(ADA)).selects()).isFalse();
    assertThat(plan(kind, EgressLayout.GRID).selects()).isFalse();
  }

  @Test
  void eachKindHasItsOutput() {
    assertThat(plan(new EgressKind.RecordRoom()).arguments())
        .contains("segment-%05d.ts", "voice-0-%05d.ogg", "voice-1-%05d.ogg")
        .contains("voice-0.csv", "voice-1.csv");
    assertThat(plan(new EgressKind.StreamRoom()).arguments())
        .containsSequence("-map", "[picture]", "-map", "[sound]", "-c:v", "libx264")
        .contains("segment-%05d.ts")
        .doesNotContain("voice-0-%05d.ogg");
    assertThat(plan(new EgressKind.PictureRoom()).arguments())
        .contains("picture-%05d.png")
        .doesNotContain("libx264");
    assertThat(plan(new EgressKind.PushRoom(URI.create("srt://h:1"))).arguments())
        .endsWith("-f", "mpegts", "srt://h:1");
  }

  @Test
  void aPayloadIsCheckedBeforeAnythingRuns() {
    assertThat(read("{\"kind\": \"record\", \"access_token\": \"s\"}"))
        .isEqualTo(
            new EgressParseResult.ValidEgressRequest(
                new EgressRequest(
                    new EgressKind.RecordRoom(), EgressLayout.GRID, Duration.ofSeconds(20), "s")));
    for (String wrong :
        List.of(
            "{\"kind\": \"film\", \"access_token\": \"s\"}",
            "{\"kind\": \"push\", \"access_token\": \"s\"}",
            "{\"kind\": \"push\", \"access_token\": \"s\", \"url\": \"file:///etc/passwd\"}",
            "{\"kind\": \"push\", \"access_token\": \"s\", \"url\": \"rtmp://h/a|b\"}",
            "{\"kind\": \"push\", \"access_token\": \"s\", \"url\": \"rtmp://h/live/k^y\"}",
            "{\"kind\": \"snapshots\", \"access_token\": \"s\", \"interval_in_ms\": 10}",
            "{\"kind\": \"record\", \"access_token\": \"s\", \"layout\": \"star\"}",
            "{\"kind\": \"record\"}")) {
      assertThat(read(wrong)).as(wrong).isInstanceOf(EgressParseResult.InvalidEgressRequest.class);
    }
  }

  @Test
  void aPushThatRanForAWhileReachedItsTarget() {
    EgressKind push = new EgressKind.PushRoom(URI.create("rtmp://127.0.0.1/live"));
    assertThat(EgressPart.flows(push, false, Duration.ofSeconds(9))).isFalse();
    assertThat(EgressPart.flows(push, false, Duration.ofSeconds(10))).isTrue();
    EgressKind film = new EgressKind.RecordRoom();
    assertThat(EgressPart.flows(film, false, Duration.ofHours(1))).isFalse();
    assertThat(EgressPart.flows(film, true, Duration.ZERO)).isTrue();
  }
}
