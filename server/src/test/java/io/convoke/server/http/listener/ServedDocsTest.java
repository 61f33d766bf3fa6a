package io.convoke.server.http.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.RawCall;
import io.convoke.server.http.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The documentation under {@code /docs}, from a folder, without credentials. */
class ServedDocsTest {
  @TempDir private Path folder;
  private TestServer server;

  @BeforeEach
  void start() throws IOException {
    Path site = Files.createDirectories(folder.resolve("site"));
    Path _ = Files.writeString(folder.resolve("secret.txt"), "not of the site");
    Path _ = Files.writeString(site.resolve("index.html"), "<h1>Documentation</h1>");
    Path _ = Files.writeString(site.resolve("api.html"), "<h1>API</h1>");
    Path _ = Files.writeString(site.resolve("site.js"), "// kept as it is\nlet a = 1;\n");
    Path _ = Files.writeString(site.resolve("LICENSE"), "no ending");
    Path guides = Files.createDirectories(site.resolve("guides"));
    Path _ = Files.writeString(guides.resolve("index.html"), "<h1>Guides</h1>");
    Path _ = Files.createSymbolicLink(site.resolve("out.txt"), folder.resolve("secret.txt"));
    Path _ = Files.createSymbolicLink(site.resolve("away"), folder);
    server = TestServer.ofSite(site);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<String> get(String path) {
    return get(path, "Accept", "*/*");
  }

  private HttpResponse<String> get(String path, String header, String value) {
    return RawCall.get(server.url() + path, header, value);
  }

  @Test
  void pagesAreServedWithTheHeadersOfPages() {
    HttpResponse<String> page = get("/docs/", "Accept-Encoding", "identity");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).isEqualTo("<h1>Documentation</h1>");
    assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
    assertThat(page.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'self'", "frame-ancestors 'none'");
    String etag = page.headers().firstValue("ETag").orElseThrow();
    assertThat(get("/docs/", "If-None-Match", etag).statusCode()).isEqualTo(304);
    assertThat(get("/docs/site.js").body()).isEqualTo("// kept as it is\nlet a = 1;\n");
  }

  @Test
  void shortPathsLeadToPages() {
    HttpResponse<String> root = get("/docs");
    assertThat(root.statusCode()).isEqualTo(308);
    assertThat(root.headers().firstValue("Location")).hasValue("docs/");
    assertThat(get("/docs/api").body()).isEqualTo("<h1>API</h1>");
    assertThat(get("/docs/api.html").body()).isEqualTo("<h1>API</h1>");
    assertThat(get("/docs/guides/").body()).isEqualTo("<h1>Guides</h1>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/docs/../secret.txt",
        "/docs/..%2fsecret.txt",
        "/docs/%2e%2e/secret.txt",
        "/docs//index.html",
        "/docs/out.txt",
        "/docs/away/secret.txt",
        "/docs/LICENSE",
        "/docs/guides",
        "/docs/missing",
        "/docsindex.html"
      })
  void whatIsNoPageOfTheSiteIsNotFound(String path) {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).isIn(400, 404);
    assertThat(answer.body()).doesNotContain("not of the site").doesNotContain("<h1>");
  }

  @Test
  void withoutASiteThereAreNoDocs() {
    try (TestServer none = TestServer.of()) {
      for (String path : List.of("/docs", "/docs/index.html")) {
        assertThat(RawCall.get(none.url() + path, "Accept", "*/*").statusCode()).isEqualTo(404);
      }
    }
  }
}
