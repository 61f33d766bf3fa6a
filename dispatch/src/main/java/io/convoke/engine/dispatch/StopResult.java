package io.convoke.engine.dispatch;

import java.util.Optional;

/** How a wish to stop was taken, and the task as it stands then; empty if it is unknown. */
public record StopResult(TransitionResult result, Optional<Task> task) {}
