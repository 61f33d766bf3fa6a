/**
 * The objects of the API, as its OpenAPI document has them. Generated: {@code ./convoke test -Dapi.write=true --only GeneratedClientsTest}; the
 * sha256 of the document was 06c8b9490eecf20a381a900c28c50adc525b2998f98d70dc6d446c7db4a82c02.
 */
@NullMarked
package io.convoke.client.types;

import org.jspecify.annotations.NullMarked;
