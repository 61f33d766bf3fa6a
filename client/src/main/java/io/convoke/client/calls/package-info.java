/**
 * The operations of the API, each with what it takes. Generated: {@code ./convoke test -Dapi.write=true --only GeneratedClientsTest}; the
 * sha256 of the document was 9ffa9f9bad28e619b4ea2443f440f2763c5417583433c7898504328543eb0733.
 */
@NullMarked
package io.convoke.client.calls;

import org.jspecify.annotations.NullMarked;
