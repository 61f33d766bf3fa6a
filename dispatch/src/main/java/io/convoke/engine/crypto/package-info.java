/**
 * The one key that protects what is stored or handed out: it encrypts tokens and secrets at rest,
 * carries what a pod alone may read through Redis, and derives the keys of scoped credentials.
 * Hashes, which need no key, are here too. Never logs, never stores, never sends anything itself.
 */
@NullMarked
package io.convoke.engine.crypto;

import org.jspecify.annotations.NullMarked;
