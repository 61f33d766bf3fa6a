/**
 * The operations of the API, each with what it takes. Generated: {@code ./convoke test -Dapi.write=true --only GeneratedClientsTest}; the
 * sha256 of the document was a2b74bd5663f1d07727686ada52310c96bec4845d386195df181c727ec1be5ea.
 */
@NullMarked
package io.convoke.client.calls;

import org.jspecify.annotations.NullMarked;
