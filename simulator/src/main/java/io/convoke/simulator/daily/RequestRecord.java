package io.convoke.simulator.daily;

import java.time.Duration;
import java.time.Instant;

/**
 * One API request that was answered.
 *
 * @param ordinal counts from 1 over all requests
 * @param route method and path template
 * @param target method, path and query as they came
 */
public record RequestRecord(
    long ordinal, Instant at, String route, String target, int status, Duration took) {}
