package io.convoke.server.recordings;

import java.util.Locale;

/** The status of a recording (docs/spec/contract.md, "Recordings"). */
public enum RecordingStatus {
  /** The platform records, or makes the file. */
  IN_PROGRESS,
  /** It can be fetched, and a workflow will. */
  READY,
  /** A workflow is processing it. */
  PROCESSING,
  DONE,
  FAILED,
  /** The platform discarded it. */
  CANCELLED,
  /** Nothing was recorded. */
  EMPTY,
  /** Its deadline passed without a file, or without an assigned meeting. */
  GIVEN_UP,
  /** Its meeting is not known. */
  UNMATCHED;

  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  static RecordingStatus of(String value) {
    return valueOf(value.toUpperCase(Locale.ROOT));
  }

  boolean terminal() {
    return switch (this) {
      case DONE, FAILED, CANCELLED, EMPTY, GIVEN_UP -> true;
      case IN_PROGRESS, READY, PROCESSING, UNMATCHED -> false;
    };
  }
}
