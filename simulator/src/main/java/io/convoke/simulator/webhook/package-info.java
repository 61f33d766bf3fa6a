/**
 * Webhooks as Daily sends them: registration with a test ping, envelopes, signatures, retries, the
 * circuit breaker, and the log of every delivery. It never changes the simulation.
 */
@NullMarked
package io.convoke.simulator.webhook;

import org.jspecify.annotations.NullMarked;
