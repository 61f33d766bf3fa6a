/**
 * Bounds of connections: deadlines for headers, bodies and clients that do not read, event streams,
 * and the state of a shutdown. It never looks into a request and authenticates no one.
 */
@NullMarked
package io.convoke.server.http.connection;

import org.jspecify.annotations.NullMarked;
