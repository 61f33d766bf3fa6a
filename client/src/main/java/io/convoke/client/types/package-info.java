/**
 * The objects of the API, as its OpenAPI document has them. Generated: {@code ./convoke test -Dapi.write=true --only GeneratedClientsTest}; the
 * sha256 of the document was ed40b49ffb30df6f3eeb99ca7e9a1d0bc396db84fea69c2a03f4530ab2d29fea.
 */
@NullMarked
package io.convoke.client.types;

import org.jspecify.annotations.NullMarked;
