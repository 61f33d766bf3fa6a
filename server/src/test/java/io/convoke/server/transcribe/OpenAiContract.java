package io.convoke.server.transcribe;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.fakes.transcribe.FakeOpenAi;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;

/** Each model of OpenAI's transcription API, against a strict fake of it. */
abstract class OpenAiContract extends TranscriberContract {
  final FakeOpenAi server = new FakeOpenAi("sk-1", LINES);

  abstract String model();

  @AfterEach
  void close() {
    // The contract sends one file that is no audio.
    assertThat(server.complaints()).allMatch(it -> it.contains("could not be decoded"));
    server.close();
  }

  @Override
  Transcriber transcriber() {
    return TranscriberFactory.of(
            "openai:" + server.url() + "?model=" + model(), Optional.of("sk-1"))
        .orElseThrow();
  }

  @Override
  Transcriber unreachable() {
    return TranscriberFactory.of("openai:http://127.0.0.1:1?model=" + model(), Optional.empty())
        .orElseThrow();
  }
}
