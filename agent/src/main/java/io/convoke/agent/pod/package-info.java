/**
 * The pod program: it claims tasks for its slots and runs the {@link
 * io.convoke.agent.pod.TaskHandler} of each type, a Java class or a program. It owns arguments,
 * settings, orderly shutdown, the handler's view of a task, and keeps tokens out of logs, reasons
 * and environments. Claims, leases and stops belong to {@code engine.dispatch}; a pod reads no
 * database and calls no server.
 */
@NullMarked
package io.convoke.agent.pod;

import org.jspecify.annotations.NullMarked;
