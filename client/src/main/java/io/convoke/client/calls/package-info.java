/**
 * The operations of the API, each with what it takes. Generated: {@code ./convoke test -Dapi.write=true --only GeneratedClientsTest}; the
 * sha256 of the document was caf2fa0f293f5b5f18b3321fcc5dd52e6bd82190619a4866978649533efdf2c4.
 */
@NullMarked
package io.convoke.client.calls;

import org.jspecify.annotations.NullMarked;
