package io.convoke.chaos.history;

import java.time.Duration;

/**
 * Tolerances of the presence rules.
 *
 * @param exact error of a time taken from an event
 * @param coarse error of a join time taken from the platform's presence API
 * @param lag how long the platform may still list a participant that left
 * @param freshness time until a change without an event is detected
 */
public record PresenceBounds(Duration exact, Duration coarse, Duration lag, Duration freshness) {}
