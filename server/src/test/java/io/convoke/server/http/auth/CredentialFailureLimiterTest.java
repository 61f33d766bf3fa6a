package io.convoke.server.http.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.ClientAddressResolver;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Response;
import io.convoke.server.http.TestServer;
import io.convoke.server.http.TrustedProxies;
import io.convoke.server.http.auth.CredentialFailureLimiter.LimitedCredentialKind;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guesses of one address come to an end, for their kind of credential and for nothing else. */
class CredentialFailureLimiterTest {
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger looks = new AtomicInteger();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final CredentialFailureLimiter failures =
      new CredentialFailureLimiter(meters, nanos::get);

  private int attempt(String address, LimitedCredentialKind limitedCredentialKind, String key) {
    try {
      Caller _ =
          failures.check(
              address,
              limitedCredentialKind,
              key,
              () -> {
                looks.incrementAndGet();
                if (key.startsWith("good") || key.endsWith("-right")) {
                  return new Caller.AdminCaller();
                }
                throw Problem.unauthorized();
              });
      return 200;
    } catch (Problem problem) {
      assertThat(problem.retryAfter().isPresent()).isEqualTo(problem.status() == 429);
      return problem.status();
    }
  }

  private void exhaust(LimitedCredentialKind limitedCredentialKind) {
    for (int i = 0; i < CredentialFailureLimiter.MAX_FAILURES; i++) {
      assertThat(attempt("10.0.0.1", limitedCredentialKind, "wrong" + i)).isEqualTo(401);
    }
  }

  @Test
  void after_a_hundred_failures_no_credential_is_checked_until_the_minute_is_over() {
    exhaust(LimitedCredentialKind.API_KEY);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, "wrong")).isEqualTo(429);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, "good but new here"))
        .isEqualTo(429);
    assertThat(looks).hasValue(CredentialFailureLimiter.MAX_FAILURES);
    assertThat(meters.counter("convoke.http.credential.failures", "kind", "api_key").count())
        .isEqualTo(CredentialFailureLimiter.MAX_FAILURES);
    assertThat(attempt("10.0.0.2", LimitedCredentialKind.API_KEY, "good")).isEqualTo(200);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.ADMIN_KEY, "good")).isEqualTo(200);

    nanos.addAndGet(Duration.ofMinutes(1).toNanos());
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, "good but new here"))
        .isEqualTo(200);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, "wrong")).isEqualTo(401);
  }

  @Test
  void credentials_that_were_valid_before_or_are_signed_are_still_checked() {
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, "good")).isEqualTo(200);
    exhaust(LimitedCredentialKind.API_KEY);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, "good")).isEqualTo(200);
    exhaust(LimitedCredentialKind.BOT_TOKEN);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.BOT_TOKEN, "wrong")).isEqualTo(429);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.BOT_TOKEN, "good but new here"))
        .isEqualTo(200);
  }

  @Test
  void what_is_refused_may_be_tried_again_when_the_minute_is_over() {
    nanos.set(Duration.ofSeconds(5).toNanos());
    exhaust(LimitedCredentialKind.ADMIN_KEY);
    nanos.set(Duration.ofSeconds(25).toNanos());
    Problem refused =
        catchThrowableOfType(
            Problem.class,
            () ->
                failures.check(
                    "10.0.0.1",
                    LimitedCredentialKind.ADMIN_KEY,
                    "good but new here",
                    Caller.AdminCaller::new));
    assertThat(refused.retryAfter()).contains(Duration.ofSeconds(40));
  }

  @Test
  void a_right_credential_is_remembered_for_an_hour() {
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, "good")).isEqualTo(200);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, "good too")).isEqualTo(200);
    nanos.set(Duration.ofHours(1).toNanos() - 1);
    exhaust(LimitedCredentialKind.API_KEY);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, "good")).isEqualTo(200);
    nanos.incrementAndGet();
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, "good too")).isEqualTo(429);
  }

  private void eachOf(int addresses, LimitedCredentialKind kind, String key, int expected) {
    for (int i = 0; i < addresses; i++) {
      assertThat(attempt("10.1." + i / 256 + "." + i % 256, kind, key)).isEqualTo(expected);
    }
  }

  @Test
  void counts_beyond_the_bound_evict_those_whose_minute_is_over_else_all() {
    int others = CredentialFailureLimiter.MAX_COUNTS - 1;
    eachOf(others, LimitedCredentialKind.BOT_TOKEN, "wrong", 401);
    nanos.set(Duration.ofMinutes(1).toNanos());
    exhaust(LimitedCredentialKind.BOT_TOKEN);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.BOT_TOKEN, "wrong")).isEqualTo(429);

    eachOf(others, LimitedCredentialKind.BOT_TOKEN, "wrong", 401);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.BOT_TOKEN, "wrong")).isEqualTo(429);
    assertThat(attempt("10.0.0.2", LimitedCredentialKind.BOT_TOKEN, "wrong")).isEqualTo(401);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.BOT_TOKEN, "wrong")).isEqualTo(401);
  }

  @Test
  void right_credentials_beyond_the_bound_evict_those_whose_hour_is_over_else_all() {
    int bound = CredentialFailureLimiter.MAX_COUNTS;
    eachOf(bound - 1, LimitedCredentialKind.ADMIN_KEY, "good", 200);
    nanos.set(Duration.ofHours(1).toNanos());
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.ADMIN_KEY, "good")).isEqualTo(200);
    assertThat(attempt("10.0.0.2", LimitedCredentialKind.ADMIN_KEY, "good")).isEqualTo(200);
    exhaust(LimitedCredentialKind.ADMIN_KEY);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.ADMIN_KEY, "good")).isEqualTo(200);

    eachOf(bound - 2, LimitedCredentialKind.ADMIN_KEY, "good", 200);
    assertThat(attempt("10.0.0.3", LimitedCredentialKind.ADMIN_KEY, "good")).isEqualTo(200);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.ADMIN_KEY, "good")).isEqualTo(429);
  }

  @Test
  void a_key_that_was_valid_elsewhere_is_checked_after_the_tries_of_an_address() {
    String beginning = "cvk_abcdefgh";
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, beginning + "-right"))
        .isEqualTo(200);
    eachOf(
        CredentialFailureLimiter.MAX_FAILURES, LimitedCredentialKind.API_KEY, beginning + 1, 401);
    for (int i = 0; i < CredentialFailureLimiter.FEW; i++) {
      assertThat(attempt("10.0.0.5", LimitedCredentialKind.API_KEY, beginning + i)).isEqualTo(429);
    }
    assertThat(attempt("10.0.0.5", LimitedCredentialKind.API_KEY, beginning + "-right"))
        .isEqualTo(200);
    assertThat(attempt("10.0.0.5", LimitedCredentialKind.API_KEY, beginning + "-new-right"))
        .isEqualTo(429);
  }

  /** Where nothing follows those characters there is no more to guess. */
  @ParameterizedTest
  @CsvSource({"cvk_abcdefg, 401", "cvk_abcdefgh, 401", "cvk_abcdefghi, 429", "abcdefghijklm, 401"})
  void keys_longer_than_the_characters_counted_are_counted_by_them(String key, int expected) {
    eachOf(CredentialFailureLimiter.MAX_FAILURES, LimitedCredentialKind.API_KEY, key, 401);
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, key)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "Bearer cvb_a.b.c, BOT_TOKEN",
    "Bearer a.b.c, JWT",
    "a.b.c, JWT",
    "Bearer a.b, INTERNAL_TOKEN",
    "Bearer a.b.c.d, INTERNAL_TOKEN",
  })
  void a_bearer_token_is_told_by_its_form(String authorization, LimitedCredentialKind kind) {
    assertThat(LimitedCredentialKind.ofBearer(authorization)).isEqualTo(kind);
  }

  @Test
  void guesses_of_a_key_from_many_addresses_end_and_its_holder_goes_on() {
    String beginning = "cvk_abcdefgh";
    assertThat(attempt("10.0.0.1", LimitedCredentialKind.API_KEY, beginning + "-right"))
        .isEqualTo(200);
    looks.set(0);
    for (int i = 0; i < 10 * CredentialFailureLimiter.MAX_FAILURES; i++) {
      int expected = i < CredentialFailureLimiter.MAX_FAILURES ? 401 : 429;
      String address = "10.1." + i / 256 + "." + i % 256;
      assertThat(attempt(address, LimitedCredentialKind.API_KEY, beginning + i))
          .isEqualTo(expected);
    }
    assertThat(attempt("10.0.0.3", LimitedCredentialKind.API_KEY, beginning + "-right"))
        .isEqualTo(200);
    assertThat(attempt("10.0.0.3", LimitedCredentialKind.API_KEY, "cvk_hgfedcba-right"))
        .isEqualTo(200);
    looks.set(0);
    for (int i = 0; i < 10; i++) {
      assertThat(attempt("10.0.0.5", LimitedCredentialKind.API_KEY, beginning + "-" + i))
          .isEqualTo(429);
    }
    assertThat(looks).hasValue(CredentialFailureLimiter.FEW);

    nanos.addAndGet(Duration.ofMinutes(1).toNanos());
    assertThat(attempt("10.0.0.4", LimitedCredentialKind.API_KEY, beginning + "1")).isEqualTo(401);
  }

  /** The holder's key was never seen here: the guesses of others do not refuse it. */
  @Test
  void a_key_that_was_never_seen_is_checked_although_others_guess_keys_that_begin_like_it() {
    String beginning = "cvk_abcdefgh";
    for (int i = 0; i < 10 * CredentialFailureLimiter.MAX_FAILURES; i++) {
      int _ =
          attempt("10.1." + i % 9 + "." + i % 200, LimitedCredentialKind.API_KEY, beginning + i);
    }
    assertThat(attempt("10.0.0.3", LimitedCredentialKind.API_KEY, beginning + "-right"))
        .isEqualTo(200);
    assertThat(attempt("10.0.0.4", LimitedCredentialKind.API_KEY, beginning + "-wrong"))
        .isEqualTo(429);
  }

  @Test
  void wrong_admin_keys_are_429_and_leave_user_keys_alone() {
    Endpoint hello =
        Endpoint.get("/hello")
            .id("hello")
            .tag("test")
            .summary("Greets.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .answers(204)
            .handle(_ -> Response.noContent());
    try (TestServer server = TestServer.of(hello)) {
      ContractClient guesser = server.anonymous();
      server.user(7).get("/hello").expect(204);
      for (int i = 0; i < 150; i++) {
        int expected = i < CredentialFailureLimiter.MAX_FAILURES ? 401 : 429;
        guesser.with("X-Admin-API-Key", "wrong" + i).get("/hello").expect(expected);
      }
      server.user(8).get("/hello").expect(204);
      server.internal().get("/hello").expect(403);
      ContractClient page = server.anonymous().with("X-Convoke-CSRF", "1");
      page.post("/session", Map.of("admin_key", TestServer.ADMIN)).expect(200);
      for (int i = 0; i < CredentialFailureLimiter.MAX_FAILURES; i++) {
        page.post("/session", Map.of("api_key", "wrong" + i)).expect(401);
      }
      page.post("/session", Map.of("api_key", "wrong")).expect(429, "too_many_failures");
      page.post("/session", Map.of("admin_key", TestServer.ADMIN)).expect(200);
      server.user(9).get("/hello").expect(204);
      assertThat(server.anonymous().get("/metrics").expect(200).body())
          .contains("convoke_http_credential_refused_total{kind=\"admin_key\"} 50.0");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "192.0.2.9 | 198.51.100.7 | | 192.0.2.9",
        "10.0.0.2 | 203.0.113.5 | | 203.0.113.5",
        "10.0.0.2 | 1.1.1.1, 203.0.113.5, 10.9.9.9 | | 203.0.113.5",
        "10.0.0.2 | 10.3.3.3 | | 10.3.3.3",
        "10.0.0.2 | rubbish | | 10.0.0.2",
        "10.0.0.2 | 203.0.113.5:8080 | | 203.0.113.5",
        "10.0.0.2 | | for=203.0.113.6;proto=https | 203.0.113.6",
        "10.0.0.2 | | for=\"[2001:db8:1:2:3::4]:80\" | 20010db800010002/64",
        "2001:db8:1:2::9 | | | 20010db800010002/64",
        "::ffff:192.0.2.9 | | | 192.0.2.9",
      })
  void the_client_is_the_last_hop_that_is_not_a_trusted_proxy(
      String peer, String forwardedFor, String forwarded, String counted) {
    assertThat(
            ClientAddressResolver.of(
                new InetSocketAddress(InetAddress.ofLiteral(peer), 80),
                Optional.ofNullable(forwardedFor).stream().toList(),
                Optional.ofNullable(forwarded).stream().toList(),
                TrustedProxies.parse("10.0.0.0/8, 2001:db8:ffff::/48")))
        .isEqualTo(counted);
  }

  @Test
  void an_address_without_a_socket_is_counted_all_the_same() {
    SocketAddress none = new SocketAddress() {};
    assertThat(ClientAddressResolver.of(none, List.of(), List.of(), TrustedProxies.NONE))
        .isEqualTo("unknown");
  }
}
