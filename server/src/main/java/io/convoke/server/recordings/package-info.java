/**
 * Recordings, from the first report to transcript and CRM note: discovery, matching to a meeting,
 * the one workflow per recording, and retention. This package owns {@code recordings} and its
 * dependent tables, and the transcript rows of recordings. It writes nothing while a webhook waits,
 * holds no transaction open over a network call, and decides nothing about meetings.
 */
@NullMarked
package io.convoke.server.recordings;

import org.jspecify.annotations.NullMarked;
