package io.convoke.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.convoke.engine.seal.SecretBox;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Who guesses keys is slowed down, and nobody else. */
class SignInLimitTest {
  private static final int AT_ONCE = 20;

  private final AtomicLong nanos = new AtomicLong();
  private final Authenticator authenticator =
      new Authenticator(
          Optional.empty(),
          Optional.empty(),
          key -> key.equals("good") ? Optional.of(new Caller.User(7)) : Optional.empty(),
          List.of());
  private final Endpoint signIn =
      new SessionEndpoints(
              authenticator,
              new Sessions(SecretBox.of(SecretBox.newKey()), InstantSource.system()),
              new RateLimits(SessionEndpoints.FAILURES, nanos::get))
          .endpoints()
          .getFirst();

  /** The status that an attempt from an address is answered with. */
  private int attempt(String key, String peer) throws Exception {
    Map<String, String> headers = Map.of(Provenance.MARK, "1");
    Request request =
        new CheckedRequest(
            signIn,
            new Visitor(new Caller.Anonymous(), Optional.empty(), () -> peer),
            Map.of(),
            Map.of(),
            name -> Optional.ofNullable(headers.get(name)),
            new RequestBody(new byte[0], Optional.of(Json.tree(Map.of("api_key", key)))),
            () -> "trace");
    try {
      return signIn.handler().handle(request).status();
    } catch (Problem problem) {
      return problem.status();
    }
  }

  @Test
  void failures_of_one_address_come_to_an_end_and_begin_again_slowly() throws Exception {
    for (int i = 0; i < AT_ONCE; i++) {
      assertThat(attempt("wrong", "10.0.0.1")).isEqualTo(401);
    }
    assertThat(attempt("wrong", "10.0.0.1")).isEqualTo(429);
    assertThat(attempt("good", "10.0.0.1")).isEqualTo(429);
    assertThat(attempt("good", "10.0.0.2")).isEqualTo(200);

    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    assertThat(attempt("wrong", "10.0.0.1")).isEqualTo(401);
    assertThat(attempt("good", "10.0.0.1")).isEqualTo(429);
  }

  @Test
  void who_knows_the_key_is_never_slowed_down() throws Exception {
    for (int i = 0; i < 2 * AT_ONCE; i++) {
      assertThat(attempt("good", "10.0.0.1")).isEqualTo(200);
    }
  }
}
