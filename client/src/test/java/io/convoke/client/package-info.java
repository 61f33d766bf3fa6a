/** Tests of the client against servers that misbehave in every way that a network has. */
@NullMarked
package io.convoke.client;

import org.jspecify.annotations.NullMarked;
