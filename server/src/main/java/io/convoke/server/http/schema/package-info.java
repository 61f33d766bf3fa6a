/**
 * JSON Schema at the edge: reads JSON strictly, validates it against the schemas of endpoints, and
 * renders the OpenAPI document. It never serves a request and defines no schemas of features.
 */
@NullMarked
package io.convoke.server.http.schema;

import org.jspecify.annotations.NullMarked;
