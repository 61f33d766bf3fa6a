/**
 * What a feature needs to describe and serve its endpoints: descriptors, requests, responses,
 * problems, schemas, callers.
 *
 * <p>A feature describes what it serves as a list of {@link io.convoke.server.http.Endpoint}s.
 * Routing, input checks, roles, idempotency, metrics and the OpenAPI document all come from that
 * description, so none of them can drift from the others. This package uses none of its
 * subpackages; they and it are the only ones that use the web server (Helidon). It decides nothing
 * about meetings, bots or users.
 */
@NullMarked
package io.convoke.server.http;

import org.jspecify.annotations.NullMarked;
