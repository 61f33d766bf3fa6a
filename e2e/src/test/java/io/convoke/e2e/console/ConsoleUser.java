package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.SameSiteAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A reader of the console in a browser window, and the errors that the browser reported. */
final class ConsoleUser implements AutoCloseable {
  private static final double PATIENCE_MS = 30_000;
  private static final Route.FulfillOptions AWAY =
      new Route.FulfillOptions()
          .setStatus(503)
          .setContentType("application/problem+json")
          .setBody("{\"title\": \"Service Unavailable\"}");

  private final BrowserContext context;
  private final Page page;
  private final String url;
  private final List<String> complaints = new ArrayList<>();

  /** Each time a page is left, its stream is one. */
  private final List<String> failures = new ArrayList<>();

  private ConsoleUser(Browser browser, String url, Browser.NewContextOptions options) {
    this.url = url;
    context = browser.newContext(options.setLocale("en-GB").setTimezoneId("Europe/Berlin"));
    context.setDefaultTimeout(PATIENCE_MS);
    context.onConsoleMessage(this::onConsoleMessage);
    context.onWebError(error -> complaints.add("page error: " + error.error()));
    context.onRequestFailed(request -> failures.add(request.url() + " " + request.failure()));
    page = context.newPage();
  }

  static ConsoleUser onDesktop(Browser browser, String url, ColorScheme scheme) {
    return new ConsoleUser(
        browser,
        url,
        new Browser.NewContextOptions().setViewportSize(1360, 860).setColorScheme(scheme));
  }

  static ConsoleUser onPhone(Browser browser, String url) {
    return new ConsoleUser(
        browser,
        url,
        new Browser.NewContextOptions()
            .setViewportSize(390, 844)
            .setDeviceScaleFactor(2)
            .setHasTouch(true)
            .setIsMobile(true)
            .setColorScheme(ColorScheme.LIGHT));
  }

  /** Opens a place of the console with a key, as the demo's link does. */
  ConsoleUser open(String path, String key) {
    page.navigate(url + "/console" + path + "#key=" + key);
    return this;
  }

  /** Opens a place of the console as the operator. */
  ConsoleUser operate(String path, String token) {
    page.navigate(url + "/console" + path + "#admin=" + token);
    return this;
  }

  /** Opens a place of the console without any key. */
  ConsoleUser open(String path) {
    page.navigate(url + "/console" + path);
    return this;
  }

  Page page() {
    return page;
  }

  /** Has requests of the page answered 503 instead of by the server, as long as this is so. */
  void refuse(Predicate<String> urls, BooleanSupplier refused) {
    page.route(
        urls,
        route -> {
          if (refused.getAsBoolean()) {
            route.fulfill(AWAY);
          } else {
            route.resume();
          }
        });
  }

  Locator find(String selector) {
    return page.locator(selector);
  }

  /** The row of a meeting in the list. */
  Locator row(long meeting) {
    return page.locator("[data-row='" + meeting + "']");
  }

  void press(String keys) {
    page.keyboard().press(keys);
  }

  void type(String text) {
    page.keyboard().type(text);
  }

  /** Waits until the element shows the text. */
  void sees(Locator element, String text) {
    sees(element, text, PATIENCE_MS);
  }

  /** Waits for a text that the server does not show before a time of its own, in milliseconds. */
  void sees(Locator element, String text, double timeoutMs) {
    see(
        () ->
            expect(element)
                .containsText(
                    text, new LocatorAssertions.ContainsTextOptions().setTimeout(timeoutMs)));
  }

  void sees(String text) {
    see(
        () ->
            expect(page.getByText(text).first())
                .isVisible(new LocatorAssertions.IsVisibleOptions().setTimeout(PATIENCE_MS)));
  }

  void counts(Locator elements, int expected) {
    see(
        () ->
            expect(elements)
                .hasCount(
                    expected, new LocatorAssertions.HasCountOptions().setTimeout(PATIENCE_MS)));
  }

  /** Whether the browser still draws: a frame is painted within three seconds. */
  boolean isDrawn() {
    return (boolean)
        page.evaluate(
            """
            () => new Promise((answer) => {
              requestAnimationFrame(() => answer(true));
              setTimeout(() => answer(false), 3000);
            })
            """);
  }

  /** Waits until a function of the page returns true; it is polled by time, not by frames. */
  void becomesTrue(String function) {
    var _ =
        page.waitForFunction(
            function, null, new Page.WaitForFunctionOptions().setPollingInterval(100));
  }

  /** Waits until the reader is at this place of the console. */
  void isAt(String path) {
    page.waitForURL(Pattern.compile(".*/console" + path + "$"));
  }

  /** Waits until the stream is connected and the loaded rows are shown. */
  void isSettled() {
    sees(find(".linkstate"), "Live");
    counts(find("[aria-busy='true']"), 0);
  }

  /** Fails if the page is wider than the screen, and names the elements that make it so. */
  void seesNothingBeyondTheEdge() {
    Object wide =
        page.evaluate(
            """
            () => {
              const { scrollWidth, clientWidth } = document.documentElement;
              if (scrollWidth <= clientWidth && innerWidth <= screen.width) return [];
              return [`page ${scrollWidth}, root ${clientWidth}, window ${innerWidth}`,
                ...[...document.querySelectorAll('body *')]
                  .filter((each) => each.getBoundingClientRect().right > screen.width + 1)
                  .map((each) => each.outerHTML.slice(0, 120))];
            }
            """);
    assertThat((List<?>) wide).isEmpty();
  }

  /** Fails if a script of the page could read the secret or the session cookie. */
  void exposesNoSecret(String secret) {
    assertThat(page.evaluate("document.cookie")).isEqualTo("");
    Object kept =
        page.evaluate(
            "[location.href, JSON.stringify(sessionStorage), JSON.stringify(localStorage)].join()");
    assertThat(kept.toString()).doesNotContain(secret);
    assertThat(context.cookies())
        .singleElement()
        .satisfies(
            cookie -> {
              assertThat(cookie.name).isEqualTo("convoke");
              assertThat(cookie.httpOnly).isTrue();
              assertThat(cookie.sameSite).isEqualTo(SameSiteAttribute.STRICT);
              assertThat(cookie.value).doesNotContain(secret);
            });
  }

  /** Fails if the browser reported an error that the test did not cause. */
  void hadNoErrorsExcept(String... expected) {
    assertThat(complaints)
        .filteredOn(each -> List.of(expected).stream().noneMatch(each::contains))
        .isEmpty();
  }

  /** Describes the expected content and the errors that the browser reported. */
  private void see(Runnable expectation) {
    try {
      expectation.run();
    } catch (AssertionError unseen) {
      String pages =
          context.pages().stream()
              .map(each -> each.url() + " shows:\n" + each.locator("body").innerText())
              .collect(Collectors.joining("\n"));
      throw new AssertionError(
          "%s%n%s%nThe browser said: %s%nRequests that failed: %s"
              .formatted(unseen.getMessage(), pages, complaints, failures),
          unseen);
    }
  }

  private void onConsoleMessage(ConsoleMessage message) {
    if (message.type().equals("error") || message.type().equals("warning")) {
      complaints.add(message.type() + ": " + message.text() + " " + message.location());
    }
  }

  private static LocatorAssertions expect(Locator element) {
    return PlaywrightAssertions.assertThat(element);
  }

  @Override
  public void close() {
    context.close();
  }
}
