package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.SimpleFileServer;
import com.sun.net.httpserver.SimpleFileServer.OutputLevel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The documentation site in a browser: accessible, searchable, and without a call elsewhere. */
@Tag("nightly")
@Tag("heavy")
@Timeout(600)
class DocsPagesTest {
  private static final Path HOME =
      Path.of(System.getProperty("convoke.home", "..")).toAbsolutePath().normalize();

  @TempDir private static Path site;
  private static HttpServer server;
  private static Chromium chromium;

  @BeforeAll
  @Timeout(600)
  static void start() throws IOException, InterruptedException {
    Path log = site.resolve("../docs-site.log").normalize();
    Process built =
        new ProcessBuilder(HOME.resolve("convoke").toString(), "docs", site.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(built.waitFor()).as(Files.readString(log)).isZero();
    server =
        SimpleFileServer.createFileServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), site, OutputLevel.NONE);
    server.start();
    chromium = Chromium.start();
  }

  @AfterAll
  static void stop() {
    if (chromium != null) {
      chromium.close();
    }
    server.stop(0);
  }

  private static String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/" + path;
  }

  /** The pages of the folders that begin so. */
  private static List<String> pages(String folders) throws IOException {
    Pattern wanted = Pattern.compile("(" + folders + ").*\\.html");
    try (Stream<Path> files = Files.walk(site)) {
      return files
          .map(file -> site.relativize(file).toString())
          .filter(path -> wanted.matcher(path).matches())
          .sorted()
          .toList();
    }
  }

  /** A page of each kind in the dark, where only colors differ. */
  private static List<String> pages(ColorScheme colors) throws IOException {
    return colors == ColorScheme.DARK
        ? List.of("index.html", "guides/deploy.html", "api/tasks.html", "reference/errors.html")
        : pages("index|api|guides|tutorials|reference|explanation|operations|repository/[A-Z]");
  }

  @Test
  void pagesAreAccessibleInBothColorsAndAskNothingOfOtherHosts() throws IOException {
    List<String> foreign = new ArrayList<>();
    for (ColorScheme colors : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
      try (BrowserContext context =
          chromium.browser().newContext(new Browser.NewContextOptions().setColorScheme(colors))) {
        Page page = context.newPage();
        page.onRequest(
            request -> {
              if (!request.url().startsWith(url("")) && !request.url().startsWith("data:")) {
                foreign.add(request.url());
              }
            });
        for (String path : pages(colors)) {
          page.navigate(url(path));
          Axe.findsNothingSerious(page, path + " " + colors);
        }
      }
    }
    assertThat(foreign).isEmpty();
  }

  @Test
  void theSearchFindsAHeadingAndLeadsThere() {
    try (Page page = chromium.browser().newPage()) {
      page.navigate(url("guides/deploy.html"));
      page.keyboard().press("/");
      page.keyboard().type("bots/start");
      page.waitForSelector("#results li");
      assertThat(page.locator("#results li").first().innerText()).contains("POST /bots/start");
      page.keyboard().press("Enter");
      page.waitForURL(url("api/bots.html#startBot"));
      assertThat(page.locator("h1").innerText()).isEqualTo("API: bots");
    }
  }

  @Test
  void onAPhoneTheNavigationOpensByAButtonAndNothingIsWiderThanTheScreen() throws IOException {
    Browser.NewContextOptions phone = new Browser.NewContextOptions().setViewportSize(375, 800);
    try (BrowserContext context = chromium.browser().newContext(phone)) {
      Page page = context.newPage();
      List<String> wide = new ArrayList<>();
      for (String path : pages("")) {
        page.navigate(url(path));
        if (page.evaluate("document.documentElement.scrollWidth > innerWidth").equals(true)) {
          wide.add(path);
        }
      }
      assertThat(wide).isEmpty();
      assertThat(page.locator("#pages").isVisible()).isFalse();
      page.locator("#menu").click();
      assertThat(page.locator("#pages").isVisible()).isTrue();
      assertThat(page.locator("#menu").getAttribute("aria-expanded")).isEqualTo("true");
    }
  }
}
