package io.convoke.server.bots;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Derives the public URL of a meeting from its id on platforms with a fixed form. Pure; callers
 * with another URL send it as {@code meeting_url}.
 */
final class MeetingAddress {
  private MeetingAddress() {}

  /** The URL to join; empty for platforms without a fixed form. */
  static Optional<String> of(String platform, String nativeId, Optional<String> passcode) {
    String id = escaped(nativeId);
    return switch (platform) {
      case "google_meet" -> Optional.of("https://meet.google.com/" + id);
      case "teams" ->
          Optional.of(
              nativeId.startsWith("19:")
                  ? "https://teams.microsoft.com/l/meetup-join/" + id + "/0"
                  : "https://teams.live.com/meet/" + id + query("p", passcode));
      case "zoom" -> Optional.of("https://zoom.us/j/" + id + query("pwd", passcode));
      default -> Optional.empty();
    };
  }

  private static String query(String name, Optional<String> passcode) {
    return passcode.map(code -> "?" + name + "=" + escaped(code)).orElse("");
  }

  private static String escaped(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
