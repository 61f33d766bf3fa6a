package io.convoke.lab.sim.daily;

import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.fault.Faults;
import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Around;
import io.convoke.lab.sim.http.Call;
import io.convoke.lab.sim.http.Handler;
import io.convoke.lab.sim.time.SimTime;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** Stands before every API route: counts, authenticates, limits the rate and injects faults. */
final class Guard implements Around {

  private static final String SCHEME = "Bearer ";

  private final SimTime time;
  private final Faults faults;
  private final RequestLog log;
  private final Optional<RateLimits> limits;
  private final byte[] apiKey;

  Guard(SimTime time, Faults faults, RequestLog log, Optional<RateLimits> limits, String apiKey) {
    this.time = time;
    this.faults = faults;
    this.log = log;
    this.limits = limits;
    this.apiKey = apiKey.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Answer answer(Call call, Handler handler) {
    Instant at = time.instant();
    long start = System.nanoTime();
    String key = call.route() + "#" + log.arrive(call.route());
    faults.strike(FaultKind.API_SLOW, call.route(), key).ifPresent(this::pause);
    Answer answer =
        unauthorised(call)
            .or(() -> tooMany(call, at))
            .or(() -> struck(call, key))
            .orElseGet(() -> handler.handle(call));
    log.answered(
        at,
        call.route(),
        call.target(),
        answer.status(),
        Duration.ofNanos(System.nanoTime() - start));
    return answer;
  }

  private Optional<Answer> unauthorised(Call call) {
    Optional<String> header = call.header("Authorization");
    if (header.filter(value -> value.startsWith(SCHEME)).isEmpty()) {
      return Optional.of(
          DailyError.AUTHORIZATION_HEADER.answer("missing or malformed authorization header"));
    }
    byte[] given = header.get().substring(SCHEME.length()).getBytes(StandardCharsets.UTF_8);
    return MessageDigest.isEqual(given, apiKey)
        ? Optional.empty()
        : Optional.of(DailyError.AUTHENTICATION.answer("the API key is not valid"));
  }

  private Optional<Answer> tooMany(Call call, Instant now) {
    return limits
        .flatMap(budgets -> budgets.spend(RateLimits.Budget.of(call.route()), now))
        .map(Guard::limited);
  }

  private Optional<Answer> struck(Call call, String key) {
    return faults
        .strike(FaultKind.API_429, call.route(), key)
        .map(Guard::limited)
        .or(
            () ->
                faults
                    .strike(FaultKind.API_500, call.route(), key)
                    .map(none -> DailyError.SERVER.answer("a fault was injected")))
        .or(
            () ->
                call.route().contains("{")
                    ? faults
                        .strike(FaultKind.API_404, call.route(), key)
                        .map(none -> DailyError.NOT_FOUND.answer("a fault was injected"))
                    : Optional.empty());
  }

  private static Answer limited(Duration wait) {
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
