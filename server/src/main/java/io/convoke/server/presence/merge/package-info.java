/**
 * Decides who is in a meeting, and since and until when, from what three witnesses say: our rows,
 * events, and the platform's answers. Pure: it owns the rules and nothing else; it never reads a
 * clock, a store or a platform.
 */
@NullMarked
package io.convoke.server.presence.merge;

import org.jspecify.annotations.NullMarked;
