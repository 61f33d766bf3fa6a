/**
 * Recordings, from the first word about one to its transcript and its note in the CRM: how they are
 * found, whose they are, the one workflow that works on each, what is kept and for how long. This
 * package owns {@code recordings} and what hangs on them, and the transcript rows of recordings. It
 * writes nothing while a webhook waits, holds no transaction open over a network call, and decides
 * nothing about meetings.
 */
@NullMarked
package io.convoke.server.recordings;

import org.jspecify.annotations.NullMarked;
