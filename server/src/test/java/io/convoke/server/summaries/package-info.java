/** Tests of summaries. */
@NullMarked
package io.convoke.server.summaries;

import org.jspecify.annotations.NullMarked;
