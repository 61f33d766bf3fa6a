/**
 * The objects of the API, as its OpenAPI document has them. Generated: {@code ./convoke test -Dapi.write=true --only GeneratedClientsTest}; the
 * sha256 of the document was 24e7fa7220fd7eacb5b7f3ef843b7885f7f222436498855444860170d9a54993.
 */
@NullMarked
package io.convoke.client.types;

import org.jspecify.annotations.NullMarked;
