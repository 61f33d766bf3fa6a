package io.convoke.server.doctor;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks one Redis: version, eviction policy, clock, encryption. */
public final class RedisChecks {
  private static final String UNKNOWN = "unknown";
  private static final String NEEDED = "Redis 6.2 or newer is needed";
  private static final Pattern MAJOR_AND_MINOR = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})(\\..*)?");

  private final String part;
  private final URI url;
  private final InstantSource clock;

  public RedisChecks(String part, URI url, InstantSource clock) {
    this.part = part;
    this.url = url;
    this.clock = clock;
  }

  /** Runs all checks; the first fault of the connection is the only one. */
  public List<DoctorFinding> check() {
    List<DoctorFinding> findings = new ArrayList<>();
    try (Redis redis = Redis.open(url.toString())) {
      if (redis.isNodeOfCluster()) {
        return List.of(
            DoctorFinding.fault(
                part, "a node of a cluster: only tasks can be on one, as redis-cluster://"));
      }
      findings.add(version(part, redis.clustered(), infoField(redis, "server", "redis_version")));
      findings.add(policy(infoField(redis, "memory", "maxmemory_policy")));
      findings.add(ClockSkew.check(part, clock, () -> time(redis)));
      findings.add(encryption());
    } catch (RedisUnavailable e) {
      findings.add(
          DoctorFinding.fault(part, e.getMessage() + ": check its address, password and rights"));
    }
    return findings;
  }

  /** Scripts call ZMSCORE and SMISMEMBER, streams are read by XAUTOCLAIM: all three are of 6.2. */
  static DoctorFinding version(String part, boolean clustered, String version) {
    Matcher numbers = MAJOR_AND_MINOR.matcher(version);
    if (!numbers.matches()) {
      return DoctorFinding.warn(part, "its version is " + version + "; " + NEEDED);
    }
    int major = Integer.parseInt(numbers.group(1));
    int minor = Integer.parseInt(numbers.group(2));
    return major > 6 || (major == 6 && minor >= 2)
        ? DoctorFinding.ok(part, (clustered ? "a cluster, version " : "version ") + version)
        : DoctorFinding.fault(part, NEEDED + ", this is " + version + ": upgrade it");
  }

  private DoctorFinding policy(String policy) {
    return switch (policy) {
      case "noeviction" -> DoctorFinding.ok(part, "maxmemory-policy is noeviction");
      case UNKNOWN ->
          DoctorFinding.warn(
              part, "it does not tell its maxmemory-policy, which must be noeviction");
      default ->
          DoctorFinding.fault(
              part,
              "maxmemory-policy is "
                  + policy
                  + ": Redis would delete queues and leases when its memory is full; set"
                  + " noeviction");
    };
  }

  private DoctorFinding encryption() {
    if (url.getScheme().startsWith("rediss")) {
      return DoctorFinding.ok(part, "TLS in use");
    }
    return Loopback.contains(url.getHost())
        ? DoctorFinding.ok(part, "no TLS, on this machine")
        : DoctorFinding.warn(
            part, "no TLS: names of tasks and meetings can be read on the way; use rediss://");
  }

  private Instant time(Redis redis) {
    List<String> time = redis.call(part, commands -> commands.time());
    return Instant.ofEpochSecond(Long.parseLong(time.get(0)), Long.parseLong(time.get(1)) * 1000);
  }

  private String infoField(Redis redis, String section, String field) {
    return redis
        .call(part, commands -> commands.info(section))
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .findFirst()
        .map(line -> line.substring(field.length() + 1).trim())
        .orElse(UNKNOWN);
  }
}
