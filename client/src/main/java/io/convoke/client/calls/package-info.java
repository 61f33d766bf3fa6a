/**
 * The operations of the API, each with what it takes. Generated: {@code ./convoke test -Dapi.write=true --only GeneratedClientsTest}; the
 * sha256 of the document was 1f4236e33758edc3c097d708c3ab4c4b645ad502092efef441171dbfb90686ab.
 */
@NullMarked
package io.convoke.client.calls;

import org.jspecify.annotations.NullMarked;
