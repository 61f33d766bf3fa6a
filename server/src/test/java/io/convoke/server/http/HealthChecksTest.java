package io.convoke.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.HealthChecks.HealthReading;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Alive, ready, degraded, and what the metrics say. */
class HealthChecksTest {
  @Test
  void degraded_is_ready_and_down_is_not() {
    try (TestServer server = TestServer.of()) {
      AtomicReference<HealthReading> redis = new AtomicReference<>(HealthReading.ok());
      server.health().register("postgres", HealthReading::ok);
      server.health().register("redis", redis::get);
      ContractClient probe = server.anonymous();

      assertThat(probe.get("/readyz").expect(200).json().path("status").asString()).isEqualTo("ok");
      redis.set(HealthReading.degraded("reconnecting"));
      var degraded = probe.get("/readyz?verbose").expect(200).json();
      assertThat(degraded.path("status").asString()).isEqualTo("degraded");
      assertThat(degraded.at("/components/1/detail").asString()).isEqualTo("reconnecting");
      redis.set(HealthReading.down("away"));
      var down = probe.get("/readyz?verbose").expect(503, "not_ready").json();
      assertThat(down.path("detail").asString()).contains("redis");
      assertThat(down.at("/components/0/status").asString()).isEqualTo("ok");
      probe.get("/livez").expect(200);
    }
  }

  @Test
  void a_check_that_throws_counts_as_down() {
    try (TestServer server = TestServer.of()) {
      server
          .health()
          .register(
              "odd",
              () -> {
                throw new IllegalStateException("secret");
              });
      assertThat(server.anonymous().get("/readyz?verbose").expect(503).body())
          .doesNotContain("secret");
    }
  }

  @Test
  void requests_are_timed_by_operation_and_class_of_status() {
    try (TestServer server = TestServer.of()) {
      ContractClient probe = server.anonymous();
      probe.get("/livez").expect(200);
      probe.get("/readyz?verbose=perhaps").expect(400);

      assertThat(probe.get("/metrics").expect(200).body())
          .contains("convoke_http_requests_seconds_count{operation=\"livez\",status=\"2xx\"} 1")
          .contains("convoke_http_requests_seconds_count{operation=\"readyz\",status=\"4xx\"} 1")
          .contains("convoke_http_streams 0.0");
    }
  }
}
