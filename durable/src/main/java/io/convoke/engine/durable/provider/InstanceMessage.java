package io.convoke.engine.durable.provider;

import java.time.Instant;
import java.util.Optional;

/**
 * A message to a workflow instance.
 *
 * @param item its content, opaque to the provider
 * @param visibleAt when it may be claimed, by the store's clock; empty is at once
 */
public record InstanceMessage(String instanceId, String item, Optional<Instant> visibleAt) {
  public InstanceMessage(String instanceId, String item) {
    this(instanceId, item, Optional.empty());
  }
}
