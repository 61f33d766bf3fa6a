/**
 * The operations of the API, each with what it takes. Generated: {@code ./convoke test -Dapi.write=true --only GeneratedClientsTest}; the
 * sha256 of the document was 002d9226cacfb2f3ffbed5190c0606f1406caa400b6a2697e0b304630d7c0f5e.
 */
@NullMarked
package io.convoke.client.calls;

import org.jspecify.annotations.NullMarked;
