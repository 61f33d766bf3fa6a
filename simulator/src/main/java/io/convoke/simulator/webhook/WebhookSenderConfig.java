package io.convoke.simulator.webhook;

import java.time.Duration;

/**
 * How webhooks are sent.
 *
 * @param timeout how long an answer may take, by the wall
 * @param firstGap the scripted pause before the second try of an exponential retry; each next one
 *     is four times as long, up to 15 minutes
 * @param millisecondTimestamps whether the timestamp header counts milliseconds; Daily's unit is
 *     not documented, so a receiver must cope with both
 */
public record WebhookSenderConfig(
    Duration timeout, Duration firstGap, boolean millisecondTimestamps) {

  public static final WebhookSenderConfig DEFAULT =
      new WebhookSenderConfig(Duration.ofSeconds(5), Duration.ofSeconds(15), false);

  public WebhookSenderConfig withTimeout(Duration span) {
    return new WebhookSenderConfig(span, firstGap, millisecondTimestamps);
  }

  public WebhookSenderConfig withFirstGap(Duration span) {
    return new WebhookSenderConfig(timeout, span, millisecondTimestamps);
  }

  public WebhookSenderConfig withMillisecondTimestamps() {
    return new WebhookSenderConfig(timeout, firstGap, true);
  }

  /** The scripted pause after this many failed tries. */
  Duration gapAfter(int tries) {
    Duration longest = Duration.ofMinutes(15);
    Duration gap = firstGap.multipliedBy(1L << (2 * (tries - 1)));
    return gap.compareTo(longest) < 0 ? gap : longest;
  }
}
