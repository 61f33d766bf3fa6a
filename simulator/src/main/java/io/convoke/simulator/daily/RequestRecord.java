package io.convoke.simulator.daily;

import java.time.Duration;
import java.time.Instant;

/**
 * One answered API request.
 *
 * @param ordinal counts from 1 over all requests
 * @param route method and path template
 * @param target method, path and query as received
 */
public record RequestRecord(
    long ordinal, Instant at, String route, String target, int status, Duration took) {}
