package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.RecordingSource.RecordingLookup;
import io.convoke.server.platform.daily.DailyConfig;
import io.convoke.server.platform.daily.DailyRecordingSource;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Lookups for webhooks do not wait again and again for a platform that is away. */
class LookupCircuitBreakerTest {
  private final AtomicInteger calls = new AtomicInteger();

  private final RateLimiter counting =
      new RateLimiter() {
        @Override
        public Optional<Duration> tryAcquire() {
          int _ = calls.incrementAndGet();
          return Optional.empty();
        }

        @Override
        public void freeze(Duration duration) {}
      };

  @Test
  void aPlatformThatIsAwayIsNotAskedForEachWebhook() {
    LookupCircuitBreaker lookups = lookups(URI.create("http://127.0.0.1:9"), "key");
    for (String id : new String[] {"one", "two", "three"}) {
      assertThat(lookups.lookUp(id)).isInstanceOf(RecordingLookup.RecordingLookupUnknown.class);
    }
    assertThat(calls).hasValue(1);
  }

  @Test
  void aPlatformThatAnswersIsAskedEachTime() {
    try (Simulator sim = Simulator.start(SimulatorConfig.defaults())) {
      LookupCircuitBreaker lookups = lookups(sim.apiUrl(), sim.apiKey());
      assertThat(lookups.lookUp("one")).isInstanceOf(RecordingLookup.RecordingNotFound.class);
      sim.faults().set(FaultKind.API_500, FaultSetting.ALWAYS.times(1));
      assertThat(lookups.lookUp("one")).isInstanceOf(RecordingLookup.RecordingLookupUnknown.class);
      assertThat(lookups.lookUp("one")).isInstanceOf(RecordingLookup.RecordingNotFound.class);
    }
    assertThat(calls).hasValue(3);
  }

  @Test
  void withoutAKeyNothingIsAsked() {
    LookupCircuitBreaker lookups = lookups(URI.create("http://127.0.0.1:9"), "");
    assertThat(lookups.lookUp("one")).isInstanceOf(RecordingLookup.RecordingLookupUnknown.class);
    assertThat(calls).hasValue(0);
  }

  private LookupCircuitBreaker lookups(URI url, String key) {
    return new LookupCircuitBreaker(
        new DailyRecordingSource(
            new DailyConfig(url, key, DailyConfig.DEFAULT_TIMEOUT),
            counting,
            RateLimiter.unlimited()));
  }
}
