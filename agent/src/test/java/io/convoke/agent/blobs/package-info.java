/** Tests of the blob stores. */
@NullMarked
package io.convoke.agent.blobs;

import org.jspecify.annotations.NullMarked;
