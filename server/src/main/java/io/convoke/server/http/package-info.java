/**
 * The HTTP frame: descriptors of endpoints, and everything that follows from them.
 *
 * <p>A feature describes what it serves as a list of {@link io.convoke.server.http.Endpoint}s.
 * Routing, input checks, roles, idempotency, metrics and the OpenAPI document all come from that
 * description, so none of them can drift from the others. This package is the only one that knows
 * the web server underneath (Helidon). It decides nothing about meetings, bots or users: it
 * authenticates the caller and passes the request to the feature.
 */
@NullMarked
package io.convoke.server.http;

import org.jspecify.annotations.NullMarked;
