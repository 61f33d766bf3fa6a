package io.convoke.simulator.fault;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A kind of fault. Its wire name is its name in lower case. */
public enum FaultKind {
  /** A webhook is never sent. */
  WEBHOOK_DROP("never sent", false),
  /** A webhook is sent again, up to {@code amount} later. */
  WEBHOOK_REPEAT("sent twice, the second up to the span later", true),
  /** Holds a webhook until the room's next one has been sent, at most {@code amount}. */
  WEBHOOK_REORDER("held until the room's next one has gone, the span at most", true),
  /** A webhook is sent up to {@code amount} late. */
  WEBHOOK_DELAY("up to the span late, others pass", true),
  /** The API answers 404 for something that exists. */
  API_404("a thing that exists is not found", false),
  /** The API answers 429 with Retry-After {@code amount}, at least one second. */
  API_429("refused, to come back after the span", true),
  /** The API answers 500. */
  API_500("refused as an error of the platform", false),
  /** The API answers up to {@code amount} late. */
  API_SLOW("answered up to the span late", true),
  /** Presence shows how it was up to {@code amount} ago. */
  PRESENCE_STALE("as it was up to the span ago", true),
  /** Presence omits part of the participants; the total count stays right. */
  PRESENCE_TRUNCATED("half of the people are missing", false),
  /** Presence reports empty rooms. */
  PRESENCE_EMPTY("reports empty rooms", false),
  /** A link to a recording is over before it is used. */
  LINK_EXPIRED("over before it is used", false),
  /** A download breaks off after half of the requested bytes. */
  DOWNLOAD_CUT("breaks off after half", false),
  /** A participant's name is null in every response; chosen per session. */
  NULL_NAMES("names are null, for some people", false);

  private final String effect;
  private final boolean lasting;

  FaultKind(String effect, boolean lasting) {
    this.effect = effect;
    this.lasting = lasting;
  }

  /** Its effect on a call or an event, for the user interface. */
  public String effect() {
    return effect;
  }

  /** Whether it delays, so that {@link FaultSetting#amount} has a meaning. */
  public boolean lasting() {
    return lasting;
  }

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The kind with this wire name, if there is one. */
  public static Optional<FaultKind> named(String wireName) {
    return Arrays.stream(values()).filter(kind -> kind.wireName().equals(wireName)).findFirst();
  }
}
