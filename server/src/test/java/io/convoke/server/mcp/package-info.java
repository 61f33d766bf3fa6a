/** Tests of {@code /mcp}. */
@NullMarked
package io.convoke.server.mcp;

import org.jspecify.annotations.NullMarked;
