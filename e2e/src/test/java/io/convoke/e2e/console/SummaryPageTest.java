package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.fakes.chat.FakeChat;
import io.convoke.simulator.audio.MediaEncoder;
import io.convoke.simulator.audio.MediaEncoder.MediaForm;
import io.convoke.simulator.audio.SpeechSynthesizer;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * From a recording in MP4 to its summary on the meeting's page and its waveform on its own page.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("nightly")
@Tag("heavy")
class SummaryPageTest {
  private static final String KEY = "sk-1";
  private static final String LINES =
      """
      {"start": 0.2, "end": 0.6, "text": "We need a budget", "speaker": "Ada", "language": "en"}
      {"start": 0.8, "end": 1.2, "text": "By Friday", "speaker": "Bob", "language": "en"}
      """;
  private static final String ANSWER =
      """
      {"summary": [{"text": "A budget is needed by Friday.", "lines": [1, 2, 7]}]}
      """;

  @Test
  void aRecordingIsSummarizedAndItsSummaryLeadsToWhatWasSaid(@TempDir Path folder)
      throws Exception {
    Assumptions.assumeTrue(MediaEncoder.install(), "ffmpeg is not here and cannot be had");
    Path lines = Files.writeString(folder.resolve("lines.json"), LINES);
    try (Chromium chromium = Chromium.start();
        FakeChat chat = new FakeChat(KEY, _ -> ANSWER);
        JourneyTestServer server =
            JourneyTestServer.open(
                folder,
                Map.of(
                    "CONVOKE_TRANSCRIBER",
                    "command:cat " + lines + " #",
                    "CONVOKE_SUMMARIZER",
                    "openai:" + chat.url() + "?model=gpt-4o",
                    "CONVOKE_SUMMARIZER_KEY",
                    KEY))) {
      server
          .simulator()
          .sounding(
              recording ->
                  MediaEncoder.encode(
                      SpeechSynthesizer.wav(recording, Optional.empty()), MediaForm.MP4));
      String key = server.key("olivia@example.org");
      ApiUser olivia = new ApiUser(server.server().url(), Map.of("X-API-Key", key));
      var _ = server.simulator().world().ensure(RoomRequest.named("harbour"));
      long meeting =
          olivia
              .post("/meetings", "{\"platform\": \"daily\", \"native_meeting_id\": \"harbour\"}")
              .body()
              .path("id")
              .asLong();
      try (ConsoleUser consoleUser =
          ConsoleUser.onDesktop(chromium.browser(), server.server().url(), ColorScheme.LIGHT)) {
        consoleUser.open("/meetings/" + meeting, key).isSettled();
        consoleUser.counts(consoleUser.find("#h-summary"), 0);
        String recording = record(server);
        consoleUser.sees(consoleUser.find(".summary"), "A budget is needed by Friday.");
        consoleUser.sees("It cited 1 line that does not exist.");
        consoleUser.counts(consoleUser.find(".summary a"), 2);
        Axe.findsNothingSerious(consoleUser.page(), "a meeting with a summary");
        consoleUser.find(".summary a").last().click();
        consoleUser.sees(consoleUser.find(".said[data-found]"), "By Friday");
        consoleUser.find("button:has-text('Write it again')").click();
        consoleUser.sees("The summary is being written.");
        consoleUser.sees(consoleUser.find(".timeline"), "Summary done");

        consoleUser.open("/recordings/" + recording).isSettled();
        consoleUser.counts(consoleUser.find("video"), 1);
        consoleUser.becomesTrue("() => document.querySelector('video').duration > 1");
        consoleUser.counts(consoleUser.find(".wave .stay"), 2);
        assertThat(consoleUser.find(".wave-loud").getAttribute("d")).contains("M");
        Axe.findsNothingSerious(consoleUser.page(), "a recording with its waveform");
        consoleUser.find("button.said-at").last().click();
        consoleUser.becomesTrue("() => document.querySelector('video').currentTime > 0.7");
        consoleUser.counts(consoleUser.find(".wave .lane-now"), 1);
        consoleUser.hadNoErrorsExcept();
      }
      assertThat(chat.complaints()).isEmpty();
    }
  }

  /** A recording of two seconds; returns its id. */
  private static String record(JourneyTestServer server) {
    var world = server.simulator().world();
    JoinResult joined = world.join("harbour", Visitor.named("Ada"));
    String session = ((JoinResult.JoinedMeeting) joined).session().sessionId();
    String id = world.startRecording(RecordingRequest.cloud("harbour")).orElseThrow().recordingId();
    boolean _ = world.say("harbour", session, "We need a budget by Friday.");
    var _ =
        server
            .simulator()
            .time()
            .after(
                Duration.ofMillis(2500),
                () -> {
                  int _ = world.stopRecording("harbour", Optional.empty());
                });
    return id;
  }
}
