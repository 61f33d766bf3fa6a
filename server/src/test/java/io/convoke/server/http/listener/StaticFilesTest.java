package io.convoke.server.http.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.RawCall;
import io.convoke.server.http.TestServer;
import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The console's files over HTTP, and what is not one of them. */
class StaticFilesTest {
  private final StaticFiles files =
      StaticFiles.ofClassPath(StaticFilesTest.class, "/console/http-test");

  @Test
  void a_browser_revalidates_and_loads_once() {
    try (TestServer server = TestServer.of()) {
      var first = RawCall.get(server.url() + "/http-test/app.js", "Accept-Encoding", "identity");
      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(first.headers().firstValue("Content-Type"))
          .hasValue("text/javascript; charset=utf-8");
      assertThat(first.headers().firstValue("Content-Security-Policy").orElse(""))
          .contains("default-src 'self'", "frame-ancestors 'none'");
      String etag = first.headers().firstValue("ETag").orElseThrow();

      var again = RawCall.get(server.url() + "/http-test/app.js", "If-None-Match", etag);
      assertThat(again.statusCode()).isEqualTo(304);
      assertThat(again.body()).isEmpty();

      var packed = RawCall.get(server.url() + "/http-test/app.js", "Accept-Encoding", "gzip, br");
      assertThat(packed.headers().firstValue("Content-Encoding")).hasValue("gzip");
      assertThat(packed.headers().firstValue("Vary")).hasValue("Accept-Encoding");
      assertThat(packed.body().length()).isLessThan(first.body().length());
      server
          .anonymous()
          .call("POST", "/http-test/app.js", BodyPublishers.noBody(), null)
          .expect(404);
    }
  }

  @Test
  void deep_links_of_a_browser_get_the_page() {
    assertThat(files.page("/meetings-of/42", "text/html,application/xhtml+xml")).isPresent();
    assertThat(files.page("/meetings-of/42", "*/*")).isEmpty();
    assertThat(files.page("/missing.js", "text/html")).isEmpty();
    assertThat(files.file("/")).isPresent();
  }

  @Test
  void a_deep_link_to_what_has_a_dot_in_its_id_gets_the_page() {
    assertThat(files.page("/console/workflows/schedule%3Abilling.nightly", "text/html"))
        .isPresent();
    assertThat(files.page("/console/workflows/schedule%3Abilling.nightly", "*/*")).isEmpty();
    assertThat(files.page("/consoles/billing.nightly", "text/html")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/../http-test/app.js",
        "/..%2fapp.js",
        "//app.js",
        "/app.js/",
        "/.hidden.js",
        "/%61pp.js",
        "/app",
        "/./app.js",
        "/a\\b.js",
        "app.js"
      })
  void nothing_else_is_a_file(String path) {
    assertThat(files.file(path)).isEmpty();
  }
}
