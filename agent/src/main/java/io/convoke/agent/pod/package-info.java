/**
 * The pod as a program: it takes tasks of dispatch (seed 004) for its slots and gives each to the
 * {@link io.convoke.agent.pod.TaskHandler} of its type, a Java class or any program that a shell
 * can run. It owns arguments, settings, the order of an orderly end, what a handler sees of a task,
 * and that no token leaves by a log, a reason or an environment. Which task is whose, leases and
 * stops are {@code engine.dispatch}'s; it reads no database and calls no server.
 */
@NullMarked
package io.convoke.agent.pod;

import org.jspecify.annotations.NullMarked;
