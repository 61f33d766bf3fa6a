package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.QueueSnapshot.QueueKind;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The names of channels and locks of one schema. */
record SchemaNames(String schema) {
  private static final int NAME_MAX = 63;

  SchemaNames {
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

  /** The channel of jobs, whose payload names their pool after the instant. */
  String jobChannel() {
    return channel("_job_work");
  }

  /** The channel on which a node notifies itself, to check that LISTEN delivers. */
  String selfChannel() {
    return channel("_self");
  }

  /** The channel on which nodes announce that they hold locks on new items. */
  String holdChannel() {
    return channel("_hold");
  }

  /** The channel on which nodes ask for the ends of instances. */
  String awaitChannel() {
    return channel("_await");
  }

  /** The channel on which nodes announce instances that have ended. */
  String endChannel() {
    return channel("_end");
  }

  String quoted() {
    return '"' + schema.replace("\"", "\"\"") + '"';
  }

  /** The first key of the advisory locks of this schema's nodes. */
  int lockClass() {
    return ("convoke.durable/" + schema).hashCode();
  }

  /** The name of a channel, as the trigger functions build it. */
  private String channel(String ending) {
    byte[] name = schema.getBytes(StandardCharsets.UTF_8);
    return (name.length <= NAME_MAX - ending.length() ? schema : md5(name)) + ending;
  }

  private static String md5(byte[] name) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(name));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The channel that tells of new work in a queue. */
  String channel(QueueKind queueKind) {
    return switch (queueKind) {
      case ORCHESTRATOR -> orchestratorChannel();
      case WORKER -> workerChannel();
    };
  }
}
