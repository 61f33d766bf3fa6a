package io.convoke.simulator;

import io.convoke.simulator.state.SimulationTimings;
import io.convoke.simulator.time.SimulationClock;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import io.convoke.simulator.webhook.WebhookSenderConfig;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of a simulator.
 *
 * @param port 0 for any free one
 * @param seed decides scripts, faults and, together with the start, ids
 * @param speed scripted seconds per second
 * @param apiKey the key that callers of the REST API must send
 * @param webhook a webhook that is registered from the start, without a test
 * @param rateLimits whether Daily's rate limits apply
 * @param openRooms whether a bot that joins a missing room creates it
 * @param presenceLag the age of presence responses, 0 to 15 s
 * @param time a clock other than the system clock; it is closed with the simulator
 */
public record SimulatorConfig(
    String host,
    int port,
    long seed,
    double speed,
    String apiKey,
    Optional<WebhookEndpointRequest> webhook,
    boolean rateLimits,
    boolean openRooms,
    Duration presenceLag,
    SimulationTimings timings,
    WebhookSenderConfig sending,
    Optional<SimulationClock> time) {

  public static final String DEFAULT_API_KEY = "sim-api-key";

  /** Any free port on loopback, seed 1, the wall's speed, Daily's limits and timings. */
  public static SimulatorConfig defaults() {
    return new SimulatorConfig(
        "127.0.0.1",
        0,
        1,
        1,
        DEFAULT_API_KEY,
        Optional.empty(),
        true,
        false,
        Duration.ZERO,
        SimulationTimings.DAILY,
        WebhookSenderConfig.DEFAULT,
        Optional.empty());
  }

  public SimulatorConfig withHost(String other) {
    return new SimulatorConfig(
        other,
        port,
        seed,
        speed,
        apiKey,
        webhook,
        rateLimits,
        openRooms,
        presenceLag,
        timings,
        sending,
        time);
  }

  public SimulatorConfig withPort(int other) {
    return new SimulatorConfig(
        host,
        other,
        seed,
        speed,
        apiKey,
        webhook,
        rateLimits,
        openRooms,
        presenceLag,
        timings,
        sending,
        time);
  }

  public SimulatorConfig withSeed(long other) {
    return new SimulatorConfig(
        host,
        port,
        other,
        speed,
        apiKey,
        webhook,
        rateLimits,
        openRooms,
        presenceLag,
        timings,
        sending,
        time);
  }

  public SimulatorConfig withSpeed(double other) {
    return new SimulatorConfig(
        host,
        port,
        seed,
        other,
        apiKey,
        webhook,
        rateLimits,
        openRooms,
        presenceLag,
        timings,
        sending,
        time);
  }

  public SimulatorConfig withApiKey(String other) {
    return new SimulatorConfig(
        host,
        port,
        seed,
        speed,
        other,
        webhook,
        rateLimits,
        openRooms,
        presenceLag,
        timings,
        sending,
        time);
  }

  public SimulatorConfig withWebhook(WebhookEndpointRequest other) {
    return new SimulatorConfig(
        host,
        port,
        seed,
        speed,
        apiKey,
        Optional.of(other),
        rateLimits,
        openRooms,
        presenceLag,
        timings,
        sending,
        time);
  }

  public SimulatorConfig withoutRateLimits() {
    return new SimulatorConfig(
        host,
        port,
        seed,
        speed,
        apiKey,
        webhook,
        false,
        openRooms,
        presenceLag,
        timings,
        sending,
        time);
  }

  public SimulatorConfig withOpenRooms() {
    return new SimulatorConfig(
        host,
        port,
        seed,
        speed,
        apiKey,
        webhook,
        rateLimits,
        true,
        presenceLag,
        timings,
        sending,
        time);
  }

  public SimulatorConfig withPresenceLag(Duration other) {
    return new SimulatorConfig(
        host,
        port,
        seed,
        speed,
        apiKey,
        webhook,
        rateLimits,
        openRooms,
        other,
        timings,
        sending,
        time);
  }

  public SimulatorConfig withTimings(SimulationTimings other) {
    return new SimulatorConfig(
        host,
        port,
        seed,
        speed,
        apiKey,
        webhook,
        rateLimits,
        openRooms,
        presenceLag,
        other,
        sending,
        time);
  }

  public SimulatorConfig withSending(WebhookSenderConfig other) {
    return new SimulatorConfig(
        host,
        port,
        seed,
        speed,
        apiKey,
        webhook,
        rateLimits,
        openRooms,
        presenceLag,
        timings,
        other,
        time);
  }

  public SimulatorConfig withTime(SimulationClock other) {
    return new SimulatorConfig(
        host,
        port,
        seed,
        speed,
        apiKey,
        webhook,
        rateLimits,
        openRooms,
        presenceLag,
        timings,
        sending,
        Optional.of(other));
  }
}
