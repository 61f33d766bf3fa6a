package io.convoke.agent.pod;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.RetryBackoff;
import io.convoke.engine.redis.Redis;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a pod from its environment: the URL of the Redis that has the tasks, as servers
 * find it, the key that opens tokens, and the dispatch settings that pods apply, which must equal
 * those of the servers. Other {@code CONVOKE_*} variables are ignored.
 */
record PodSettings(String redisUrl, AccessTokenSealer tokens, DispatchConfig config) {
  private static final String POD_KEY = "CONVOKE_POD_KEY";
  private static final String TASKS_REDIS = "CONVOKE_DISPATCH_REDIS_URL";
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

  /**
   * Reads the settings.
   *
   * @throws UsageException with every fault, one a line, none with a secret
   */
  static PodSettings read(Map<String, String> environment) {
    SettingReader settingReader = new SettingReader(environment, new ArrayList<>());
    Optional<String> redis =
        settingReader.needed(
            environment.getOrDefault(TASKS_REDIS, "").isEmpty() ? "CONVOKE_REDIS_URL" : TASKS_REDIS,
            "redis://:pass@host:port, or with rediss://, redis-sentinel:// or redis-cluster://",
            SettingReader::redis);
    Optional<AccessTokenSealer> tokens =
        environment.getOrDefault(POD_KEY, "").isEmpty()
            ? settingReader.needed(
                "CONVOKE_SECRET_KEY",
                "base64 of 32 bytes, the key of the server; or give the pod " + POD_KEY,
                text -> new AccessTokenSealer(SecretBox.parse(text)))
            : settingReader.needed(
                POD_KEY,
                "what `convoke pod-key` prints",
                text -> AccessTokenSealer.ofPodKey(SecretBox.parse(text)));
    Duration lease = settingReader.duration("CONVOKE_DISPATCH_LEASE", Duration.ofSeconds(45));
    Optional<Duration> deadAfter = settingReader.maybeDuration("CONVOKE_DISPATCH_DEAD_AFTER");
    deadAfter
        .filter(silence -> silence.compareTo(lease) > 0)
        .ifPresent(
            _ ->
                settingReader
                    .faults()
                    .add("CONVOKE_DISPATCH_DEAD_AFTER is longer than CONVOKE_DISPATCH_LEASE"));
    Duration backoff =
        settingReader.duration("CONVOKE_DISPATCH_RETRY_BACKOFF", Duration.ofSeconds(1));
    Duration backoffMax =
        settingReader.duration("CONVOKE_DISPATCH_RETRY_BACKOFF_MAX", Duration.ofSeconds(30));
    int attempts =
        settingReader.or(
            "CONVOKE_DISPATCH_MAX_ATTEMPTS", "a number from 1 to 1000", 5, SettingReader::attempts);
    if (!settingReader.faults().isEmpty()) {
      throw new UsageException(String.join("\n", settingReader.faults()));
    }
    // Servers alone apply the timeout of tasks and the time after which they go before others.
    DispatchConfig standard = DispatchConfig.seed();
    return new PodSettings(
        redis.orElseThrow(),
        tokens.orElseThrow(),
        DispatchConfig.of(standard.taskTimeout(), lease, attempts, standard.overflowAfter())
            .deadAfter(deadAfter)
            .with(RetryBackoff.of(backoff, backoffMax)));
  }

  /** Reads the settings and collects their faults. */
  private record SettingReader(Map<String, String> environment, List<String> faults) {
    private static final String A_DURATION = "a duration like 1500ms, 30s or 5m";

    <T> Optional<T> needed(String name, String form, Function<String, T> parser) {
      if (environment.getOrDefault(name, "").isEmpty()) {
        boolean _ = faults.add(name + " is missing: " + form);
        return Optional.empty();
      }
      return parsed(name, form, parser);
    }

    <T> T or(String name, String form, T otherwise, Function<String, T> parser) {
      return environment.getOrDefault(name, "").isEmpty()
          ? otherwise
          : parsed(name, form, parser).orElse(otherwise);
    }

    Optional<Duration> maybeDuration(String name) {
      return or(name, A_DURATION, Optional.empty(), text -> Optional.of(time(text)));
    }

    Duration duration(String name, Duration otherwise) {
      return or(name, A_DURATION, otherwise, SettingReader::time);
    }

    private <T> Optional<T> parsed(String name, String form, Function<String, T> parser) {
      @Nullable String text = environment.get(name);
      try {
        return Optional.of(parser.apply(text == null ? "" : text));
      } catch (IllegalArgumentException e) {
        boolean _ = faults.add(name + " must be " + form);
        return Optional.empty();
      }
    }

    static String redis(String text) {
      URI url = URI.create(text);
      if (url.getScheme() == null
          || !url.getScheme().matches("redis|rediss|redis-sentinel|rediss?-cluster")) {
        throw new IllegalArgumentException("another scheme");
      }
      Redis.check(text);
      return text;
    }

    static int attempts(String text) {
      int number = Integer.parseInt(text);
      if (number < 1 || number > 1000) {
        throw new IllegalArgumentException("out of bounds");
      }
      return number;
    }

    static Duration time(String text) {
      Duration duration = length(text);
      if (duration.isZero()) {
        throw new IllegalArgumentException("zero duration");
      }
      return duration;
    }
  }

  /** A number with its unit: {@code 1500ms}, {@code 30s}, {@code 5m}, {@code 1h}, {@code 3d}. */
  static Duration length(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a duration like 1500ms, 30s or 5m: " + text);
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }
}
