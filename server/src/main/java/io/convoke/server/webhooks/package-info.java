/**
 * Outgoing webhooks: delivers events of meetings to endpoints that users register, by Standard
 * Webhooks. Owns {@code webhook_endpoints}, their deliveries and their log. It reads the journal
 * and writes no tables of other features.
 *
 * <p>The router creates one delivery per journal event and endpoint; one workflow per lane sends
 * them, in order within a subject. An endpoint that fails for 72 hours is paused; the journal keeps
 * later events.
 */
@NullMarked
package io.convoke.server.webhooks;

import org.jspecify.annotations.NullMarked;
