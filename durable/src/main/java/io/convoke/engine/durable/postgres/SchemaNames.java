package io.convoke.engine.durable.postgres;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What things of one schema are called. */
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

  /** As the trigger functions make it. */
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
}
