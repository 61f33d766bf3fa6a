package io.convoke.server.transcribe;

import io.convoke.server.transcribe.WhisperLiveTranscriber.WhisperLiveTimes;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Transcribers by the text that names them: {@code none}, {@code command:CMD {audio}}, {@code
 * openai:http://host[/path][?model=M&language=L&format=F]}, {@code
 * whisperlive:ws://host[?model=M&language=L&session=S]}.
 */
public final class TranscriberFactory {
  private static final String OPENAI = "openai:";
  private static final String WHISPER_LIVE = "whisperlive:";
  private static final String COMMAND = "command:";

  /** Seconds; a shorter session brings nothing. */
  private static final long SESSION_MIN = 30;

  private TranscriberFactory() {}

  /**
   * The transcriber of that name; empty for {@code none}.
   *
   * @param key sent as bearer to an OpenAI API
   * @throws IllegalArgumentException with a message for the operator
   */
  public static Optional<Transcriber> of(String text, Optional<String> key) {
    return parsed(text).map(withKey -> withKey.apply(key));
  }

  /**
   * The same text, if it names a transcriber or none; makes nothing.
   *
   * @throws IllegalArgumentException with a message for the operator
   */
  public static String checked(String text) {
    var _ = parsed(text);
    return text;
  }

  /** What makes the transcriber, given a key: every option is read before. */
  private static Optional<Function<Optional<String>, Transcriber>> parsed(String text) {
    if (text.equals("none")) {
      return Optional.empty();
    }
    if (text.startsWith(COMMAND) && text.length() > COMMAND.length()) {
      String command = text.substring(COMMAND.length()).strip();
      return Optional.of(_ -> new CommandTranscriber(command));
    }
    if (text.startsWith(OPENAI)) {
      URI url = url(text.substring(OPENAI.length()), "http", "https");
      Map<String, String> query = query(url);
      URI base = bare(url);
      String model = Optional.ofNullable(query.get("model")).orElse("whisper-1");
      Optional<OpenAiFormat> format =
          Optional.ofNullable(query.get("format")).map(OpenAiFormat::named);
      Optional<String> language = Optional.ofNullable(query.get("language"));
      return Optional.of(key -> new OpenAiTranscriber(base, key, model, format, language));
    }
    if (text.startsWith(WHISPER_LIVE)) {
      URI url = url(text.substring(WHISPER_LIVE.length()), "ws", "wss");
      Map<String, String> query = query(url);
      URI base = bare(url);
      String model = Optional.ofNullable(query.get("model")).orElse("small");
      Optional<String> language = Optional.ofNullable(query.get("language"));
      WhisperLiveTimes times = times(Optional.ofNullable(query.get("session")));
      return Optional.of(_ -> new WhisperLiveTranscriber(base, model, language, times));
    }
    throw refused();
  }

  private static WhisperLiveTimes times(Optional<String> session) {
    return session
        .map(text -> text.matches("[1-9]\\d{0,6}") ? Long.valueOf(text) : Long.valueOf(0))
        .map(
            seconds -> {
              if (seconds < SESSION_MIN) {
                throw new IllegalArgumentException(
                    "a transcriber whose session is a number of seconds from "
                        + SESSION_MIN
                        + " on");
              }
              return new WhisperLiveTimes(
                  WhisperLiveTimes.DEFAULT.quiet(), Duration.ofSeconds(seconds));
            })
        .orElse(WhisperLiveTimes.DEFAULT);
  }

  private static URI url(String text, String... schemes) {
    try {
      URI url = URI.create(text);
      for (String scheme : schemes) {
        if (scheme.equals(url.getScheme()) && url.getHost() != null) {
          return url;
        }
      }
    } catch (IllegalArgumentException e) {
      // Handled below.
    }
    throw refused();
  }

  private static IllegalArgumentException refused() {
    return new IllegalArgumentException(
        "none, command:CMD {audio}, openai:http://... or whisperlive:ws://...");
  }

  private static URI bare(URI url) {
    String text = url.toString();
    int query = text.indexOf('?');
    String bare = query < 0 ? text : text.substring(0, query);
    return URI.create(bare.endsWith("/") ? bare.substring(0, bare.length() - 1) : bare);
  }

  private static Map<String, String> query(URI url) {
    Map<String, String> query = new LinkedHashMap<>();
    if (url.getRawQuery() != null) {
      for (String pair : url.getRawQuery().split("&", -1)) {
        String[] parts = pair.split("=", 2);
        query.put(parts[0], parts.length == 1 ? "" : decoded(parts[1]));
      }
    }
    return query;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
