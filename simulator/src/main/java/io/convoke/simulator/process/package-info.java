/**
 * Child processes that end with their parent, however it ends: the embedded stores, and the servers
 * that the demo and the chaos runs start, stop and kill.
 */
@NullMarked
package io.convoke.simulator.process;

import org.jspecify.annotations.NullMarked;
