package io.convoke.server.transcripts;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.meetings.Segment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Documents are conforming whatever was said, and whoever said it. */
class TranscriptDocumentTest {
  /** The timings line of a WebVTT cue (https://www.w3.org/TR/webvtt1/#webvtt-cue-timings). */
  private static final Pattern TIMINGS =
      Pattern.compile(
          "([0-9]{2,}):([0-5][0-9]):([0-5][0-9])[.]([0-9]{3}) --> "
              + "([0-9]{2,}):([0-5][0-9]):([0-5][0-9])[.]([0-9]{3})");

  /** Text with character references, alone or within one voice span with an annotation. */
  private static final Pattern PAYLOAD =
      Pattern.compile("(?:<v ([^\\n\\r>]+)>)?((?:[^<&\\n\\r]|&(?:amp|lt|gt);)*)(?:</v>)?");

  private static final List<Cue> MEETING =
      List.of(
          cue(1, 2.5, "Ada", "Good morning"),
          cue(2.5, 4, "Ada", "Shall we?"),
          cue(3661.0625, 3662, "Bob", "Yes"),
          cue(3663, 3663, null, "Hm"));

  @Test
  void webVttNamesSpeakersInVoiceSpans() {
    assertThat(TranscriptDocument.vtt(MEETING))
        .isEqualTo(
            """
            WEBVTT

            00:00:01.000 --> 00:00:02.500
            <v Ada>Good morning</v>

            00:00:02.500 --> 00:00:04.000
            <v Ada>Shall we?</v>

            01:01:01.063 --> 01:01:02.000
            <v Bob>Yes</v>

            01:01:03.000 --> 01:01:03.001
            Hm
            """);
  }

  @Test
  void timesHaveTheSameDigitsUnderEveryLocale() {
    String text = TranscriptDocument.srt(MEETING);
    Locale before = Locale.getDefault(Locale.Category.FORMAT);
    Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("ar-EG"));
    try {
      assertThat(TranscriptDocument.srt(MEETING)).isEqualTo(text);
    } finally {
      Locale.setDefault(Locale.Category.FORMAT, before);
    }
  }

  @Test
  void subRipNumbersCues() {
    assertThat(TranscriptDocument.srt(MEETING))
        .startsWith(
            """
            1
            00:00:01,000 --> 00:00:02,500
            Ada: Good morning

            2
            """)
        .endsWith(
            """
            4
            01:01:03,000 --> 01:01:03,001
            Hm

            """);
  }

  @Test
  void textHasALineForEachCueAndMarkdownAParagraphForEachTurn() {
    assertThat(TranscriptDocument.txt(MEETING))
        .isEqualTo(
            """
            [00:00:01] Ada: Good morning
            [00:00:02] Ada: Shall we?
            [01:01:01] Bob: Yes
            [01:01:03] Hm
            """);
    assertThat(TranscriptDocument.markdown("Stand-up", MEETING))
        .isEqualTo(
            """
            # Stand-up

            **Ada** (00:00:01): Good morning Shall we?

            **Bob** (01:01:01): Yes

            (01:01:03): Hm
            """);
  }

  @Test
  void anEmptyTranscriptIsAConformingDocument() {
    assertThat(parsed(TranscriptDocument.vtt(List.of()))).isEmpty();
    assertThat(TranscriptDocument.srt(List.of())).isEmpty();
    assertThat(TranscriptDocument.markdown("Stand-up", List.of())).isEqualTo("# Stand-up\n\n");
  }

  @Test
  void whatWasSaidDoesNotBecomeMarkup() {
    String said = "a --> b\n\n00:00:09.000 --> 00:00:10.000\r\n<b>&amp; </v>\u2028\u0000NOTE";
    List<Cue> cues = List.of(cue(1, 2, "<v Bob>\n & \"Co\" -->", said));
    assertThat(parsed(TranscriptDocument.vtt(cues)))
        .containsExactly(
            "<v Bob> & \"Co\" -->|a --> b 00:00:09.000 --> 00:00:10.000 <b>&amp; </v> NOTE");
    assertThat(TranscriptDocument.srt(cues).lines().filter(line -> line.contains("-->")))
        .hasSize(1);
    List<Cue> arrows = List.of(cue(1, 2, "--->", "a ---> b -----> c -> d"));
    assertThat(TranscriptDocument.srt(arrows)).endsWith("\n->: a -> b -> c -> d\n\n");
    assertThat(TranscriptDocument.txt(cues).lines()).hasSize(1);
    assertThat(
            TranscriptDocument.markdown(
                "T", List.of(cue(1, 2, "*Ada*", "[x](javascript:y) <img src=x> # `a` &lt;"))))
        .endsWith(
            "**\\*Ada\\*** (00:00:01): \\[x\\](javascript:y) \\<img src=x\\> \\# \\`a\\` \\&lt;\n");
  }

  @Test
  void allThatIsMarkupInMarkdownIsEscaped() {
    assertThat(TranscriptDocument.markdown("\\`*_{}[]<>#|~&!", List.of()))
        .isEqualTo("# \\\\\\`\\*\\_\\{\\}\\[\\]\\<\\>\\#\\|\\~\\&\\!\n\n");
  }

  @Test
  void timesStayInOrderWhateverWasReported() {
    List<Cue> cues = List.of(cue(-5, -9, " ", "a"), cue(1e300, Double.MAX_VALUE, null, "b"));
    assertThat(parsed(TranscriptDocument.vtt(cues))).containsExactly("|a", "|b");
  }

  /** The cues of a conforming WebVTT file, as {@code speaker|text}. */
  private static List<String> parsed(String file) {
    List<String> blocks = List.of(file.stripTrailing().split("\n\n", -1));
    assertThat(blocks.getFirst()).isEqualTo("WEBVTT");
    List<String> cues = new ArrayList<>();
    for (String block : blocks.subList(1, blocks.size())) {
      String[] lines = block.split("\n", -1);
      assertThat(lines).as(block).hasSize(2);
      Matcher timings = TIMINGS.matcher(lines[0]);
      assertThat(timings.matches()).as(lines[0]).isTrue();
      assertThat(millis(timings, 5)).isGreaterThan(millis(timings, 1));
      Matcher payload = PAYLOAD.matcher(lines[1]);
      assertThat(payload.matches()).as(lines[1]).isTrue();
      assertThat(lines[1]).doesNotContain("-->");
      cues.add(
          unescaped(Optional.ofNullable(payload.group(1)).orElse(""))
              + "|"
              + unescaped(payload.group(2)));
    }
    return cues;
  }

  private static long millis(Matcher timings, int from) {
    return ((Long.parseLong(timings.group(from)) * 60 + Long.parseLong(timings.group(from + 1)))
                    * 60
                + Long.parseLong(timings.group(from + 2)))
            * 1000
        + Long.parseLong(timings.group(from + 3));
  }

  private static String unescaped(String text) {
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
  }

  private static Cue cue(double start, double end, @Nullable String speaker, String text) {
    return Cue.of(
        new Segment(
            1,
            start,
            end,
            text,
            Optional.ofNullable(speaker),
            Optional.empty(),
            Optional.empty(),
            Instant.EPOCH,
            Optional.empty(),
            true,
            Optional.empty(),
            Optional.empty(),
            Optional.empty()),
        0);
  }
}
