package io.convoke.server.recordings;

import io.convoke.engine.redis.Redis;
import io.convoke.server.platform.RecordingMail;
import io.lettuce.core.XAddArgs;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The stream in Redis that webhooks about recordings are put into: one call, no database. What is
 * lost with Redis the listing finds.
 */
public final class Mailbox implements RecordingMail {
  static final String STREAM = "convoke:recordings:mail";
  static final String BODY = "body";

  /** Letters that wait at most; who writes more loses the oldest to the listing. */
  private static final long LETTERS_MAX = 100_000;

  private final Redis redis;

  public Mailbox(Redis redis) {
    this.redis = redis;
  }

  @Override
  public void put(byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8);
    String _ =
        redis.call(
            commands ->
                commands.xadd(
                    STREAM,
                    XAddArgs.Builder.maxlen(LETTERS_MAX).approximateTrimming(),
                    Map.of(BODY, text)));
  }
}
