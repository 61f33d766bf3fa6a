/**
 * The durable engine in the server: which workflows there are, who owns them, and what can be seen
 * and asked of them over HTTP. What a workflow does belongs to the feature that orders it; how it
 * survives belongs to {@code engine.durable}. Nothing here reads or writes a queue by itself.
 */
@NullMarked
package io.convoke.server.workflows;

import org.jspecify.annotations.NullMarked;
