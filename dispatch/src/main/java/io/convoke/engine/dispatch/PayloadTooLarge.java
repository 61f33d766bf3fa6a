package io.convoke.engine.dispatch;

/** The payload of a task is larger than {@link NewTask#PAYLOAD_BYTES_MAX}. */
public final class PayloadTooLarge extends IllegalArgumentException {
  PayloadTooLarge(int bytes) {
    super(
        "the payload has %d bytes as JSON, %d are allowed"
            .formatted(bytes, NewTask.PAYLOAD_BYTES_MAX));
  }
}
