package io.convoke.server.workflows;

import io.convoke.engine.durable.Durable;

/** A feature that brings workflows of its own. */
@FunctionalInterface
public interface WorkflowSource {

  /** Adds them to an engine. */
  void register(Durable.Builder builder);
}
