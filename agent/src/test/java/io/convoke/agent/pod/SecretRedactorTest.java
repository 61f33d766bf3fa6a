package io.convoke.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.json.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Tokens appear in no reason and no log. */
class SecretRedactorTest {
  private final SecretRedactor redactor =
      new SecretRedactor(
          Json.read(
              """
              {"id": "a", "payload": {"access_token": "007eJx", "deep": [{"access_token": "007eJx\\"more"}],
               "numbers": {"access_token": 4711}, "none": {"access_token": null},
               "empty": {"access_token": ""},
               "sealed": {"access_token": {"key": "k1-2026", "parts": ["s3a1ed", 815]}}}}
              """));

  @Test
  void tokensAreRedactedInTexts() {
    assertThat(redactor.redact("curl -H 'token 007eJx\"more': refused"))
        .isEqualTo("curl -H 'token ***': refused");
    assertThat(redactor.redact(new AttemptOutcome.AttemptFailed("bad token 007eJx, 4711")))
        .isEqualTo(new AttemptOutcome.AttemptFailed("bad token ***, ***"));
    assertThat(redactor.redact(new AttemptOutcome.AttemptDone()))
        .isEqualTo(new AttemptOutcome.AttemptDone());
  }

  @Test
  void alsoAsJsonShowsThemAndInStackTraces() {
    assertThat(redactor.redact(Json.write("007eJx\"more"))).isEqualTo("\"***\"");
    assertThat(redactor.redact(new IllegalStateException("with 007eJx")))
        .contains("IllegalStateException: with ***")
        .contains("SecretRedactorTest")
        .doesNotContain("007eJx");
  }

  /** Of a long line the end is kept, which may begin within a token. */
  @Test
  void theRestOfATokenIsRedactedWhereALineWasCut() throws IOException {
    String token = "0123456789abcdefghijklmnopqrstuvwxyz";
    SecretRedactor ofToken = new SecretRedactor(Json.read("{\"access_token\": \"" + token + "\"}"));
    OutputTail outputTail = new OutputTail();
    String line = "refused: " + token + "!".repeat(985);
    outputTail.readAll(new ByteArrayInputStream(line.getBytes(StandardCharsets.UTF_8)));
    assertThat(outputTail.lastLine()).startsWith("lmnopqrstuvwxyz!");
    assertThat(ofToken.redact(outputTail.lastLine())).isEqualTo("***" + "!".repeat(985));
    assertThat(ofToken.redact(token + token)).isEqualTo("******");
    assertThat(ofToken.redact("xyz is unknown")).isEqualTo("xyz is unknown");
    assertThat(ofToken.redact("tuvwxyz is unknown")).isEqualTo("tuvwxyz is unknown");
    assertThat(ofToken.redact("stuvwxyz is unknown")).isEqualTo("*** is unknown");
    assertThat(ofToken.redact("stuvwxyz")).isEqualTo("***");
  }

  @Test
  void ofSeveralTokensTheLongestRestIsRedacted() {
    SecretRedactor ofBoth =
        new SecretRedactor(Json.read("{\"access_token\": [\"1-abababab\", \"2-ababababab\"]}"));
    assertThat(ofBoth.redact("ababababab is unknown")).isEqualTo("*** is unknown");
  }

  @Test
  void everyValueInATokenIsRedacted() {
    assertThat(redactor.redact("sealed with k1-2026: s3a1ed, 815"))
        .isEqualTo("sealed with ***: ***, ***");
  }

  @Test
  void wordsWithoutOneStayAsTheyAre() {
    assertThat(redactor.redact("disk full")).isEqualTo("disk full");
    assertThat(new SecretRedactor(Json.read("{\"payload\": {}}")).redact("x")).isEqualTo("x");
  }
}
