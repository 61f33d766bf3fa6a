/**
 * Computes the sessions of a meeting from the stored rows, the events and the platform's snapshots.
 * Pure: it never reads a clock, a store or a platform.
 */
@NullMarked
package io.convoke.server.presence.merge;

import org.jspecify.annotations.NullMarked;
