/** Tests of the blob stores. */
@NullMarked
package io.convoke.server.blobs;

import org.jspecify.annotations.NullMarked;
