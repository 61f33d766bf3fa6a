package io.convoke.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * The system's own Chromium, driven by Playwright. Playwright's browsers are never downloaded; where
 * there is no browser and apt-get may be used, Debian's is installed, else the tests are skipped
 * loudly.
 */
final class Chromium implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  private static final List<String> FLAGS =
      List.of("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run");
  private static final long INSTALL_MINUTES = 5;

  private final Playwright playwright;
  private final Browser browser;

  private Chromium(Path program) {
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(new BrowserType.LaunchOptions().setExecutablePath(program).setArgs(FLAGS));
  }

  /** Starts the browser, or skips the test that asked, saying why. */
  static Chromium start() {
    Optional<Path> program = find().or(Chromium::install);
    if (program.isEmpty()) {
      System.err.println(
          "*** THE CONSOLE WAS NOT TESTED: there is no Chromium on the PATH, and it could not be"
              + " installed (apt-get as root). Install chromium and run the tests again. ***");
    }
    Assumptions.assumeTrue(
        program.isPresent(), "no Chromium on the PATH, and none could be installed");
    return new Chromium(program.orElseThrow());
  }

  Browser browser() {
    return browser;
  }

  private static Optional<Path> find() {
    return NAMES.stream().flatMap(Chromium::onPath).findFirst();
  }

  private static Stream<Path> onPath(String name) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable);
  }

  private static Optional<Path> install() {
    boolean root = "root".equals(System.getProperty("user.name"));
    if (!root || onPath("apt-get").findAny().isEmpty()) {
      return Optional.empty();
    }
    System.err.println("installing Debian's chromium for the tests of the console");
    boolean done =
        ran("apt-get", "update") && ran("apt-get", "install", "-y", "--no-install-recommends", "chromium");
    return done ? find() : Optional.empty();
  }

  private static boolean ran(String... command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!process.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        return false;
      }
      return process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
