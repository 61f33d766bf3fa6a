package io.convoke.server.recordings;

import java.util.List;
import java.util.Locale;

/** The steps of the work on a recording, in their order. The last three are the sync. */
enum StepName {
  DOWNLOAD,
  TRANSCRIBE,
  PREPARE,
  TRANSFORM,
  PUSH;

  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** How many steps go before. */
  int place() {
    return List.of(values()).indexOf(this);
  }

  boolean sync() {
    return compareTo(PREPARE) >= 0;
  }
}
