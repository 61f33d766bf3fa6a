/**
 * Who is in which meeting: webhooks become evidence and a flag in Redis, the poll worker writes
 * sessions and counts, the timer finds what was missed, the webhook itself is watched; where no
 * platform can be asked, reports of bots take the same way into the rows. This package owns {@code
 * participant_sessions}, {@code presence}, {@code meetings.num_clients} and the status of tracked
 * meetings. It never writes {@code meetings.updated_at}, never decides about bots, and never calls
 * a platform inside a transaction.
 */
@NullMarked
package io.convoke.server.presence;

import org.jspecify.annotations.NullMarked;
