/**
 * The recordings scenario: recordings appear on the simulated platform while webhooks are lost,
 * links expire, downloads break off, the transcriber and the CRM fail, Redis forgets and servers
 * are killed at each point of each step; people resolve and retry what waits for them. The plan is
 * pure and follows from the seed; the run carries it out and records.
 */
@NullMarked
package io.convoke.chaos.recordings;

import org.jspecify.annotations.NullMarked;
