/** Tests of the bot SDK and the reference bot. */
@NullMarked
package io.convoke.agent;

import org.jspecify.annotations.NullMarked;
