/** Tests of resealing. */
@NullMarked
package io.convoke.server.reseal;

import org.jspecify.annotations.NullMarked;
