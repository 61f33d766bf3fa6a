package io.convoke.chaos.history;

import java.time.Duration;

/**
 * How wrong a right server may be.
 *
 * @param exact a time that an event told
 * @param coarse how far the platform's presence may be off when it tells the time of a join
 * @param lag how long the platform may still show somebody who is gone
 * @param freshness a change that no event told, from happening to being known
 */
public record PresenceBounds(Duration exact, Duration coarse, Duration lag, Duration freshness) {}
