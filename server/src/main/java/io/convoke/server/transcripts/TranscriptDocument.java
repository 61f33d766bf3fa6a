package io.convoke.server.transcripts;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Writes cues as WebVTT, SubRip, text and Markdown. What was said cannot become markup of these.
 */
final class TranscriptDocument {
  private static final String MARKDOWN = "\\`*_{}[]<>#|~&!";

  /** What parts the times of a cue of SubRip, with any number of dashes before. */
  private static final Pattern ARROW = Pattern.compile("-{2,}>");

  private TranscriptDocument() {}

  /**
   * The WebVTT file of cues in the order of their starts. The speaker is the annotation of a voice
   * span.
   */
  static String vtt(List<Cue> cues) {
    StringBuilder text = new StringBuilder("WEBVTT\n");
    for (Cue cue : cues) {
      text.append('\n').append(time(cue.startMs(), '.')).append(" --> ");
      text.append(time(cue.endMs(), '.')).append('\n');
      String payload = vttEscaped(cue.text());
      text.append(
              cue.speaker()
                  .map(name -> "<v " + vttEscaped(name) + '>' + payload + "</v>")
                  .orElse(payload))
          .append('\n');
    }
    return text.toString();
  }

  /** The SubRip file of cues in the order of their starts, numbered from 1. */
  static String srt(List<Cue> cues) {
    StringBuilder text = new StringBuilder();
    int number = 0;
    for (Cue cue : cues) {
      number++;
      text.append(number).append('\n').append(time(cue.startMs(), ',')).append(" --> ");
      text.append(time(cue.endMs(), ',')).append('\n');
      text.append(ARROW.matcher(spoken(cue)).replaceAll("->")).append("\n\n");
    }
    return text.toString();
  }

  /** A line for each cue. */
  static String txt(List<Cue> cues) {
    StringBuilder text = new StringBuilder();
    for (Cue cue : cues) {
      text.append('[').append(seconds(cue.startMs())).append("] ");
      text.append(spoken(cue)).append('\n');
    }
    return text.toString();
  }

  /** A heading, and a paragraph for what a speaker says before another one speaks. */
  static String markdown(String title, List<Cue> cues) {
    StringBuilder text = new StringBuilder("# ").append(markdownEscaped(title)).append('\n');
    Optional<String> speaking = Optional.empty();
    boolean first = true;
    for (Cue cue : cues) {
      if (first || cue.speaker().isEmpty() || !cue.speaker().equals(speaking)) {
        text.append(first ? "\n" : "\n\n");
        cue.speaker()
            .ifPresent(name -> text.append("**").append(markdownEscaped(name)).append("** "));
        text.append('(').append(seconds(cue.startMs())).append("):");
      }
      text.append(' ').append(markdownEscaped(cue.text()));
      speaking = cue.speaker();
      first = false;
    }
    return text.append('\n').toString();
  }

  private static String spoken(Cue cue) {
    return cue.speaker().map(name -> name + ": ").orElse("") + cue.text();
  }

  private static String vttEscaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String markdownEscaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      if (MARKDOWN.indexOf(text.charAt(i)) >= 0) {
        escaped.append('\\');
      }
      escaped.append(text.charAt(i));
    }
    return escaped.toString();
  }

  private static String seconds(long ms) {
    return String.format(
        Locale.ROOT, "%02d:%02d:%02d", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
  }

  private static String time(long ms, char point) {
    return seconds(ms) + point + String.format(Locale.ROOT, "%03d", ms % 1000);
  }
}
