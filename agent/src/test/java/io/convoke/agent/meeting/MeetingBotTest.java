package io.convoke.agent.meeting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.agent.AutomaticLeave;
import io.convoke.agent.BotConfig;
import io.convoke.agent.BotFailure;
import io.convoke.agent.BotProgress;
import io.convoke.agent.BotSession;
import io.convoke.agent.ChatMessage;
import io.convoke.agent.CommandRefusedException;
import io.convoke.agent.ExitCode;
import io.convoke.agent.NotAdmittedException;
import io.convoke.agent.ParticipantEvent;
import io.convoke.agent.ParticipantEvent.ParticipantJoined;
import io.convoke.agent.ParticipantEvent.ParticipantLeft;
import io.convoke.agent.TranscriptSegment;
import io.convoke.agent.meeting.MeetingAudio.SoundSink;
import io.convoke.engine.testhook.TestSignal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules and names of the bot that hears, in a meeting without a network. */
class MeetingBotTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(50);

  /** Writes the first bytes of its sound as a draft and as words. */
  private static final String TRANSCRIBER =
      "sh -c 'w=$(head -c 4); echo \"~$w\"; echo \"$w\"; cat >/dev/null; echo bye'";

  private final ReportedSession session = new ReportedSession(LONG, LONG);
  private final TestSignal.SignalObservation<TranscriptSegment> said = session.said.observe();

  /** What the bot reports. */
  private static final class ReportedSession implements BotSession {
    private final TestSignal<TranscriptSegment> said = new TestSignal<>();
    private final List<TranscriptSegment> words = new CopyOnWriteArrayList<>();
    private final List<ChatMessage> read = new CopyOnWriteArrayList<>();
    private final List<ParticipantEvent> seen = new CopyOnWriteArrayList<>();
    private final BotConfig config;

    private ReportedSession(Duration noOneJoined, Duration everyoneLeft) {
      this(noOneJoined, everyoneLeft, "http://127.0.0.1:1", false);
    }

    private ReportedSession(
        Duration noOneJoined, Duration everyoneLeft, String url, boolean records) {
      config =
          new BotConfig(
              7,
              "0123abcd-0000-0000-0000-000000000042",
              1,
              "janus",
              "standup",
              Optional.of("https://convoke.example.org/join.html"),
              Optional.empty(),
              "Scribe",
              Optional.of("en"),
              "transcribe",
              "the-token",
              url,
              Optional.empty(),
              "convoke-bot-42-1-0123abcd",
              Duration.ofSeconds(30),
              new AutomaticLeave(LONG, noOneJoined, everyoneLeft),
              records);
    }

    @Override
    public BotConfig config() {
      return config;
    }

    @Override
    public void awaitingAdmission() {}

    @Override
    public void transcript(List<TranscriptSegment> segments) {
      words.addAll(segments);
      segments.forEach(said::emit);
    }

    @Override
    public void chatted(ChatMessage chatMessage) {
      read.add(chatMessage);
    }

    @Override
    public void saw(ParticipantEvent participantEvent) {
      seen.add(participantEvent);
    }

    @Override
    public boolean leaving() {
      return false;
    }

    private List<String> lines() {
      return words.stream()
          .map(
              segment ->
                  segment.speaker().orElse("?")
                      + (segment.completed() ? ": " : " began: ")
                      + segment.text())
          .toList();
    }
  }

  private static MeetingBot bot(HeardMeeting meeting, Optional<String> transcriber) {
    return new MeetingBot(_ -> meeting, new MeetingBotSettings(transcriber, false));
  }

  private static CompletableFuture<String> staying(MeetingBot bot, BotSession session) {
    CompletableFuture<String> reason = new CompletableFuture<>();
    Thread _ =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    reason.complete(bot.stay(session));
                  } catch (Exception failed) {
                    reason.completeExceptionally(failed);
                  }
                });
    return reason;
  }

  /** Waits for so many final lines. */
  private void await(int lines) {
    for (int i = 0; i < lines; i++) {
      TranscriptSegment _ = said.await(TranscriptSegment::completed, SOON);
    }
  }

  @Test
  void eachOnesWordsAreUnderTheNameOfTheTrack() throws Exception {
    HeardMeeting meeting = new HeardMeeting("Ada");
    MeetingBot bot = bot(meeting, Optional.of(TRANSCRIBER));
    bot.join(session);
    SoundSink ada = meeting.listener().heard(HeardMeeting.person("Ada"));
    SoundSink ben = meeting.listener().heard(HeardMeeting.person("Ben"));
    HeardMeeting.hear(ben, 1, 'B');
    HeardMeeting.hear(ada, 1, 'A');
    await(2);
    bot.leave(session);
    bot.finish(session, SOON);
    assertThat(meeting.closed).isTrue();
    assertThat(session.lines())
        .containsExactlyInAnyOrder(
            "Ada began: AAAA", "Ada: AAAA", "Ada: bye", "Ben began: BBBB", "Ben: BBBB", "Ben: bye");
  }

  @Test
  void aTrackThatBeginsAgainGoesOnInTheSameTranscriber() throws Exception {
    HeardMeeting meeting = new HeardMeeting("Ada");
    MeetingBot bot = bot(meeting, Optional.of(TRANSCRIBER));
    bot.join(session);
    HeardMeeting.hear(meeting.listener().heard(HeardMeeting.person("Ada")), 1, 'A');
    HeardMeeting.hear(meeting.listener().heard(HeardMeeting.person("Ada")), 1, 'C');
    bot.leave(session);
    bot.finish(session, SOON);
    assertThat(session.lines()).containsExactly("Ada began: AAAA", "Ada: AAAA", "Ada: bye");
  }

  @Test
  void aPersonWhoLeavesHasTheLastWordsWritten() throws Exception {
    HeardMeeting meeting = new HeardMeeting("Ada");
    MeetingBot bot = bot(meeting, Optional.of(TRANSCRIBER));
    bot.join(session);
    HeardMeeting.hear(meeting.listener().heard(HeardMeeting.person("Ada")), 1, 'A');
    meeting.listener().left("id-of-Ada", Instant.EPOCH);
    await(2);
    assertThat(session.lines()).containsExactly("Ada began: AAAA", "Ada: AAAA", "Ada: bye");
    bot.leave(session);
  }

  @Test
  void whatATranscriberSaysAfterTheBotHasLeftIsWaitedFor(@TempDir Path folder) throws Exception {
    Path late = folder.resolve("late");
    assertThat(new ProcessBuilder("mkfifo", late.toString()).start().waitFor()).isZero();
    HeardMeeting meeting = new HeardMeeting("Ada", "Ben");
    MeetingBot bot = bot(meeting, Optional.of("sh -c 'cat >/dev/null; cat " + late + "'"));
    bot.join(session);
    HeardMeeting.hear(meeting.listener().heard(HeardMeeting.person("Ada")), 1, 'A');
    meeting.listener().left("id-of-Ada", Instant.EPOCH);
    bot.leave(session);
    Files.writeString(late, "goodbye\n");
    bot.finish(session, SOON);
    assertThat(session.lines()).containsExactly("Ada: goodbye");
  }

  @Test
  void aPlatformThatHangsWhenItIsLeftCostsNoLastWords() throws Exception {
    HeardMeeting meeting = new HeardMeeting("Ada");
    meeting.answer = new CountDownLatch(1);
    MeetingBot bot = bot(meeting, Optional.of(TRANSCRIBER));
    bot.join(session);
    HeardMeeting.hear(meeting.listener().heard(HeardMeeting.person("Ada")), 1, 'A');
    Thread leaving =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    bot.leave(session);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    assertThat(meeting.leaving.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    bot.finish(session, SOON);
    assertThat(session.lines()).containsExactly("Ada began: AAAA", "Ada: AAAA", "Ada: bye");
    meeting.answer.countDown();
    assertThat(leaving.join(SOON)).isTrue();
  }

  @Test
  void itLeavesAMeetingThatIsEmptyFromTheBeginning() throws Exception {
    ReportedSession impatient = new ReportedSession(SHORT, LONG);
    MeetingBot bot = bot(new HeardMeeting(), Optional.empty());
    bot.join(impatient);
    assertThat(bot.stay(impatient)).isEqualTo("no_one_joined");
    assertThat(impatient.seen).isEmpty();
  }

  @Test
  void itLeavesAfterTheLastPersonAndTellsWhoWasThere() throws Exception {
    ReportedSession impatient = new ReportedSession(LONG, SHORT);
    HeardMeeting meeting = new HeardMeeting("Ada");
    MeetingBot bot = bot(meeting, Optional.empty());
    bot.join(impatient);
    CompletableFuture<String> reason = staying(bot, impatient);
    meeting.listener().joined(HeardMeeting.person("Ada"));
    meeting.listener().joined(HeardMeeting.person("Ben"));
    meeting.listener().left("id-of-Ada", Instant.EPOCH);
    meeting.listener().left("id-of-a-stranger", Instant.EPOCH);
    meeting.listener().left("id-of-Ben", Instant.EPOCH);
    assertThat(reason.get(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("everyone_left");
    assertThat(impatient.seen)
        .extracting(
            event ->
                switch (event) {
                  case ParticipantJoined(var who) -> "+" + who.userName().orElse("?");
                  case ParticipantLeft(String id, var _) -> "-" + id;
                  case ParticipantEvent.ParticipantSnapshot _ -> "all";
                })
        .containsExactly("+Ada", "+Ben", "-id-of-Ada", "-id-of-Ben");
  }

  @Test
  void itLeavesWhenTheMeetingEndsOrAHostRemovesIt() throws Exception {
    for (String end : List.of("meeting_ended", "removed")) {
      HeardMeeting meeting = new HeardMeeting("Ada");
      MeetingBot bot = bot(meeting, Optional.empty());
      bot.join(session);
      meeting.listener().ended(end);
      assertThat(bot.stay(session)).isEqualTo(end);
    }
  }

  @Test
  void aPlatformThatIsGoneIsAFailure() throws Exception {
    HeardMeeting meeting = new HeardMeeting("Ada");
    MeetingBot bot = bot(meeting, Optional.empty());
    bot.join(session);
    meeting.listener().ended("platform_gone");
    assertThatThrownBy(() -> bot.stay(session))
        .isInstanceOfSatisfying(
            BotFailure.class,
            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.PLATFORM_GONE));
  }

  @Test
  void aRefusedJoinAndABrokenOneAreToldApart() {
    assertThatThrownBy(() -> failing(new MeetingAudio.JoinRefused("no")).join(session))
        .isInstanceOf(NotAdmittedException.class);
    assertThatThrownBy(() -> failing(new IOException("no")).join(session))
        .isInstanceOf(BotFailure.class)
        .hasMessage("platform_gone");
  }

  private static MeetingBot failing(Exception failure) {
    return new MeetingBot(
        _ ->
            new MeetingAudio() {
              @Override
              public List<Person> join(String name, MeetingListener listener) throws Exception {
                throw failure;
              }

              @Override
              public String self() {
                return "us";
              }

              @Override
              public void close() {}
            },
        new MeetingBotSettings(Optional.empty(), false));
  }

  @Test
  void itReportsWhatOthersWriteAndWritesWhatItIsTold() throws Exception {
    HeardMeeting meeting = new HeardMeeting("Ada");
    MeetingBot bot = bot(meeting, Optional.empty());
    bot.join(session);
    meeting.listener().wrote(HeardMeeting.person("Ada"), "Good morning");
    assertThat(session.read).hasSize(1);
    assertThat(session.read.getFirst().sender()).contains("Ada");
    assertThat(session.read.getFirst().text()).isEqualTo("Good morning");
    assertThatThrownBy(() -> bot.chat(session, "Hello"))
        .isInstanceOf(CommandRefusedException.class)
        .hasMessage("this bot does not write into the chat");
    bot.leave(session);
  }

  @Test
  void itTellsHowMuchItHeardAndWhenAPersonSpokeLast() throws Exception {
    HeardMeeting meeting = new HeardMeeting("Ada");
    MeetingBot bot = bot(meeting, Optional.empty());
    bot.join(session);
    assertThat(bot.progress()).isEmpty();
    CompletableFuture<String> reason = staying(bot, session);
    SoundSink ada = meeting.listener().heard(HeardMeeting.person("Ada"));
    HeardMeeting.hear(ada, 2, '\0');
    meeting.listener().ended("meeting_ended");
    assertThat(reason.get(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("meeting_ended");
    assertThat(bot.progress())
        .contains(new BotProgress(Optional.of(2.0), Optional.of(1), Optional.empty()));
    Instant before = Instant.now();
    HeardMeeting.hear(ada, 1, 'A');
    BotProgress spoken = bot.progress().orElseThrow();
    assertThat(spoken.audioSeconds()).contains(3.0);
    assertThat(spoken.lastSpeechAt().orElseThrow()).isAfterOrEqualTo(before);
  }

  @Test
  void itRecordsEachPersonAndAllTogetherWhereItIsTold() throws Exception {
    for (boolean bySettings : List.of(true, false)) {
      try (PartServer server = new PartServer();
          TestSignal.SignalObservation<Integer> answered = server.answered.observe()) {
        ReportedSession recorded = new ReportedSession(LONG, LONG, server.url(), !bySettings);
        HeardMeeting meeting = new HeardMeeting("Ada", "Ben");
        MeetingBot bot =
            new MeetingBot(_ -> meeting, new MeetingBotSettings(Optional.empty(), bySettings));
        bot.join(recorded);
        assertThat(meeting.shown).isEqualTo("Scribe (recording)");
        SoundSink ada = meeting.listener().heard(HeardMeeting.person("Ada"));
        SoundSink ben = meeting.listener().heard(HeardMeeting.person("Ben"));
        HeardMeeting.hear(ada, 1, 'A');
        HeardMeeting.hear(ben, 1, '\0');
        bot.leave(recorded);
        bot.finish(recorded, SOON);
        int _ = answered.await(taken -> taken == 3, SOON);
        assertThat(server.taken)
            .extracting(part -> part.person() + (part.last() ? ", the last" : ""))
            .containsExactly("id-of-Ada", "all", "all, the last");
      }
    }
  }

  @Test
  void itDoesNotRecordWithoutBeingTold() throws Exception {
    try (PartServer server = new PartServer()) {
      ReportedSession unrecorded = new ReportedSession(LONG, LONG, server.url(), false);
      HeardMeeting meeting = new HeardMeeting("Ada");
      MeetingBot bot = bot(meeting, Optional.empty());
      bot.join(unrecorded);
      assertThat(meeting.shown).isEqualTo("Scribe");
      HeardMeeting.hear(meeting.listener().heard(HeardMeeting.person("Ada")), 1, 'A');
      bot.leave(unrecorded);
      assertThat(server.taken).isEmpty();
    }
  }

  @Test
  void itsSettingsAreThoseOfTheEnvironment() {
    assertThat(MeetingBotSettings.of("A_BOT", Map.of()))
        .isEqualTo(new MeetingBotSettings(Optional.empty(), false));
    assertThat(
            MeetingBotSettings.of(
                "A_BOT", Map.of("A_BOT_TRANSCRIBER", "listen", "A_BOT_RECORD", "1")))
        .isEqualTo(new MeetingBotSettings(Optional.of("listen"), true));
  }
}
