package io.convoke.chaos.history;

import java.time.Instant;
import java.util.Optional;

/**
 * One request that was made to a server under torment.
 *
 * @param what names it, such as the webhook's type and session
 * @param status empty when nobody answered, which is no fault while a server is down
 */
public record ObservedCall(Instant at, String what, Optional<Integer> status) {}
