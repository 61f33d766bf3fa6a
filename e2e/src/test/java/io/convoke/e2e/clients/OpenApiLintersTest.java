package io.convoke.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.e2e.build.ProjectCopy;
import io.convoke.e2e.build.ProjectCopy.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the linters of others say of our OpenAPI document; each also refuses a worse one. */
@Tag("nightly")
@Tag("heavy")
@Timeout(600)
final class OpenApiLintersTest {
  private static final String REDOCLY = "@redocly/cli@2.77.0";
  private static final String SPECTRAL = "@stoplight/spectral-cli@6.16.3";

  /** Text of the document, and what takes its place in the worse one. */
  private static final String SUMMARY = "\"summary\" : \"Liveness of the process";

  private static final String NO_SUMMARY = "\"x-summary\" : \"Liveness of the process";
  private static final String TAGS = "\"tags\" : [ \"operations\" ]";
  private static final String UNKNOWN_TAGS = "\"tags\" : [ \"unknown\" ]";

  @TempDir private static Path folder;
  private static Path document;
  private static Path worse;

  @BeforeAll
  @Timeout(600)
  static void install() throws Exception {
    Path _ = Files.writeString(folder.resolve("package.json"), "{\"private\": true}");
    Path _ = Files.writeString(folder.resolve(".spectral.yaml"), "extends: [\"spectral:oas\"]\n");
    ClientContract.skipUnless(
        ClientContract.runs(folder, "npm", "install", "--no-audit", "--no-fund", REDOCLY, SPECTRAL),
        "npm and its registry");
    document = ProjectCopy.home().resolve("docs/reference/openapi.json");
    String text = Files.readString(document);
    assertThat(text).contains(SUMMARY, TAGS);
    worse =
        Files.writeString(
            folder.resolve("worse.json"),
            text.replace(SUMMARY, NO_SUMMARY).replaceFirst(Pattern.quote(TAGS), UNKNOWN_TAGS));
  }

  @Test
  void redoclyHasNeitherErrorsNorWarnings() throws Exception {
    assertThat(redocly(document)).contains("\"errors\": 0,", "\"warnings\": 0,");
    assertThat(redocly(worse)).doesNotContain("\"errors\": 0,\n    \"warnings\": 0,");
  }

  private static String redocly(Path what) throws Exception {
    String config = ProjectCopy.home().resolve("redocly.yaml").toString();
    return npx("redocly", "lint", "--format=json", "--config", config, what.toString()).output();
  }

  @Test
  void spectralHasNeitherErrorsNorWarnings() throws Exception {
    Result of = spectral(document);
    assertThat(of.code()).as(of.output()).isZero();
    assertThat(spectral(worse).code()).isNotZero();
  }

  private static Result spectral(Path what) throws Exception {
    return npx("spectral", "lint", "--fail-severity=warn", what.toString());
  }

  private static Result npx(String... arguments) throws Exception {
    String[] command = new String[arguments.length + 2];
    command[0] = "npx";
    command[1] = "--no-install";
    System.arraycopy(arguments, 0, command, 2, arguments.length);
    return ProjectCopy.start(folder, Map.of(), command);
  }
}
