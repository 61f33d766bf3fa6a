package io.convoke.server.quota;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.http.QuotaName;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The limits of each user.
 *
 * @param limits without an entry, or with 0: unlimited
 */
public record QuotaConfig(Map<QuotaName, Long> limits) {
  public QuotaConfig {
    limits = Map.copyOf(limits);
  }

  /** Reads the settings. */
  public static QuotaConfig of(ServerConfig config) {
    Map<QuotaName, Long> limits = new EnumMap<>(QuotaName.class);
    for (QuotaName quota : QuotaName.values()) {
      limits.put(
          quota,
          config.get(
              switch (quota) {
                case TASKS -> Settings.QUOTA_TASKS;
                case MEETINGS -> Settings.QUOTA_MEETINGS;
                case SCHEDULES -> Settings.QUOTA_SCHEDULES;
                case STREAMS -> Settings.QUOTA_STREAMS;
                case WEBHOOKS -> Settings.QUOTA_WEBHOOKS;
                case ROOMS -> Settings.QUOTA_ROOMS;
                case STORED_BYTES -> Settings.QUOTA_STORED_BYTES;
              }));
    }
    return new QuotaConfig(limits);
  }

  Optional<Long> limit(QuotaName quota) {
    return Optional.ofNullable(limits.get(quota)).filter(limit -> limit > 0);
  }
}
