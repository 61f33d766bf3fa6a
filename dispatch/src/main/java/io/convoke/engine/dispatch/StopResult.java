package io.convoke.engine.dispatch;

import java.util.Optional;

/** The result of a stop request and the task after it; empty if the task is unknown. */
public record StopResult(TransitionResult result, Optional<Task> task) {}
