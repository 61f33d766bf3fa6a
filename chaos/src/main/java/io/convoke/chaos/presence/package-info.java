/**
 * The presence scenario: people come and go in rooms of the simulator while webhooks are lost,
 * repeated, reordered and late, the platform's API fails, servers are killed and Redis forgets;
 * then all is quiet and the servers' story must be the platform's. The plan is pure and follows
 * from the seed; the run carries it out and records.
 */
@NullMarked
package io.convoke.chaos.presence;

import org.jspecify.annotations.NullMarked;
