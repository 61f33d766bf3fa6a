/**
 * Participants of meetings: webhooks enqueue events and a flag in Redis, the poll worker writes
 * sessions and counts, the timer finds missed changes, and the webhook registration is monitored.
 * On platforms that cannot be polled, bot reports are merged into the same rows. This package owns
 * {@code participant_sessions}, {@code presence}, {@code meetings.num_clients} and the status of
 * tracked meetings. It never writes {@code meetings.updated_at}, never decides about bots, and
 * never calls a platform inside a transaction.
 */
@NullMarked
package io.convoke.server.presence;

import org.jspecify.annotations.NullMarked;
