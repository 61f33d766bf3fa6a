package io.convoke.server.platform.daily;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import tools.jackson.databind.JsonNode;

/** Parses texts, numbers and times of Daily, in events and responses. */
final class DailyValueParser {

  /** A larger time is in milliseconds. */
  private static final double MILLISECONDS_FROM = 1e11;

  /** In the year 2096: a later time is damaged, and may overflow when a duration is added. */
  private static final Instant END = Instant.ofEpochMilli(4_000_000_000_000L);

  /** Longest text; longer names are truncated. */
  private static final int MAX_TEXT = 500;

  private DailyValueParser() {}

  static Optional<String> text(JsonNode node, String field) {
    JsonNode value = node.path(field);
    return value.isString() ? text(value.asString()) : Optional.empty();
  }

  static Optional<Instant> time(JsonNode node, String field) {
    OptionalDouble number = number(node, field);
    return number.isPresent()
        ? time(number.getAsDouble())
        : text(node, field).flatMap(DailyValueParser::time);
  }

  /** A number; absent if missing or not finite. */
  static OptionalDouble number(JsonNode node, String field) {
    JsonNode value = node.path(field);
    return value.isNumber() ? value.asDoubleOpt() : OptionalDouble.empty();
  }

  /** A text without NUL, which Postgres cannot store. */
  static Optional<String> text(String raw) {
    String text = (raw.indexOf('\0') < 0 ? raw : raw.replace("\0", "")).strip();
    return Optional.of(text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text)
        .filter(it -> !it.isEmpty());
  }

  /** Seconds or milliseconds. */
  static Optional<Instant> time(double number) {
    double millis = number > MILLISECONDS_FROM ? number : number * 1000;
    boolean plausible = millis > 0 && millis < END.toEpochMilli();
    return plausible ? Optional.of(Instant.ofEpochMilli(Math.round(millis))) : Optional.empty();
  }

  /** RFC 3339. */
  static Optional<Instant> time(String text) {
    try {
      return Optional.of(Instant.parse(text))
          .filter(time -> time.isAfter(Instant.EPOCH) && time.isBefore(END));
    } catch (DateTimeException notTime) {
      return Optional.empty();
    }
  }
}
