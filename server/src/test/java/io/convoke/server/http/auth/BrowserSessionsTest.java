package io.convoke.server.http.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.http.Problem;
import io.convoke.server.http.auth.BrowserSessions.BrowserSession;
import io.convoke.server.http.auth.Credential.CredentialKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a sealed session tells, to whom, and for how long. */
class BrowserSessionsTest {
  private static final Instant NOW = Instant.parse("2026-03-01T09:00:00.250Z");
  private static final Credential KEY = new Credential(CredentialKind.API_KEY, "cvk_one two");

  private final AtomicReference<Instant> now = new AtomicReference<>(NOW);
  private final SecretBox box = SecretBox.of(SecretBox.newKey());
  private final BrowserSessions browserSessions = new BrowserSessions(box, now::get);

  @Test
  void a_session_opens_as_it_was_sealed_and_does_not_show_its_secret() {
    BrowserSession browserSession = browserSessions.begin(KEY);
    String sealed = browserSessions.seal(browserSession);

    assertThat(browserSessions.open(sealed)).contains(browserSession);
    assertThat(browserSession.proof()).isEqualTo(KEY);
    assertThat(browserSession.toString()).doesNotContain("cvk_one");
    assertThat(sealed).matches("[A-Za-z0-9_-]+").isNotEqualTo(browserSessions.seal(browserSession));
  }

  @Test
  void it_lasts_twelve_hours() {
    BrowserSession browserSession = browserSessions.begin(KEY);
    String sealed = browserSessions.seal(browserSession);
    assertThat(browserSession.end()).isEqualTo("2026-03-01T21:00:00Z");

    now.set(browserSession.end().minusMillis(1));
    assertThat(browserSessions.open(sealed)).isPresent();
    now.set(browserSession.end());
    assertThat(browserSessions.open(sealed)).isEmpty();
  }

  @Test
  void a_session_of_a_jwt_never_outlives_the_jwt() throws Exception {
    assertThat(end(Duration.ofMinutes(5))).isEqualTo("2026-03-01T09:05:00Z");
    assertThat(end(Duration.ofDays(5))).isEqualTo("2026-03-01T21:00:00Z");
    assertThatThrownBy(() -> end(Duration.ofSeconds(-1)))
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.status()).isEqualTo(401));
  }

  private Instant end(Duration fromNow) throws Exception {
    return browserSessions.begin(new Credential(CredentialKind.JWT, jwt(NOW.plus(fromNow)))).end();
  }

  @SuppressWarnings("JavaUtilDate") // the JWT library's own type
  private static String jwt(Instant exp) throws Exception {
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder().subject("7").expirationTime(Date.from(exp)).build();
    SignedJWT jwt = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
    jwt.sign(new MACSigner("0123456789abcdef0123456789abcdef"));
    return jwt.serialize();
  }

  @Test
  void a_value_that_this_server_did_not_seal_opens_no_session() {
    BrowserSession browserSession = browserSessions.begin(KEY);
    String sealed = browserSessions.seal(browserSession);
    BrowserSessions others = new BrowserSessions(SecretBox.of(SecretBox.newKey()), now::get);

    assertThat(others.open(sealed)).as("another key").isEmpty();
    assertThat(browserSessions.open(box.seal("elsewhere", "1 JWT x")))
        .as("another purpose")
        .isEmpty();
    for (int i = 0; i < sealed.length(); i++) {
      char other = sealed.charAt(i) == 'A' ? 'B' : 'A';
      String changed = sealed.substring(0, i) + other + sealed.substring(i + 1);
      // The last character's low bits may be padding, and then the bytes are the same.
      if (i < sealed.length() - 1) {
        assertThat(browserSessions.open(changed)).as("changed at " + i).isEmpty();
      }
      assertThat(browserSessions.open(sealed.substring(0, i))).as("cut at " + i).isEmpty();
    }
    for (String garbage : List.of("", "x", "%%%", "AAAA", "A".repeat(4000), "\u00e4", "a=b")) {
      assertThat(browserSessions.open(garbage)).as(garbage).isEmpty();
    }
  }

  @Test
  void the_old_key_still_opens_while_keys_are_rotated() {
    byte[] before = SecretBox.newKey();
    String sealed =
        new BrowserSessions(SecretBox.of(before), now::get)
            .seal(new BrowserSession(KEY, NOW.plusSeconds(60)));

    BrowserSessions rotated =
        new BrowserSessions(SecretBox.of(SecretBox.newKey(), before), now::get);
    assertThat(rotated.open(sealed)).isPresent();
  }
}
