package io.convoke.lab.sim;

import io.convoke.lab.sim.time.SimTime;
import io.convoke.lab.sim.webhook.EndpointRequest;
import io.convoke.lab.sim.webhook.SenderSettings;
import io.convoke.lab.sim.world.Timings;
import java.time.Duration;
import java.util.Optional;

/**
 * How a simulator is set up.
 *
 * @param port 0 for any free one
 * @param seed decides scripts, faults and, together with the start, ids
 * @param speed how many scripted seconds pass in a second
 * @param apiKey what callers of the REST API must bear
 * @param webhook a webhook that is registered from the start, without a test
 * @param rateLimits whether Daily's rate limits hold
 * @param openRooms whether a bot that joins a room which does not exist makes it
 * @param presenceLag how old presence answers are, 0 to 15 s
 * @param time another clock than the wall's; it is closed with the simulator
 */
public record SimulatorOptions(
    String host,
    int port,
    long seed,
    double speed,
    String apiKey,
    Optional<EndpointRequest> webhook,
    boolean rateLimits,
    boolean openRooms,
    Duration presenceLag,
    Timings timings,
    SenderSettings sending,
    Optional<SimTime> time) {

  public static final String DEFAULT_API_KEY = "sim-api-key";

  /** Any free port on loopback, seed 1, the wall's speed, Daily's limits and timings. */
  public static SimulatorOptions defaults() {
    return new SimulatorOptions(
        "127.0.0.1",
        0,
        1,
        1,
        DEFAULT_API_KEY,
        Optional.empty(),
        true,
        false,
        Duration.ZERO,
        Timings.DAILY,
        SenderSettings.DEFAULT,
        Optional.empty());
  }

  public SimulatorOptions withHost(String other) {
    return new SimulatorOptions(
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

  public SimulatorOptions withPort(int other) {
    return new SimulatorOptions(
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

  public SimulatorOptions withSeed(long other) {
    return new SimulatorOptions(
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

  public SimulatorOptions withSpeed(double other) {
    return new SimulatorOptions(
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

  public SimulatorOptions withApiKey(String other) {
    return new SimulatorOptions(
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

  public SimulatorOptions withWebhook(EndpointRequest other) {
    return new SimulatorOptions(
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

  public SimulatorOptions withoutRateLimits() {
    return new SimulatorOptions(
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

  public SimulatorOptions withOpenRooms() {
    return new SimulatorOptions(
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

  public SimulatorOptions withPresenceLag(Duration other) {
    return new SimulatorOptions(
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

  public SimulatorOptions withTimings(Timings other) {
    return new SimulatorOptions(
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

  public SimulatorOptions withSending(SenderSettings other) {
    return new SimulatorOptions(
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

  public SimulatorOptions withTime(SimTime other) {
    return new SimulatorOptions(
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
