/**
 * Interfaces to meeting platforms: participants of one room or of all rooms, whether a meeting is
 * over, recordings, the webhook registration, and bot reports for platforms that cannot be polled.
 * Failures are values: a slow, refusing or unreachable platform gives {@code Unknown}, never an
 * empty room. This package decides nothing about sessions and writes nothing.
 */
@NullMarked
package io.convoke.server.platform;

import org.jspecify.annotations.NullMarked;
