package io.convoke.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.json.Json;
import org.junit.jupiter.api.Test;

/** Tokens appear in no reason and no log. */
class SecretRedactorTest {
  private static final SecretRedactor REDACTOR =
      new SecretRedactor(
          Json.read(
              """
              {"id": "a", "payload": {"access_token": "007eJx", "deep": [{"access_token": "007eJx\\"more"}],
               "numbers": {"access_token": 4711}, "none": {"access_token": null}}}
              """));

  @Test
  void tokensAreRedactedInTexts() {
    assertThat(REDACTOR.redact("curl -H 'token 007eJx\"more': refused"))
        .isEqualTo("curl -H 'token ***': refused");
    assertThat(REDACTOR.redact(new AttemptOutcome.AttemptFailed("bad token 007eJx, 4711")))
        .isEqualTo(new AttemptOutcome.AttemptFailed("bad token ***, ***"));
    assertThat(REDACTOR.redact(new AttemptOutcome.AttemptDone()))
        .isEqualTo(new AttemptOutcome.AttemptDone());
  }

  @Test
  void alsoAsJsonShowsThemAndInStackTraces() {
    assertThat(REDACTOR.redact(Json.write("007eJx\"more"))).isEqualTo("\"***\"");
    assertThat(REDACTOR.redact(new IllegalStateException("with 007eJx")))
        .contains("IllegalStateException: with ***")
        .contains("SecretRedactorTest")
        .doesNotContain("007eJx");
  }

  @Test
  void wordsWithoutOneStayAsTheyAre() {
    assertThat(REDACTOR.redact("disk full")).isEqualTo("disk full");
    assertThat(new SecretRedactor(Json.read("{\"payload\": {}}")).redact("x")).isEqualTo("x");
  }
}
