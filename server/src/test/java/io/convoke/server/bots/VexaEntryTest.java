package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.bots.VexaEntry.VexaSegment;
import io.convoke.server.bots.VexaEntry.VexaSpokenEntry;
import io.convoke.server.bots.VexaSpeech.SpeechEdge;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries of the streams as each release writes them, and who spoke. */
class VexaEntryTest {

  @Test
  void numbersOfWhisperLiveAreTexts() {
    VexaSpokenEntry said =
        words(
            """
            {"type": "transcription", "token": "t", "uid": "u", "meeting_id": "abc",
             "segments": [{"start": "1.500", "end": "3.250", "text": " Hello.", "completed": true},
                          {"start": "3.250", "end": "4.000", "text": "A draft", "completed": false}]}
            """);
    assertThat(said.token()).isEqualTo("t");
    assertThat(said.uid()).contains("u");
    assertThat(said.segments())
        .containsExactly(
            new VexaSegment(
                1.5,
                Duration.ofMillis(1750),
                Optional.empty(),
                "Hello.",
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
  }

  @Test
  void theNativeIdIsTheTokenOfAnEntryWithoutOneAndSecondsAreThoseOfTheEpoch() {
    VexaSpokenEntry said =
        words(
            """
            {"type": "transcription", "meeting_id": 4, "native_meeting_id": "cvb_x",
             "segments": [{"segment_id": "ch-0:1:1790000000500", "speaker": "Ada", "language": "en",
               "text": "Hello.", "start": 1790000000.5, "end": 1790000001.5, "completed": true}]}
            """);
    assertThat(said.token()).isEqualTo("cvb_x");
    VexaSegment segment = said.segments().getFirst();
    assertThat(segment.at()).contains(Instant.ofEpochMilli(1_790_000_000_500L));
    assertThat(segment.length()).isEqualTo(Duration.ofSeconds(1));
    assertThat(segment.speaker()).contains("Ada");
    assertThat(segment.id()).contains("ch-0:1:1790000000500");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"start\": 0, \"end\": 1, \"text\": \" \", \"completed\": true}",
        "{\"start\": 0, \"end\": 1, \"completed\": true}",
        "{\"start\": -1, \"end\": 1, \"text\": \"x\", \"completed\": true}",
        "{\"start\": \"NaN\", \"end\": 1, \"text\": \"x\", \"completed\": true}",
        "{\"start\": \"soon\", \"end\": 1, \"text\": \"x\", \"completed\": true}",
        "{\"start\": 1, \"end\": 1e9, \"text\": \"x\", \"completed\": true}",
        "{\"start\": 1e300, \"end\": 1e300, \"text\": \"x\", \"completed\": true}",
        "{\"start\": 0, \"end\": 1e7, \"text\": \"x\", \"completed\": true}",
        "{\"start\": 1e7, \"end\": 1e7, \"text\": \"x\", \"completed\": true}",
        "{\"start\": 1e10, \"end\": 1e10, \"text\": \"x\", \"completed\": true}",
        "7"
      })
  void whatIsNoSegmentIsLeftOut(String segment) {
    assertThat(
            words(
                    "{\"type\": \"transcription\", \"token\": \"t\", \"segments\": ["
                        + segment
                        + "]}")
                .segments())
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, PT0S",
    "1, 0, PT0S",
    "0, 9999999, PT9999999S",
    "9999999, 9999999, PT0S",
    "1e9, 1000000001, PT1S",
  })
  void aSegmentIsAsLongAsToldBelowTenMillionSeconds(String start, String end, Duration length) {
    assertThat(segment("\"start\": %s, \"end\": %s".formatted(start, end)).length())
        .isEqualTo(length);
  }

  @Test
  void aSegmentSaysWhenItBeganOrIsOfTheEpochFromABillionSecondsOn() {
    assertThat(
            segment(
                    "\"start\": 1, \"end\": 2,"
                        + " \"absolute_start_time\": \"2026-11-22T11:00:00.5+01:00\"")
                .at())
        .contains(Instant.parse("2026-11-22T10:00:00.5Z"));
    assertThat(segment("\"start\": 1e9, \"end\": 1e9").at())
        .contains(Instant.ofEpochSecond(1_000_000_000));
    assertThat(segment("\"start\": 1, \"end\": 2, \"absolute_start_time\": \"now\"").at())
        .isEmpty();
  }

  @Test
  void aLanguageHas35CharactersAtMost() {
    String form = "\"start\": 0, \"end\": 1, \"language\": \"%s\"";
    assertThat(segment(form.formatted("x".repeat(35))).language()).contains("x".repeat(35));
    assertThat(segment(form.formatted("x".repeat(36))).language()).isEmpty();
  }

  /** The only segment, with these fields. */
  private static VexaSegment segment(String fields) {
    List<VexaSegment> segments =
        words(
                "{\"type\": \"transcription\", \"token\": \"t\", \"segments\": [{"
                    + fields
                    + ", \"text\": \"x\", \"completed\": true}]}")
            .segments();
    assertThat(segments).hasSize(1);
    return segments.getFirst();
  }

  @Test
  void aSessionHasAnIdAndABeginning() {
    String uid = "\"uid\": \"u\"";
    String began = "\"start_timestamp\": \"2026-11-22T10:00:00Z\"";
    String form = "{\"type\": \"session_start\", \"token\": \"t\", %s}";
    assertThat(VexaEntry.words(Map.of("payload", form.formatted(uid + ", " + began))))
        .isEqualTo(new VexaEntry.VexaSessionEntry("t", "u", Instant.parse("2026-11-22T10:00:00Z")));
    for (String part : List.of(uid, began)) {
      assertThat(VexaEntry.words(Map.of("payload", form.formatted(part))))
          .isEqualTo(new VexaEntry.VexaOtherEntry("t", "a session without a beginning"));
    }
  }

  @Test
  void aRetractionNamesItsSegments() {
    assertThat(
            VexaEntry.words(
                Map.of(
                    "payload",
                    "{\"type\": \"transcript_retract\", \"token\": \"t\","
                        + " \"segment_ids\": [\"a\", 7, \"b\"]}")))
        .isEqualTo(new VexaEntry.VexaRetractEntry("t", List.of("a", "b")));
  }

  @Test
  void controlCharactersAreLeftOut() {
    assertThat(
            words(
                    "{\"type\": \"transcription\", \"token\": \"t\", \"segments\": [{\"start\": 0,"
                        + " \"end\": 1, \"text\": \"a\\u0000b\\nc\", \"completed\": true}]}")
                .segments()
                .getFirst()
                .text())
        .isEqualTo("a b c");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "no JSON", "[]", "{\"type\": \"dance\"}", "{\"type\": \"session_start\"}"})
  void whatIsUnknownMeansNothing(String payload) {
    assertThat(VexaEntry.words(Map.of("payload", payload)))
        .isInstanceOf(VexaEntry.VexaOtherEntry.class);
    assertThat(VexaEntry.words(Map.of())).isInstanceOf(VexaEntry.VexaOtherEntry.class);
  }

  @Test
  void theStreamOfSpeakersIsFlat() {
    Map<String, String> fields =
        Map.of(
            "event_type", "SPEAKER_END",
            "participant_name", "Ada",
            "relative_client_timestamp_ms", "2100.4",
            "uid", "u",
            "token", "t");
    assertThat(VexaEntry.speaker(fields))
        .isEqualTo(new VexaEntry.VexaSpeakerEntry("t", "u", 2100, false, "Ada"));
    assertThat(VexaEntry.speaker(Map.of("event_type", "SPEAKER_END")))
        .isInstanceOf(VexaEntry.VexaOtherEntry.class);
  }

  @ParameterizedTest
  @CsvSource({
    "SPEAKER_START, 9999999999, true",
    "SPEAKER_START, -9999999999, true",
    "SPEAKER_START, 10000000000, false",
    "SPEAKER_START, -10000000000, false",
    "SPEAKER_END, 9999999999, true",
    "SPEAKER_PAUSE, 0, false",
  })
  void aSpeakerBeginsOrStopsWithinTenMillionSeconds(String kind, long at, boolean counts) {
    VexaEntry read =
        VexaEntry.speaker(
            Map.of(
                "event_type", kind,
                "participant_name", "Ada",
                "relative_client_timestamp_ms", Long.toString(at),
                "uid", "u",
                "token", "t"));
    assertThat(read)
        .isEqualTo(
            counts
                ? new VexaEntry.VexaSpeakerEntry("t", "u", at, kind.equals("SPEAKER_START"), "Ada")
                : new VexaEntry.VexaOtherEntry("t", "not about a speaker"));
  }

  @Test
  void theSpeakerIsWhoSpokeTheLongest() {
    VexaSpeech speech =
        new VexaSpeech(
            List.of(
                new SpeechEdge(0, true, "Ada"),
                new SpeechEdge(1_000, true, "Grace"),
                new SpeechEdge(1_400, false, "Ada"),
                new SpeechEdge(3_000, false, "Grace"),
                new SpeechEdge(5_000, true, "Ada")));
    assertThat(speech.speaker(200, 1_500)).contains("Ada");
    assertThat(speech.speaker(900, 2_500)).contains("Grace");
    assertThat(speech.speaker(3_500, 4_500)).as("nobody spoke").isEmpty();
    assertThat(speech.speaker(4_000, 9_000)).as("still speaking").contains("Ada");
  }

  private static VexaSpokenEntry words(String payload) {
    return (VexaSpokenEntry) VexaEntry.words(Map.of("payload", payload));
  }
}
