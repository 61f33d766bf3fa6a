/**
 * Webhooks as Daily sends them: registration with a test ping, envelopes, signatures, retries, the
 * circuit breaker, and the ledger of what was done to each event. It never changes the world.
 */
@NullMarked
package io.convoke.simulator.webhook;

import org.jspecify.annotations.NullMarked;
