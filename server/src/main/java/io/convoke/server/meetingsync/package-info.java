/**
 * The sync of meetings that have no recording: the words of bots, or attendance alone, as one note
 * for the CRM. It starts when a meeting has ended, and leaves a meeting with a recording to the
 * recordings. It never changes a meeting, and without a CRM it does nothing.
 */
@NullMarked
package io.convoke.server.meetingsync;

import org.jspecify.annotations.NullMarked;
