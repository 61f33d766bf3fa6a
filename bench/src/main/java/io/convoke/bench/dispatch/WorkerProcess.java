package io.convoke.bench.dispatch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.convoke.bench.child.JavaChild;
import io.convoke.engine.dispatch.Capacity;
import io.convoke.engine.dispatch.Handler;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodName;
import io.convoke.engine.redis.Redis;
import io.lettuce.core.Consumer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XGroupCreateArgs;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.XReadArgs.StreamOffset;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/** Workers in another process: says how many nanoseconds lie between the time in a task and now. */
final class WorkerProcess {
  static final String STREAM = "latency";
  private static final String URL = "REDIS_URL";
  private static final int SLOTS = 16;

  private WorkerProcess() {}

  static Process start(String kind, String url) throws java.io.IOException {
    return JavaChild.start(WorkerProcess.class, Map.of(URL, url), kind);
  }

  public static void main(String[] arguments) throws Exception {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
    String url = Optional.ofNullable(System.getenv(URL)).orElseThrow();
    if (arguments[0].equals(ConvokeLine.NAME)) {
      pod(url);
    } else {
      group(url);
    }
    Runtime.getRuntime().halt(0);
  }

  private static void pod(String url) throws java.io.IOException {
    try (Redis redis = Redis.open(url)) {
      ConvokeLine.compare(redis);
      try (Pod _ =
          new Pod(
              redis,
              new PodName("latency", "eu"),
              SLOTS,
              Capacity.COUNT_ONLY,
              ConvokeLine.TERMS,
              run -> {
                begun(run.task().payload().path("payload").asString());
                return new Handler.Outcome.Done();
              })) {
        JavaChild.say("ready");
        int _ = System.in.read();
      }
    }
  }

  @SuppressWarnings("unchecked") // the client takes its streams as an array of generics
  private static void group(String url) {
    try (StatefulRedisConnection<String, String> own = RedisClient.create(url).connect()) {
      own.setTimeout(Duration.ofMinutes(10));
      String _ =
          own.sync()
              .xgroupCreate(
                  StreamOffset.from(STREAM, "0"), "group", XGroupCreateArgs.Builder.mkstream());
      JavaChild.say("ready");
      while (true) {
        List<StreamMessage<String, String>> some =
            own.sync()
                .xreadgroup(
                    Consumer.from("group", "one"),
                    XReadArgs.Builder.block(Duration.ofMinutes(5)).count(SLOTS),
                    StreamOffset.lastConsumed(STREAM));
        for (StreamMessage<String, String> one : some) {
          begun(one.getBody().getOrDefault("payload", "0"));
          long _ = own.sync().xack(STREAM, "group", one.getId());
          long _ = own.sync().xdel(STREAM, one.getId());
        }
      }
    }
  }

  private static void begun(String stamp) {
    JavaChild.say(Long.toString(System.nanoTime() - Long.parseLong(stamp)));
  }
}
