package io.convoke.chaos.history;

import java.time.Instant;
import java.util.Optional;

/**
 * A request to a server under test.
 *
 * @param what identifies it, such as the webhook's type and session
 * @param status empty without a response, which is allowed while a server is down
 */
public record ObservedCall(Instant at, String what, Optional<Integer> status) {}
