package io.convoke.chaos.rooms;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.rooms.RoomHistory.EgressStory;
import io.convoke.chaos.rooms.RoomHistory.EncoderBreak;
import io.convoke.chaos.rooms.RoomHistory.PlayedFile;
import io.convoke.chaos.rooms.RoomHistory.ReportedGap;
import io.convoke.chaos.rooms.RoomHistory.RoomVisit;
import io.convoke.chaos.rooms.RoomHistory.ShownSession;
import io.convoke.chaos.rooms.RoomHistory.StoredSegment;
import io.convoke.chaos.rooms.RoomHistory.TranscriptLine;
import io.convoke.chaos.rooms.RoomMachine.TranscribedLine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each rule finds what breaks it in a history made by hand, and nothing in a good one. */
final class RoomCheckerTest {
  private static final RoomVisit ADA = new RoomVisit("Ada", at(0), at(1), at(60), at(61));
  private static final ShownSession HERS =
      new ShownSession("s-1", "Ada", at(0.5), Optional.of(at(60.5)));
  private static final String SAID = "we sell the boat on monday";
  private static final TranscriptLine LIVE = line("bot", "Ada", SAID);
  private static final TranscriptLine RECORDED = line("recording:r", "Ada", SAID);
  private static final TranscriptLine LAST = line("recording:bot-1", "Ada", "nothing grows");
  private static final ReportedGap GAP = new ReportedGap(at(28), at(34), "lost");
  private static final EncoderBreak KILL = new EncoderBreak("killed", at(2), at(30), at(33));
  private static final StoredSegment BEFORE = new StoredSegment("1", at(2), at(28));
  private static final StoredSegment AFTER = new StoredSegment("2", at(34), at(61));
  private static final PlayedFile FILE = file("recording.mp4", 53, 53.2);
  private static final PlayedFile HER_VOICE = voice("Ada", SAID);
  private static final PlayedFile HIS_VOICE = voice("Ben", "it never rains");
  private static final PlayedFile LAST_VOICE = voice("Ada", "nothing grows");

  private static Instant at(double seconds) {
    return Instant.parse("2026-03-02T09:00:00Z").plusMillis(Math.round(seconds * 1000));
  }

  private static PlayedFile file(String name, double told, double played) {
    return new PlayedFile(name, Optional.empty(), told, Optional.of(played), List.of());
  }

  private static PlayedFile voice(String speaker, String... heard) {
    return new PlayedFile(
        "speaker-01.ogg", Optional.of(speaker), 50, Optional.of(50.0), List.of(heard));
  }

  private Map<String, List<String>> sentences =
      Map.of(
          "Ada",
          List.of("We sell the boat on Monday."),
          "Ben",
          List.of("It never rains."),
          RoomPlan.NAMESAKE,
          List.of("Nothing grows."));

  private static TranscriptLine line(String session, String speaker, String text) {
    return new TranscriptLine(session, speaker, text, 30);
  }

  private List<ShownSession> sessions = List.of(HERS);
  private List<TranscribedLine> heard = List.of(new TranscribedLine(at(10), 7, SAID));
  private List<TranscriptLine> transcript = List.of(LIVE, RECORDED, LAST);
  private Map<Long, Instant> killed = Map.of();
  private List<ReportedGap> gaps = List.of(GAP);
  private List<EncoderBreak> breaks = List.of(KILL);
  private List<PlayedFile> files = List.of(FILE, HER_VOICE, HIS_VOICE, LAST_VOICE);
  private Map<Long, String> bots = Map.of(3L, "completed");
  private List<StoredSegment> segments = List.of(BEFORE, AFTER);
  private String state = "SUCCESS";
  private Instant last = at(61);
  private List<FaultWindow> windows = List.of();

  private RoomHistory history() {
    return new RoomHistory(
        sentences,
        List.of(ADA),
        List.of(),
        sessions,
        List.of(),
        heard,
        at(9),
        List.of(SAID),
        transcript,
        Duration.ofSeconds(60),
        killed,
        bots,
        new EgressStory(state, gaps, breaks, List.of(), segments, last, at(60)),
        files,
        Map.of("r", "done"),
        List.of(),
        new AvailabilityRule.Calls(List.of(), windows, Set.of(), false));
  }

  private List<ViolationKind> presence() {
    return new RoomPresenceRule().check(history()).stream().map(it -> it.kind()).toList();
  }

  private List<ViolationKind> recording() {
    return new EgressGapRule().check(history()).stream().map(it -> it.kind()).toList();
  }

  private List<ViolationKind> voices() {
    return new SpeakerFileRule().check(history()).stream().map(it -> it.kind()).toList();
  }

  private List<ViolationKind> ends() {
    return new ProcessEndRule().check(history()).stream().map(it -> it.kind()).toList();
  }

  private List<ViolationKind> words() {
    return new SpokenLineRule().check(history()).stream().map(it -> it.kind()).toList();
  }

  @Test
  void aGoodHistoryBreaksNoRule() {
    assertThat(presence()).isEmpty();
    assertThat(recording()).isEmpty();
    assertThat(words()).isEmpty();
    assertThat(voices()).isEmpty();
    assertThat(ends()).isEmpty();
  }

  @Test
  void aVisitIsOneSessionWithItsTimes() {
    sessions = List.of();
    assertThat(presence()).containsExactly(ViolationKind.LOST);
    sessions = List.of(HERS, HERS);
    assertThat(presence()).containsExactly(ViolationKind.INVENTED);
    sessions = List.of(new ShownSession("s-1", "Ada", at(0.5), Optional.empty()));
    assertThat(presence()).containsExactly(ViolationKind.OPEN);
    sessions = List.of(new ShownSession("s-1", "Ada", at(0.5), Optional.of(at(70))));
    assertThat(presence()).containsExactly(ViolationKind.INTERVAL);
    windows = List.of(new FaultWindow("kill", "JANUS", at(58), at(62)));
    assertThat(presence()).isEmpty();
  }

  @Test
  void aKilledEncoderIsToldAsAGapToTheSecond() {
    gaps = List.of();
    assertThat(recording()).contains(ViolationKind.GAP);
    gaps = List.of(new ReportedGap(at(23), at(34), "lost"));
    assertThat(recording()).contains(ViolationKind.GAP);
    gaps = List.of(new ReportedGap(at(28), at(31), "lost"));
    assertThat(recording()).contains(ViolationKind.GAP);
    gaps = List.of(GAP, new ReportedGap(at(50), at(55), "no cause"));
    assertThat(recording()).contains(ViolationKind.GAP);
  }

  @Test
  void aKilledEncoderWhoseSegmentsMeetNeedsNoGap() {
    gaps = List.of();
    segments =
        List.of(new StoredSegment("1", at(2), at(30.7)), new StoredSegment("2", at(32.1), at(61)));
    files = List.of(file("recording.mp4", 57.5, 57.5));
    assertThat(recording()).isEmpty();
    segments =
        List.of(new StoredSegment("1", at(2), at(30.5)), new StoredSegment("2", at(32.1), at(61)));
    assertThat(recording()).containsExactly(ViolationKind.GAP);
    segments = List.of(new StoredSegment("1", at(2), at(30.7)));
    assertThat(recording()).containsExactly(ViolationKind.GAP);
  }

  @Test
  void aFileIsAsLongAsToldAndReachesTheEnd() {
    files = List.of(file("speaker-01.ogg", 20, 86.7));
    assertThat(recording()).containsExactly(ViolationKind.ILLEGAL);
    files =
        List.of(
            new PlayedFile("speaker-01.ogg", Optional.of("Ada"), 20, Optional.empty(), List.of()));
    assertThat(recording()).containsExactly(ViolationKind.ILLEGAL);
    files = List.of(file("recording.mp4", 40, 40.0));
    assertThat(recording()).containsExactly(ViolationKind.GAP);
    files = List.of(file("speaker-01.ogg", 20, 20.0));
    last = at(54);
    assertThat(recording()).containsExactly(ViolationKind.GAP);
    state = "RUNNING";
    assertThat(recording()).containsExactly(ViolationKind.OPEN);
  }

  @Test
  void aLineIsInTheTranscriptUnderTheNameOfTheOneWhoSaidIt() {
    transcript = List.of(RECORDED, LAST);
    assertThat(words()).containsExactly(ViolationKind.LOST);
    killed = Map.of(7L, at(12));
    assertThat(words()).isEmpty();
    killed = Map.of(7L, at(20));
    assertThat(words()).containsExactly(ViolationKind.LOST);
    killed = Map.of();
    heard = List.of();
    assertThat(words()).containsExactly(ViolationKind.LOST);
    heard = List.of(new TranscribedLine(at(10), 7, SAID));
    transcript = List.of(LIVE, LAST);
    assertThat(words()).containsExactly(ViolationKind.LOST);
    TranscriptLine notHis = line("bot", "Ben", SAID);
    transcript = List.of(LIVE, RECORDED, LAST, notHis);
    assertThat(words()).containsExactly(ViolationKind.ILLEGAL);
    TranscriptLine his = line("bot", "Ben", "it never rains");
    transcript = List.of(LIVE, RECORDED, LAST, his, notHis);
    assertThat(words()).as("a cut sentence").isEmpty();
    transcript = List.of(LIVE, RECORDED, LAST, his, his, notHis, notHis);
    assertThat(words()).containsExactly(ViolationKind.ILLEGAL);
    TranscriptLine recordedAsHis = line("recording:r", "Ben", SAID);
    transcript = List.of(LIVE, RECORDED, LAST, RECORDED, recordedAsHis);
    assertThat(words()).as("a recording has whole sentences").contains(ViolationKind.ILLEGAL);
  }

  @Test
  void eachSpeakerHasAFileOfOwnWords() {
    files = List.of(FILE, LAST_VOICE, HER_VOICE);
    assertThat(voices()).containsExactly(ViolationKind.LOST);
    files = List.of(FILE, LAST_VOICE, HER_VOICE, voice("Ben"));
    assertThat(voices()).containsExactly(ViolationKind.LOST);
    files = List.of(FILE, LAST_VOICE, HER_VOICE, voice("Ben", "it never rains", SAID));
    assertThat(voices()).as("a cut sentence").isEmpty();
    files =
        List.of(
            FILE, LAST_VOICE, HER_VOICE, voice("Ben", SAID, SAID), voice("Ben", "it never rains"));
    assertThat(voices()).containsExactly(ViolationKind.ILLEGAL);
    files =
        List.of(
            FILE,
            LAST_VOICE,
            voice("Ada", SAID),
            voice("Ada", "mumbling"),
            voice("Ben", "it never rains", SAID, "it never rains"));
    assertThat(voices()).isEmpty();
  }

  @Test
  void peopleOfOneNameHaveFilesOfTheirOwn() {
    files = List.of(FILE, HIS_VOICE, HER_VOICE);
    assertThat(voices()).containsExactly(ViolationKind.LOST);
    files = List.of(FILE, HIS_VOICE, voice("Ada", SAID, SAID, "nothing grows"));
    assertThat(voices()).as("a cut sentence").isEmpty();
    files = List.of(FILE, HIS_VOICE, voice("Ada", SAID, "nothing grows", "nothing grows", SAID));
    assertThat(voices()).containsExactly(ViolationKind.ILLEGAL);
  }

  @Test
  void theBotsRecordingHasWhatWasSaidLast() {
    transcript = List.of(LIVE, RECORDED);
    assertThat(words()).containsExactly(ViolationKind.LOST);
    TranscriptLine cut = line("recording:bot-1", "Ben", SAID);
    TranscriptLine his = line("recording:bot-1", "Ben", "it never rains");
    transcript = List.of(LIVE, RECORDED, LAST, his, cut);
    assertThat(words()).as("a cut sentence").isEmpty();
    transcript = List.of(LIVE, RECORDED, LAST, his, his, cut, cut);
    assertThat(words()).containsExactly(ViolationKind.ILLEGAL);
    transcript =
        List.of(LIVE, RECORDED, new TranscriptLine("recording:bot-1", "Ada", "nothing grows", 70));
    assertThat(words()).as("later than people spoke").containsExactly(ViolationKind.ILLEGAL);
  }

  @Test
  void aKilledBotHasFailed() {
    killed = Map.of(7L, at(12));
    assertThat(ends()).containsExactly(ViolationKind.ILLEGAL);
    bots = Map.of(3L, "failed", 4L, "completed");
    assertThat(ends()).isEmpty();
    bots = Map.of(3L, "failed", 4L, "active");
    assertThat(ends()).containsExactly(ViolationKind.OPEN);
  }

  @Test
  void aSeedIsOnePlanAndQuickOnesHaveOneFault() {
    for (long seed = 1; seed <= 50; seed++) {
      RoomPlan plan = RoomPlan.of(seed, new RoomChaos().usual());
      assertThat(plan).isEqualTo(RoomPlan.of(seed, new RoomChaos().usual()));
      assertThat(plan.faults()).hasSize(5).extracting(it -> it.target()).doesNotHaveDuplicates();
      assertThat(plan.faults())
          .isSortedAccordingTo(java.util.Comparator.comparing(it -> it.at()))
          .allMatch(it -> it.at().compareTo(Duration.ofSeconds(48)) < 0);
      assertThat(RoomPlan.of(seed, ChaosSettings.QUICK).faults()).hasSize(1);
    }
  }
}
