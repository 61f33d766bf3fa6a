/**
 * The HTTP API of tasks (docs/spec/contract.md, "Tasks"): authorization, sealing of tokens before
 * they are stored, lists, dead letters, journal rows of transitions, metrics. {@code
 * engine.dispatch} decides which pod runs a task, when and how often; this package writes no task
 * state.
 */
@NullMarked
package io.convoke.server.dispatch;

import org.jspecify.annotations.NullMarked;
