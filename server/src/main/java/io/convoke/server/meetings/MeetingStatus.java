package io.convoke.server.meetings;

import java.util.Locale;

/** The states of a meeting row (bots-5). */
public enum MeetingStatus {
  /** Reserved under the user's limit; the bot has not called yet. */
  RESERVED,
  /** The bot's process runs and tries to get in. */
  STARTING,
  /** The bot is in the meeting; for a tracked row, the meeting is running. */
  ACTIVE,
  /** The bot is on its way out. */
  STOPPING,
  /** Ended well. */
  COMPLETED,
  /** Ended badly, or before the bot was ever admitted. */
  FAILED;

  /** Whether the state is final. */
  public boolean terminal() {
    return this == COMPLETED || this == FAILED;
  }

  /** The value in the database and in JSON. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Parses the database's value. Imported databases may hold {@code requested} and {@code error},
   * which read as reserved and failed (bots-16).
   *
   * @throws IllegalArgumentException for an unknown value
   */
  public static MeetingStatus of(String value) {
    return switch (value) {
      case "requested" -> RESERVED;
      case "error" -> FAILED;
      default -> valueOf(value.toUpperCase(Locale.ROOT));
    };
  }
}
