package io.convoke.engine.durable.postgres;

import java.nio.charset.StandardCharsets;

/** What things of one schema are called. */
record Names(String schema) {
  private static final int NAME_MAX = 63;

  Names {
    if (schema.isEmpty() || schema.getBytes(StandardCharsets.UTF_8).length > NAME_MAX) {
      throw new IllegalArgumentException("a schema's name has 1 to 63 bytes: " + schema);
    }
  }

  String orchestratorChannel() {
    return channel("_orch_work");
  }

  String workerChannel() {
    return channel("_worker_work");
  }

  /** Where a node hears itself, to know that it can hear. */
  String selfChannel() {
    return channel("_self");
  }

  /** Where nodes say that they hold something that the others were not told of. */
  String holdChannel() {
    return channel("_hold");
  }

  String quoted() {
    return '"' + schema.replace("\"", "\"\"") + '"';
  }

  /** The first key of the advisory locks of this schema's nodes. */
  int lockClass() {
    return ("convoke.durable/" + schema).hashCode();
  }

  /** As the trigger functions cut it. */
  private String channel(String ending) {
    int keep = NAME_MAX - ending.length();
    return (schema.length() > keep ? schema.substring(0, keep) : schema) + ending;
  }
}
