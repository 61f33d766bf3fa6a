package io.convoke.e2e.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import io.convoke.simulator.process.DebianPackages;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * The system's own Chromium, driven by Playwright. Playwright's browsers are never downloaded;
 * where there is no browser and apt-get may be used, Debian's is installed, else the tests are
 * skipped loudly.
 */
public final class Chromium implements AutoCloseable {
  /** Chromium without windows: a page takes a fraction of the CPU time of the whole browser. */
  private static final String SHELL = "chromium-headless-shell";

  private static final List<String> NAMES =
      List.of(SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  private static final List<String> FLAGS =
      List.of("--no-sandbox", "--disable-background-networking", "--no-first-run");

  private final Playwright playwright;
  private final Browser browser;

  /** A microphone that beeps, without a question to anybody. */
  private static final List<String> MICROPHONE =
      List.of("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream");

  private Chromium(Path program, List<String> more) {
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(program)
                    .setArgs(Stream.of(FLAGS, more).flatMap(List::stream).toList()));
  }

  /** Starts the browser, or skips the test that asked, saying why. */
  static Chromium start() {
    return start(List.of());
  }

  /** The same with a microphone. */
  public static Chromium withMicrophone() {
    return start(MICROPHONE);
  }

  /** The same, whose pages may play sound at once and show their addresses to peers. */
  public static Chromium forSpeech() {
    return start(
        List.of(
            "--autoplay-policy=no-user-gesture-required",
            "--disable-features=WebRtcHideLocalIpsWithMdns"));
  }

  private static Chromium start(List<String> more) {
    Optional<Path> program = Installed.PROGRAM;
    if (program.isEmpty()) {
      System.err.println(
          "*** THE CONSOLE WAS NOT TESTED: there is no Chromium on the PATH, and it could not be"
              + " installed (apt-get as root). Install chromium and run the tests again. ***");
    }
    Assumptions.assumeTrue(
        program.isPresent(), "no Chromium on the PATH, and none could be installed");
    return new Chromium(program.orElseThrow(), more);
  }

  /** The browser itself. */
  public Browser browser() {
    return browser;
  }

  /** The browser; one attempt for each JVM, because a package that is missing costs minutes. */
  private static final class Installed {
    private static final Optional<Path> PROGRAM = install();
  }

  private static Optional<Path> find() {
    return NAMES.stream().flatMap(DebianPackages::onPath).findFirst();
  }

  private static Optional<Path> install() {
    boolean shell =
        DebianPackages.ensure(() -> DebianPackages.onPath(SHELL).findAny().isPresent(), SHELL);
    return shell || DebianPackages.ensure(() -> find().isPresent(), "chromium")
        ? find()
        : Optional.empty();
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
