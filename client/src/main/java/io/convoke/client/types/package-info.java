/**
 * The objects of the API, as its OpenAPI document has them. Generated: {@code ./convoke test -Dapi.write=true --only GeneratedClientsTest}; the
 * sha256 of the document was 81d720b50d9d0c4e8ed9c76bd43b834f1998f3502c63ff9cc9da6452fddafcba.
 */
@NullMarked
package io.convoke.client.types;

import org.jspecify.annotations.NullMarked;
