package io.convoke.fakes.vexa;

import java.util.Arrays;

/** Releases of the image with different callbacks. */
public enum VexaRelease {
  /** Calls {@code started} once admitted, and {@code exited}. */
  V0_5("0.5"),
  /** One call for each change of status, without retries. */
  V0_6("0.6"),
  /**
   * The same with up to three attempts, and it reads the response; one channel for each meeting.
   */
  V0_9("0.9"),
  /** The same at another path of the URL; a joining without a response ends the bot. */
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

  /** Attempts of a failing call. */
  int tries() {
    return listensByMeeting() ? 3 : 1;
  }

  /** Whether the status in the response decides. */
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
