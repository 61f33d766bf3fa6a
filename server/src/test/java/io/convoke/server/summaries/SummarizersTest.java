package io.convoke.server.summaries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.fakes.chat.FakeChat;
import io.convoke.fakes.chat.FakeChat.ChatFault;
import io.convoke.server.summaries.Summarizer.SummarizerAnswer;
import io.convoke.server.summaries.Summarizer.SummarizerAnswer.SummarizerAnswered;
import io.convoke.server.summaries.Summarizer.SummarizerAnswer.SummarizerRefused;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Chat APIs, against a strict fake of OpenAI's, and commands. */
class SummarizersTest {
  private final FakeChat chat = new FakeChat("sk-1", text -> "{\"of\": \"" + text + "\"}");

  @AfterEach
  void close() {
    chat.close();
  }

  @Test
  void aChatApiGetsInstructionAndTextAndItsAnswerIsReturned() throws Exception {
    assertThat(ask("?model=gpt-4o-mini&max_tokens=100"))
        .isEqualTo(new SummarizerAnswered("{\"of\": \"hello\"}"));
    JsonNode request = chat.requests().getFirst();
    assertThat(request.path("model").asString()).isEqualTo("gpt-4o-mini");
    assertThat(request.path("messages").findValuesAsString("content"))
        .containsExactly("Answer in JSON.", "hello");
    assertThat(request.path("max_tokens").asInt()).isEqualTo(100);
    assertThat(ask("/v1?model=gpt-4o")).isInstanceOf(SummarizerAnswered.class);
    for (String thinks : List.of("o3-mini", "gpt-5.1")) {
      assertThat(ask("?model=" + thinks)).isInstanceOf(SummarizerAnswered.class);
      assertThat(chat.requests().getLast().has("max_completion_tokens")).isTrue();
    }
    assertThat(chat.complaints()).isEmpty();
  }

  @Test
  void aLimitIsWaitedForAsLongAsTheServerSays() throws Exception {
    chat.fail(new ChatFault.StatusFault(429, Duration.ofSeconds(1)));
    chat.fail(new ChatFault.StatusFault(503, Duration.ofSeconds(1)));
    assertThat(ask("?model=gpt-4o")).isInstanceOf(SummarizerAnswered.class);
    assertThat(chat.requests()).hasSize(3);
    assertThat(chat.complaints()).isEmpty();

    chat.fail(new ChatFault.StatusFault(429, Duration.ofHours(2)));
    triesAgain("?model=gpt-4o", "429 Rate limit reached");
    assertThat(chat.requests()).hasSize(4);
  }

  @Test
  void whatMayPassIsTriedAgainAndWhatWillNotIsRefused() throws Exception {
    for (int status : List.of(408, 409, 429, 500, 502, 503)) {
      chat.fail(new ChatFault.StatusFault(status, Duration.ZERO));
      triesAgain("?model=gpt-4o", Integer.toString(status));
    }
    chat.fail(new ChatFault.BodyFault("<html>a proxy</html>"));
    triesAgain("?model=gpt-4o", "not JSON");
    chat.fail(new ChatFault.BodyFault("{\"choices\": []}"));
    triesAgain("?model=gpt-4o", "no message");
    assertThatThrownBy(() -> ask(chat.url(), "?model=gpt-4o", "a wrong key", "hello"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("401 Incorrect API key");
    assertThatThrownBy(() -> ask(URI.create("http://127.0.0.1:1"), "?model=m", "sk-1", "hello"))
        .isInstanceOf(IOException.class);

    for (int status : List.of(400, 413, 422)) {
      chat.fail(new ChatFault.StatusFault(status, Duration.ZERO));
      refuses("?model=gpt-4o", "hello", Integer.toString(status));
    }
    chat.fail(new ChatFault.RefusalFault("I cannot help with that."));
    refuses("?model=gpt-4o", "hello", "I cannot help");
    refuses("?model=gpt-4o&max_tokens=2", "hello", "max_tokens=2; raise it");
    assertThat(chat.complaints()).isEmpty();
    refuses("?model=gpt-4o&max_tokens=20000", "hello", "16384 completion tokens");
    refuses("?model=gpt-4o", "x".repeat(4 * FakeChat.CONTEXT_MAX), "maximum context length");
  }

  @Test
  void aCommandReadsInstructionAndTextAndPrintsTheAnswer() throws Exception {
    assertThat(command("cat")).isEqualTo(new SummarizerAnswered("Answer in JSON.\n\nhello"));
    assertThat(command("echo done")).isEqualTo(new SummarizerAnswered("done\n"));
    assertThat(
            SummarizerFactory.of("command:echo deaf", Optional.empty())
                .orElseThrow()
                .answer("Answer in JSON.", "x".repeat(1_000_000)))
        .isEqualTo(new SummarizerAnswered("deaf\n"));
    assertThat(command("echo \"$CONVOKE_SUMMARIZER_KEY$SHELL\""))
        .isEqualTo(new SummarizerAnswered("\n"));
    assertThat(command("echo too long >&2; exit 65"))
        .isEqualTo(new SummarizerRefused("the command refuses: too long"));
    assertThatThrownBy(() -> command("echo busy >&2; exit 75"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ended with 75: busy");
    assertThat(
            command(
                "printf 'at last' | dd of=/dev/fd/2 bs=1M seek=3000 conv=notrunc status=none;"
                    + " exit 65"))
        .as("of more complaints than an array can hold")
        .isEqualTo(new SummarizerRefused("the command refuses: at last"));
  }

  @Test
  void settingsThatNameNoneAreRefused() {
    assertThat(SummarizerFactory.of("none", Optional.empty())).isEmpty();
    assertThat(SummarizerFactory.checked("none")).isEqualTo("none");
    for (String bad :
        List.of(
            "",
            "openai:",
            "openai:http://host",
            "openai:http://host?model=",
            "openai:ftp://host?model=m",
            "openai:http://host?model=m&max_tokens=0",
            "openai:http://host?model=m&max_tokens=many",
            "openai:http://host?model=m&chars=10",
            "command:",
            "gpt")) {
      assertThatIllegalArgumentException()
          .as(bad)
          .isThrownBy(() -> SummarizerFactory.of(bad, Optional.empty()));
      assertThatIllegalArgumentException().as(bad).isThrownBy(() -> SummarizerFactory.checked(bad));
    }
  }

  private SummarizerAnswer ask(String query) throws IOException, InterruptedException {
    return ask(chat.url(), query, "sk-1", "hello");
  }

  private static SummarizerAnswer ask(URI url, String query, String key, String text)
      throws IOException, InterruptedException {
    return SummarizerFactory.of("openai:" + url + query, Optional.of(key))
        .orElseThrow()
        .answer("Answer in JSON.", text);
  }

  private void triesAgain(String query, String why) {
    assertThatThrownBy(() -> ask(query)).isInstanceOf(IOException.class).hasMessageContaining(why);
  }

  private void refuses(String query, String text, String why) throws Exception {
    assertThat(ask(chat.url(), query, "sk-1", text))
        .isInstanceOfSatisfying(
            SummarizerRefused.class, refused -> assertThat(refused.why()).contains(why));
  }

  private static SummarizerAnswer command(String line) throws IOException, InterruptedException {
    return SummarizerFactory.of("command:" + line, Optional.empty())
        .orElseThrow()
        .answer("Answer in JSON.", "hello");
  }
}
