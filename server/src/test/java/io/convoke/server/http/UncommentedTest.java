package io.convoke.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a browser has no use for is left out, and nothing else, and every line keeps its number. */
class UncommentedTest {
  @Test
  void comments_on_lines_of_their_own_go_and_lines_keep_their_numbers() {
    assertThat(
            Uncommented.of(
                """
                // @ts-check
                /** What it is. @param {any} props */
                const a = 1; // why
                  /*
                   * more
                   */
                const b = 2;
                """))
        .isEqualTo("\n\nconst a = 1; // why\n\n\n\nconst b = 2;\n");
  }

  @Test
  void casts_go_and_what_is_cast_stays() {
    assertThat(Uncommented.of("  /** @type {any} */ (next)?.focus();"))
        .isEqualTo("  (next)?.focus();");
    assertThat(
            Uncommented.of("const f = (/** @type {string[]} */ x, /** @type {number} */ i) => x;"))
        .isEqualTo("const f = (x, i) => x;");
  }

  @Test
  void what_only_looks_like_a_comment_stays() {
    String code =
        "const url = 'https://example.org/*';\nconst rule = /\\/\\*/;\nconst half = 1 /* 2 */ / 2;\n";
    assertThat(Uncommented.of(code)).isEqualTo(code);
  }

  @Test
  void what_follows_a_comment_on_its_last_line_stays() {
    assertThat(Uncommented.of("/* one\n   two */ go();\nstop();")).isEqualTo("\n go();\nstop();");
    assertThat(Uncommented.of("/* a */ go(); /* b */")).isEqualTo("/* a */ go(); /* b */");
  }
}
