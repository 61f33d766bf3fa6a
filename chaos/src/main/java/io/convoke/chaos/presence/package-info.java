/**
 * The presence scenario: people join and leave rooms of the simulator while webhooks are lost,
 * repeated, reordered and delayed, the platform's API fails, servers are killed and Redis loses its
 * data; then the servers must agree with the platform. The plan is pure and follows from the seed;
 * the run executes it and records.
 */
@NullMarked
package io.convoke.chaos.presence;

import org.jspecify.annotations.NullMarked;
