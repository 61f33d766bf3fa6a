package io.convoke.fakes.vexa;

import java.util.Arrays;

/** Releases of the image with different contracts (docs/spec/originals.md, Vexa). */
public enum VexaRelease {
  /** Its one call is {@code exited}, at the path of its URL without the query. */
  V0_4("0.4"),
  /** The same, and {@code started} once it was admitted, at the whole URL. */
  V0_5("0.5"),
  /** One call for each change of status, without retries. */
  V0_6("0.6"),
  /**
   * The same with up to three attempts, and it reads the response; one channel for each meeting.
   */
  V0_9("0.9"),
  /**
   * The same with its URL in another field; a joining without a response ends the bot. It
   * transcribes by itself and uploads its recording at its end.
   */
  V0_10("0.10"),
  /** The same, but only a refused joining ends the bot, and it uploads parts as it records. */
  V0_10_7("0.10.7"),
  /**
   * Another program: a closed schema in {@code VEXA_BOT_CONFIG}, its events as they are at the URL
   * as it is, a secret in a header, and an entrypoint that passes signals on.
   */
  V0_12("0.12");

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

  /** Whether every change of status is reported, not the admission and the exit alone. */
  boolean unified() {
    return since(V0_6);
  }

  /** Attempts of a failing call about a status. */
  int tries(String status) {
    return switch (this) {
      case V0_4, V0_5, V0_6 -> 1;
      case V0_9, V0_10 -> 3;
      case V0_10_7 ->
          status.equals("joining") || status.equals("awaiting_admission") || status.equals("active")
              ? 5
              : 3;
      case V0_12 -> 5;
    };
  }

  /** Whether the status in the response decides. */
  boolean readsAnswers() {
    return since(V0_9) && this != V0_12;
  }

  boolean listensByMeeting() {
    return since(V0_9);
  }

  /** Whether a leave before there is a page ends the bot. */
  boolean leavesWithoutPage() {
    return since(V0_9);
  }

  /** Whether its words come from Vexa's WhisperLive, with the names in another stream. */
  boolean transcribedElsewhere() {
    return !since(V0_10);
  }

  /** Whether its last call tells each beginning and end of speech in the meeting. */
  boolean tellsSpeech() {
    return this == V0_10 || this == V0_10_7;
  }

  /** Whether it uploads parts while it records. */
  boolean uploadsParts() {
    return since(V0_10_7);
  }

  /** Whether it records at all. */
  boolean records() {
    return since(V0_9);
  }

  /** The variable that its configuration is in. */
  String variable() {
    return this == V0_12 ? "VEXA_BOT_CONFIG" : "BOT_CONFIG";
  }

  /** The name of the callback URL in its configuration. */
  String callbackField() {
    return since(V0_10) ? "meetingApiCallbackUrl" : "botManagerCallbackUrl";
  }

  private boolean since(VexaRelease first) {
    return compareTo(first) >= 0;
  }
}
