/** Tests of pictures of simulated meetings: each part for itself, and the pictures looked at. */
@NullMarked
package io.convoke.agent.snapshot;

import org.jspecify.annotations.NullMarked;
