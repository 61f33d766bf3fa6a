package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Checks a page's accessibility with axe-core. */
final class Axe {
  private static final String SOURCE = source();

  /** One line for each serious or critical finding: rule, help, elements. */
  private static final String FINDINGS =
      """
      async () => {
        const { violations } = await axe.run(document, { resultTypes: ['violations'] });
        return violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, help, nodes }) =>
            `${id}: ${help}: ${nodes.map((n) => `${n.html} ${n.failureSummary}`).join(' | ')}`);
      }
      """;

  private static final String STILL =
      """
      () => document.getAnimations().every((a) =>
        a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)
      """;

  private Axe() {}

  static void findsNothingSerious(Page page, String name) {
    // Colours in the middle of an entrance are not the colours one reads.
    page.waitForFunction(STILL);
    page.evaluate(SOURCE);
    assertThat((List<?>) page.evaluate(FINDINGS)).as(name).isEmpty();
  }

  private static String source() {
    try (InputStream in = Axe.class.getResourceAsStream("/vendor/axe.min.js")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
