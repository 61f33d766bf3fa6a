package io.convoke.server.summaries;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Summarizers by the text that names them: {@code none}, {@code command:CMD}, {@code
 * openai:http://host[/path]?model=M[&max_tokens=N][&chars=N]}.
 */
public final class SummarizerFactory {
  private static final String OPENAI = "openai:";
  private static final String COMMAND = "command:";
  private static final String FORMS = "none, command:CMD or openai:http://...?model=M";

  /** About 50,000 tokens of English. */
  private static final int CHARS = 200_000;

  private static final int CHARS_MIN = 2_000;
  private static final int TOKENS = 4_000;

  private SummarizerFactory() {}

  /**
   * The summarizer of that name; empty for {@code none}.
   *
   * @param key sent as bearer to a chat API
   * @throws IllegalArgumentException with a message for the operator
   */
  public static Optional<Summarizer> of(String text, Optional<String> key) {
    return parsed(text).map(withKey -> withKey.apply(key));
  }

  /**
   * The same text, if it names a summarizer or none; makes nothing.
   *
   * @throws IllegalArgumentException with a message for the operator
   */
  public static String checked(String text) {
    var _ = parsed(text);
    return text;
  }

  /** What makes the summarizer, given a key: every option is read before. */
  private static Optional<Function<Optional<String>, Summarizer>> parsed(String text) {
    if (text.equals("none")) {
      return Optional.empty();
    }
    if (text.startsWith(COMMAND) && text.length() > COMMAND.length()) {
      String command = text.substring(COMMAND.length()).strip();
      return Optional.of(_ -> new CommandSummarizer(command, CHARS));
    }
    if (text.startsWith(OPENAI)) {
      URI url = url(text.substring(OPENAI.length()));
      Map<String, String> query = query(url);
      String model =
          Optional.ofNullable(query.get("model"))
              .filter(name -> !name.isEmpty())
              .orElseThrow(() -> new IllegalArgumentException(FORMS));
      int tokens = number(query, "max_tokens", TOKENS, 1);
      int chars = number(query, "chars", CHARS, CHARS_MIN);
      return Optional.of(key -> new ChatSummarizer(bare(url), key, model, tokens, chars));
    }
    throw new IllegalArgumentException(FORMS);
  }

  private static int number(Map<String, String> query, String name, int usual, int least) {
    return Optional.ofNullable(query.get(name))
        .map(
            value -> {
              int number = value.matches("\\d{1,9}") ? Integer.parseInt(value) : -1;
              if (number < least) {
                throw new IllegalArgumentException(
                    "a summarizer whose " + name + " is a number from " + least + " on");
              }
              return number;
            })
        .orElse(usual);
  }

  private static URI url(String text) {
    try {
      URI url = URI.create(text);
      if (url.getHost() != null
          && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))) {
        return url;
      }
    } catch (IllegalArgumentException e) {
      // Handled below.
    }
    throw new IllegalArgumentException(FORMS);
  }

  private static String bare(URI url) {
    String text = url.toString();
    int query = text.indexOf('?');
    String bare = query < 0 ? text : text.substring(0, query);
    return bare.endsWith("/") ? bare.substring(0, bare.length() - 1) : bare;
  }

  private static Map<String, String> query(URI url) {
    Map<String, String> query = new LinkedHashMap<>();
    if (url.getRawQuery() != null) {
      for (String pair : url.getRawQuery().split("&", -1)) {
        String[] parts = pair.split("=", 2);
        query.put(
            parts[0], parts.length == 1 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
      }
    }
    return query;
  }
}
