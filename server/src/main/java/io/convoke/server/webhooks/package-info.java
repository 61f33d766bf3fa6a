/**
 * Webhooks out: endpoints that users register, and what happens to their meetings delivered there
 * by Standard Webhooks. Owns {@code webhook_endpoints}, their deliveries and their log. It reads
 * the journal and never writes what others own.
 *
 * <p>The router makes deliveries of journal rows, once each; a workflow for each endpoint and
 * subject sends them in order. An endpoint that fails for 72 hours is paused, and nothing is lost:
 * the journal keeps what happens meanwhile.
 */
@NullMarked
package io.convoke.server.webhooks;

import org.jspecify.annotations.NullMarked;
