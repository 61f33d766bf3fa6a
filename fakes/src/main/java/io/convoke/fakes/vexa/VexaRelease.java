package io.convoke.fakes.vexa;

import java.util.Arrays;

/** Releases of the image that differ in what they say or expect. */
public enum VexaRelease {
  /** Calls {@code started} once it was let in, and {@code exited}. */
  V0_5("0.5"),
  /** One call for each change of its status, never repeated. */
  V0_6("0.6"),
  /** The same, three times if need be, and it looks into the answer; listens by meeting. */
  V0_9("0.9"),
  /** The same at another name of the URL; a joining that is not heard ends it. */
  V0_10("0.10");

  private final String name;

  VexaRelease(String name) {
    this.name = name;
  }

  static VexaRelease of(String name) {
    return Arrays.stream(values())
        .filter(vexaRelease -> vexaRelease.name.equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no release " + name));
  }

  /** Whether every change goes to {@code status_change}. */
  boolean unified() {
    return this != V0_5;
  }

  /** How often it makes a call that fails. */
  int tries() {
    return listensByMeeting() ? 3 : 1;
  }

  /** Whether the answer's own status decides. */
  boolean readsAnswers() {
    return listensByMeeting();
  }

  boolean listensByMeeting() {
    return this == V0_9 || this == V0_10;
  }

  /** The name of the callback URL in {@code BOT_CONFIG}. */
  String callbackField() {
    return this == V0_10 ? "meetingApiCallbackUrl" : "botManagerCallbackUrl";
  }
}
