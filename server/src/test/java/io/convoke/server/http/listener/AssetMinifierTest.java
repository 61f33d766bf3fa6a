package io.convoke.server.http.listener;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What browsers get of the console's files. */
class AssetMinifierTest {
  private static final String SCRIPT =
      """
      // @ts-check
      import { a } from './a.js';

      /**
       * One thing.
       * @param {any} x
       */
      export function one(x) {
        // Why.
        const link = 'https://example.org/*'; // stays
        return /** @type {any} */ (x) / 2;
      }
      """;

  @Test
  void commentsAreRemoved() {
    assertThat(AssetMinifier.of("/one.js", SCRIPT))
        .isEqualTo(
            """
            import { a } from './a.js';
            export function one(x) {
            const link = 'https://example.org/*'; // stays
            return (x) / 2;
            }
            """);
    assertThat(AssetMinifier.of("/styles/one.css", "/* Rows. */\n.row {\n  color: red;\n}\n"))
        .isEqualTo(".row{color:red}");
    assertThat(
            AssetMinifier.of(
                "/styles/one.css", ".row a :hover,\n.row {\n  font: 1rem one, two;\n}\n"))
        .isEqualTo(".row a :hover,.row{font:1rem one,two}");
  }

  @Test
  void vendoredFilesAndStringsStayUnchanged() {
    assertThat(AssetMinifier.of("/vendor/one.js", SCRIPT)).isEqualTo(SCRIPT);
    assertThat(AssetMinifier.of("/index.html", "  <p>\n")).isEqualTo("  <p>\n");
  }
}
