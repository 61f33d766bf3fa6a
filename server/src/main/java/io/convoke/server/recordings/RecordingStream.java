package io.convoke.server.recordings;

import io.convoke.engine.redis.Redis;
import io.convoke.server.platform.RecordingEventSink;
import io.lettuce.core.XAddArgs;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The Redis stream for webhooks about recordings: one call, no database. The listing finds what
 * Redis loses.
 */
public final class RecordingStream implements RecordingEventSink {
  static final String STREAM = "convoke:recordings:mail";
  static final String BODY = "body";

  /** Maximum length; beyond it the oldest entries are dropped and left to the listing. */
  private static final long LETTERS_MAX = 100_000;

  private final Redis redis;

  public RecordingStream(Redis redis) {
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
