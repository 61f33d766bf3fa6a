package io.convoke.server.meetings;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parsed meeting URL. Stricter than a browser, so that a browser cannot read another host from
 * it: no user information, no backslash, no escape or letter beyond ASCII in the host.
 *
 * @param host in lower case, without a trailing dot; an IPv6 address keeps its brackets
 * @param port empty for the scheme's default
 * @param rest path, query and fragment as they were given
 */
record MeetingLink(boolean secure, String host, Optional<Integer> port, String rest) {
  private static final Pattern FORM =
      Pattern.compile(
          "(?i)(https?)://((?:[a-z0-9-]+\\.)*[a-z0-9-]+\\.?|\\[[0-9a-f:.]{2,45}])(?::(\\d{1,5}))?([/?#][^\\s\\\\]*)?");

  /** The parts of an absolute http or https address; empty for anything else. */
  static Optional<MeetingLink> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    boolean secure = matcher.group(1).equalsIgnoreCase("https");
    String host = matcher.group(2).toLowerCase(Locale.ROOT);
    Optional<Integer> port = Optional.ofNullable(matcher.group(3)).map(Integer::valueOf);
    return Optional.of(
        new MeetingLink(
            secure,
            host.endsWith(".") ? host.substring(0, host.length() - 1) : host,
            port.filter(number -> number != (secure ? 443 : 80)),
            Optional.ofNullable(matcher.group(4)).orElse("")));
  }

  /** The segments of the path, decoded, without empty ones. */
  List<String> path() {
    return Arrays.stream(rest.split("[?#]", 2)[0].split("/"))
        .filter(segment -> !segment.isEmpty())
        .map(MeetingLink::decoded)
        .toList();
  }

  /** What follows the number sign, as it was given. */
  Optional<String> fragment() {
    int at = rest.indexOf('#');
    return at < 0 ? Optional.empty() : Optional.of(rest.substring(at + 1));
  }

  /** A parameter of the query, decoded. */
  Optional<String> query(String name) {
    String[] parts = rest.split("#", 2)[0].split("\\?", 2);
    return parts.length < 2
        ? Optional.empty()
        : Arrays.stream(parts[1].split("&"))
            .filter(pair -> pair.startsWith(name + "="))
            .map(pair -> decoded(pair.substring(name.length() + 1)))
            .filter(value -> !value.isEmpty())
            .findFirst();
  }

  /** The effective port. */
  int effectivePort() {
    return port.orElse(secure ? 443 : 80);
  }

  /** The address with its host in one spelling. */
  String text() {
    return (secure ? "https://" : "http://") + host + port.map(it -> ":" + it).orElse("") + rest;
  }

  /** Text with its percent escapes resolved; a broken escape stays as it is. */
  static String decoded(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException brokenEscape) {
      return text;
    }
  }
}
