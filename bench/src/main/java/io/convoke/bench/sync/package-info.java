/**
 * The benchmark of sync status: polls and updates of Convoke's own server beside a bare HTTP server
 * and a first version of the same, each in a process of its own. It owns the requests, the
 * reference servers and the proof that all did the same work.
 */
@NullMarked
package io.convoke.bench.sync;

import org.jspecify.annotations.NullMarked;
