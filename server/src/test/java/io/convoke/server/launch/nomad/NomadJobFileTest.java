package io.convoke.server.launch.nomad;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The job file of the guide, by HCL2's grammar: an argument ends with its line, and a block on one
 * line holds one argument at most.
 */
class NomadJobFileTest {
  private static final Pattern FENCED = Pattern.compile("```hcl\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*?(\\n|\"(?:[^\"\\\\]|\\\\.)*\"|[A-Za-z_][-A-Za-z0-9_]*|[0-9]+|[={}\\[\\],])");

  @Test
  void theJobOfTheGuideIsHclAndAllowsOurMetadata() throws IOException {
    Matcher fenced = FENCED.matcher(Files.readString(Path.of("..", "docs/guides/launchers.md")));
    assertThat(fenced.find()).isTrue();
    String job = fenced.group(1);
    HclText text = new HclText(tokens(job));
    text.body(false);
    assertThat(text.ended()).isTrue();
    assertThat(job.replaceAll("\\s+", " "))
        .contains("meta_required = [\"BOT_CONFIG\"]")
        .as("or a lost node would start a second bot")
        .contains("disconnect { replace = false }");
    for (String key : NomadLauncher.META) {
      assertThat(job).contains("\"" + key + "\"");
    }
  }

  @Test
  void aBlockOnOneLineHoldsOneArgument() {
    new HclText(tokens("env { A = 1 }\n")).body(false);
    assertThatThrownBy(() -> new HclText(tokens("env { A = 1 B = 2 }\n")).body(false))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> new HclText(tokens("cpu = 1 memory = 2\n")).body(false))
        .isInstanceOf(AssertionError.class);
  }

  private static List<String> tokens(String text) {
    List<String> tokens = new ArrayList<>();
    Matcher token = TOKEN.matcher(text);
    int at = 0;
    while (token.find(at) && token.start() == at) {
      tokens.add(token.group(1));
      at = token.end();
    }
    assertThat(text.substring(at)).isBlank();
    return tokens;
  }

  /** Reads tokens by the grammar of bodies, blocks and arguments. */
  private static final class HclText {
    private final List<String> tokens;
    private int at;

    HclText(List<String> tokens) {
      this.tokens = tokens;
    }

    boolean ended() {
      return at == tokens.size();
    }

    void body(boolean inBlock) {
      while (!ended() && !(inBlock && next().equals("}"))) {
        if (next().equals("\n")) {
          at++;
        } else {
          item();
          take("\n");
        }
      }
    }

    private void item() {
      name();
      if (next().equals("=")) {
        take("=");
        value();
        return;
      }
      while (next().startsWith("\"")) {
        at++;
      }
      take("{");
      if (next().equals("\n")) {
        body(true);
      } else if (!next().equals("}")) {
        name();
        take("=");
        value();
      }
      take("}");
    }

    private void value() {
      if (!next().equals("[")) {
        assertThat(next()).matches("\".*\"|[0-9]+|true|false");
        at++;
        return;
      }
      take("[");
      while (!next().equals("]")) {
        value();
        if (!next().equals("]")) {
          take(",");
        }
      }
      take("]");
    }

    private void name() {
      assertThat(next()).matches("[A-Za-z_][-A-Za-z0-9_]*");
      at++;
    }

    private void take(String token) {
      assertThat(next()).isEqualTo(token);
      at++;
    }

    private String next() {
      return ended() ? "" : tokens.get(at);
    }
  }
}
