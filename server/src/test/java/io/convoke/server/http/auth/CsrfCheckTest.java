package io.convoke.server.http.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.Problem;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which requests are a page's of our own, and what the cookie is called for them. */
class CsrfCheckTest {
  private static final String MARKED = "X-Convoke-CSRF: 1";

  /** Headers as lines, {@code name: value}. */
  private static CsrfCheck from(String... lines) {
    Map<String, String> headers = new TreeMap<>();
    for (String line : lines) {
      String[] parts = line.split(": ", 2);
      headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1]);
    }
    return new CsrfCheck(name -> Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT))));
  }

  private static boolean writes(String... lines) {
    return admitted(from(lines)::admitWriting);
  }

  private static boolean reads(String... lines) {
    return admitted(from(lines)::admitReading);
  }

  private static boolean admitted(Runnable rule) {
    try {
      rule.run();
      return true;
    } catch (Problem problem) {
      assertThat(problem.status()).isEqualTo(403);
      assertThat(problem.code()).isEqualTo("csrf");
      return false;
    }
  }

  @Test
  void a_change_needs_the_header_that_no_form_can_send() {
    assertThat(writes(MARKED)).isTrue();
    assertThat(writes(MARKED, "Sec-Fetch-Site: same-origin")).isTrue();
    assertThat(writes()).isFalse();
    assertThat(writes("X-Convoke-CSRF: yes")).isFalse();
    assertThat(writes("Sec-Fetch-Site: same-origin")).isFalse();
  }

  @Test
  void a_change_comes_from_the_own_origin() {
    for (String site : new String[] {"cross-site", "same-site", "none", "SAME-ORIGIN", ""}) {
      assertThat(writes(MARKED, "Sec-Fetch-Site: " + site)).as(site).isFalse();
    }
    assertThat(writes(MARKED, "Host: a.org:8080", "Origin: http://a.org:8080")).isTrue();
    assertThat(writes(MARKED, "Host: A.org", "Origin: https://a.org")).isTrue();
    for (String origin :
        new String[] {
          "http://a.org",
          "http://b.a.org:8080",
          "http://evil.org://a.org:8080",
          "://a.org:8080",
          "a.org:8080",
          "null",
          "",
        }) {
      assertThat(writes(MARKED, "Host: a.org:8080", "Origin: " + origin)).as(origin).isFalse();
    }
    assertThat(writes(MARKED, "Origin: http://a.org")).as("no host").isFalse();
  }

  @Test
  void reading_is_for_pages_of_this_server_and_for_typed_addresses() {
    assertThat(reads()).isTrue();
    assertThat(reads("Sec-Fetch-Site: same-origin")).isTrue();
    assertThat(reads("Sec-Fetch-Site: none")).isTrue();
    assertThat(reads("Sec-Fetch-Site: cross-site")).isFalse();
    assertThat(reads("Sec-Fetch-Site: same-site")).isFalse();
  }

  @Test
  void the_cookie_has_the_host_prefix_over_https() {
    assertThat(from("X-Forwarded-Proto: https").cookie()).isEqualTo(SessionCookie.HTTPS);
    assertThat(from("X-Forwarded-Proto: HTTPS, http").cookie()).isEqualTo(SessionCookie.HTTPS);
    assertThat(from("X-Forwarded-Proto: http, https").cookie()).isEqualTo(SessionCookie.HTTP);
    assertThat(from().cookie()).isEqualTo(SessionCookie.HTTP);
  }

  @Test
  void the_cookie_has_its_attributes() {
    assertThat(SessionCookie.HTTPS.header("abc", Duration.ofSeconds(60)))
        .isEqualTo("__Host-convoke=abc; Max-Age=60; Path=/; HttpOnly; SameSite=Strict; Secure");
    assertThat(SessionCookie.HTTP.header("abc", Duration.ofMillis(1999)))
        .isEqualTo("convoke=abc; Max-Age=1; Path=/; HttpOnly; SameSite=Strict");
    assertThat(SessionCookie.HTTP.cleared()).startsWith("convoke=; Max-Age=0; Path=/;");
  }

  @Test
  void a_cookie_is_found_among_others() {
    Optional<String> header = Optional.of("a=b; convoke=1;convoke=2; __Host-convoke=3; xconvoke=4");
    assertThat(SessionCookie.HTTP.valuesIn(header)).containsExactly("1", "2");
    assertThat(SessionCookie.HTTPS.valuesIn(header)).containsExactly("3");
    assertThat(SessionCookie.HTTP.valuesIn(Optional.of(";;=;convoke"))).isEmpty();
    assertThat(SessionCookie.HTTP.valuesIn(Optional.empty())).isEmpty();
  }
}
