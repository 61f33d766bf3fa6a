package io.convoke.lab.sim.fault;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What can go wrong. The wire name of a kind is its own name in lower case. */
public enum FaultKind {
  /** A webhook is never sent. */
  WEBHOOK_DROP,
  /** A webhook is sent again, up to {@code amount} later. */
  WEBHOOK_REPEAT,
  /** A webhook is held until the room's next one has been sent, at most {@code amount}. */
  WEBHOOK_REORDER,
  /** A webhook is sent up to {@code amount} late. */
  WEBHOOK_DELAY,
  /** The API answers 404 for something that exists. */
  API_404,
  /** The API answers 429 with Retry-After {@code amount}, at least one second. */
  API_429,
  /** The API answers 500. */
  API_500,
  /** The API answers up to {@code amount} late. */
  API_SLOW,
  /** Presence shows how it was up to {@code amount} ago. */
  PRESENCE_STALE,
  /** Presence leaves out part of the people; the total count stays right. */
  PRESENCE_TRUNCATED,
  /** Presence answers that nobody is there. */
  PRESENCE_EMPTY,
  /** A link to a recording is over before it is used. */
  LINK_EXPIRED,
  /** A download breaks off after half of what was asked for. */
  DOWNLOAD_CUT,
  /** Somebody's name is null wherever it would be shown; the choice is made per session. */
  NULL_NAMES;

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The kind with this wire name, if there is one. */
  public static Optional<FaultKind> named(String wireName) {
    return Arrays.stream(values()).filter(kind -> kind.wireName().equals(wireName)).findFirst();
  }
}
