package io.convoke.simulator.daily;

import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSwitches;
import io.convoke.simulator.http.RequestFilter;
import io.convoke.simulator.http.RequestHandler;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import io.convoke.simulator.time.SimulationClock;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** Stands before every API route: counts, authenticates, limits the rate and injects faults. */
final class ApiRequestGuard implements RequestFilter {

  private static final String SCHEME = "Bearer ";

  private final SimulationClock time;
  private final FaultSwitches faultSwitches;
  private final RequestLog log;
  private final Optional<DailyRateLimiter> limits;
  private final byte[] apiKey;

  ApiRequestGuard(
      SimulationClock time,
      FaultSwitches faultSwitches,
      RequestLog log,
      Optional<DailyRateLimiter> limits,
      String apiKey) {
    this.time = time;
    this.faultSwitches = faultSwitches;
    this.log = log;
    this.limits = limits;
    this.apiKey = apiKey.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public SimResponse answer(SimRequest simRequest, RequestHandler requestHandler) {
    Instant at = time.instant();
    long start = System.nanoTime();
    String key = simRequest.route() + "#" + log.arrive(simRequest.route());
    faultSwitches.strike(FaultKind.API_SLOW, simRequest.route(), key).ifPresent(this::pause);
    SimResponse simResponse =
        unauthorised(simRequest)
            .or(() -> tooMany(simRequest, at))
            .or(() -> injectedFault(simRequest, key))
            .orElseGet(() -> requestHandler.handle(simRequest));
    log.answered(
        at,
        simRequest.route(),
        simRequest.target(),
        simResponse.status(),
        Duration.ofNanos(System.nanoTime() - start));
    return simResponse;
  }

  private Optional<SimResponse> unauthorised(SimRequest simRequest) {
    Optional<String> header = simRequest.header("Authorization");
    if (header.filter(value -> value.startsWith(SCHEME)).isEmpty()) {
      return Optional.of(
          DailyError.AUTHORIZATION_HEADER.answer("missing or malformed authorization header"));
    }
    byte[] given = header.get().substring(SCHEME.length()).getBytes(StandardCharsets.UTF_8);
    return MessageDigest.isEqual(given, apiKey)
        ? Optional.empty()
        : Optional.of(DailyError.AUTHENTICATION.answer("the API key is not valid"));
  }

  private Optional<SimResponse> tooMany(SimRequest simRequest, Instant now) {
    return limits
        .flatMap(
            budgets ->
                budgets.spend(DailyRateLimiter.DailyRateLimitBudget.of(simRequest.route()), now))
        .map(ApiRequestGuard::limited);
  }

  private Optional<SimResponse> injectedFault(SimRequest simRequest, String key) {
    return faultSwitches
        .strike(FaultKind.API_429, simRequest.route(), key)
        .map(ApiRequestGuard::limited)
        .or(
            () ->
                faultSwitches
                    .strike(FaultKind.API_500, simRequest.route(), key)
                    .map(none -> DailyError.SERVER.answer("a fault was injected")))
        .or(
            () ->
                simRequest.route().contains("{")
                    ? faultSwitches
                        .strike(FaultKind.API_404, simRequest.route(), key)
                        .map(none -> DailyError.NOT_FOUND.answer("a fault was injected"))
                    : Optional.empty());
  }

  private static SimResponse limited(Duration wait) {
    long seconds = Math.max(1, wait.plusMillis(999).toSeconds());
    return DailyError.RATE_LIMIT
        .answer("too many requests")
        .with("Retry-After", Long.toString(seconds));
  }

  /** Holds the request on the simulation's clock. */
  private void pause(Duration span) {
    CountDownLatch over = new CountDownLatch(1);
    time.after(span, over::countDown);
    try {
      over.await();
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
  }
}
