/** Writes the sources of the Java and the Python client that follow from the OpenAPI document. */
@NullMarked
package io.convoke.client.generate;

import org.jspecify.annotations.NullMarked;
