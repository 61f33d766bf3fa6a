package io.convoke.engine.dispatch;

/** The payload of a task is larger than {@link NewTask#PAYLOAD_BYTES_MAX}. */
public final class PayloadTooLarge extends IllegalArgumentException {
  PayloadTooLarge(int bytes) {
    super(
        "payload of %d bytes as JSON exceeds the limit of %d"
            .formatted(bytes, NewTask.PAYLOAD_BYTES_MAX));
  }
}
