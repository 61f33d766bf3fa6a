/**
 * The one key that protects what is stored or handed out: it encrypts tokens and secrets at rest
 * and derives the keys of scoped credentials. Never logs, never stores, never sends anything
 * itself.
 */
@NullMarked
package io.convoke.server.secret;

import org.jspecify.annotations.NullMarked;
