package io.convoke.server.transcribe;

/** {@code gpt-4o-transcribe}, which answers a text alone. */
class OpenAiJsonContractTest extends OpenAiContract {
  @Override
  String model() {
    return "gpt-4o-transcribe";
  }

  @Override
  boolean tellsTimes() {
    return false;
  }
}
