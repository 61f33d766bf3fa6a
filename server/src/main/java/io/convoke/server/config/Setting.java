package io.convoke.server.config;

import java.util.Optional;
import java.util.function.Function;

/**
 * One setting: its environment variable, its default as an operator would write it (empty for
 * none), and how its text is read. A parser throws {@link IllegalArgumentException} with the
 * expected form.
 *
 * @param secret whether the value must never be shown
 */
public record Setting<T>(
    String name, String fallback, String meaning, boolean secret, Function<String, T> parser) {

  static <T> Setting<T> setting(
      String name, String fallback, String meaning, Function<String, T> parser) {
    return new Setting<>(name, fallback, meaning, false, parser);
  }

  static Setting<Optional<String>> text(String name, String meaning) {
    return optional(name, meaning, text -> text);
  }

  static <T> Setting<Optional<T>> optional(
      String name, String meaning, Function<String, T> parser) {
    return setting(
        name,
        "",
        meaning,
        text -> text.isEmpty() ? Optional.empty() : Optional.of(parser.apply(text)));
  }

  Setting<T> asSecret() {
    return new Setting<>(name, fallback, meaning, true, parser);
  }
}
