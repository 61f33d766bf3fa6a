package io.convoke.server.bots;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names that bots run under: {@code convoke-bot-MEETING-ATTEMPT-CONNECTION}, the last by its
 * first eight digits.
 */
final class ContainerNames {
  private static final Pattern FORM =
      Pattern.compile("convoke-bot-([0-9]{1,18})-[0-9]+-[0-9a-f]{8}");

  private ContainerNames() {}

  static String of(long meetingId, int attempt, String connectionId) {
    return "convoke-bot-" + meetingId + "-" + attempt + "-" + connectionId.substring(0, 8);
  }

  /** The meeting of the bot with this name; empty for other containers. */
  static Optional<Long> meetingId(String name) {
    Matcher form = FORM.matcher(name);
    return form.matches() ? Optional.of(Long.parseLong(form.group(1))) : Optional.empty();
  }
}
