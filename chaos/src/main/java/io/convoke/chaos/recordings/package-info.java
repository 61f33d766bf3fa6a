/**
 * The recordings scenario: recordings appear on the simulated platform while webhooks are lost,
 * links expire, downloads break off, transcriber and CRM fail, Redis loses its data and servers are
 * killed at each point of each step; simulated users resolve and retry. The plan is pure and
 * follows from the seed; the run executes it and records.
 */
@NullMarked
package io.convoke.chaos.recordings;

import org.jspecify.annotations.NullMarked;
