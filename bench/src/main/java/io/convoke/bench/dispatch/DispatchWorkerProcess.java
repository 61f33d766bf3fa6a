package io.convoke.bench.dispatch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.convoke.bench.process.JavaChildProcess;
import io.convoke.engine.dispatch.AttemptHandler;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodCapacity;
import io.convoke.engine.dispatch.PodId;
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

/** Workers in another process: prints the nanoseconds between the time in a task and its start. */
final class DispatchWorkerProcess {
  static final String STREAM = "latency";
  private static final String URL = "REDIS_URL";
  private static final int SLOTS = 16;

  private DispatchWorkerProcess() {}

  static Process start(String kind, String url) throws java.io.IOException {
    return JavaChildProcess.start(DispatchWorkerProcess.class, Map.of(URL, url), kind);
  }

  public static void main(String[] arguments) throws Exception {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
    String url = Optional.ofNullable(System.getenv(URL)).orElseThrow();
    if (arguments[0].equals(ConvokeDispatchCandidate.NAME)) {
      pod(url);
    } else {
      group(url);
    }
    Runtime.getRuntime().halt(0);
  }

  private static void pod(String url) throws java.io.IOException {
    try (Redis redis = Redis.open(url)) {
      ConvokeDispatchCandidate.compare(redis);
      try (Pod _ =
          new Pod(
              redis,
              new PodId("latency", "eu"),
              SLOTS,
              PodCapacity.COUNT_ONLY,
              ConvokeDispatchCandidate.TERMS,
              run -> {
                begun(run.task().payload().path("payload").asString());
                return new AttemptHandler.AttemptOutcome.AttemptDone();
              })) {
        JavaChildProcess.send("ready");
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
      JavaChildProcess.send("ready");
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
    JavaChildProcess.send(Long.toString(System.nanoTime() - Long.parseLong(stamp)));
  }
}
