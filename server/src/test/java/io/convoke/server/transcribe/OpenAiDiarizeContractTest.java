package io.convoke.server.transcribe;

/** {@code gpt-4o-transcribe-diarize}, the model with speakers. */
class OpenAiDiarizeContractTest extends OpenAiContract {
  @Override
  String model() {
    return "gpt-4o-transcribe-diarize";
  }

  @Override
  boolean tellsSpeakers() {
    return true;
  }
}
