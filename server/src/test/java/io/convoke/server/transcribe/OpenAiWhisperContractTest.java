package io.convoke.server.transcribe;

/** {@code whisper-1}, the model with times. */
class OpenAiWhisperContractTest extends OpenAiContract {
  @Override
  String model() {
    return "whisper-1";
  }
}
