/** Tests of the pod as a program: handlers without one, and real processes with real stores. */
@NullMarked
package io.convoke.agent.pod;

import org.jspecify.annotations.NullMarked;
