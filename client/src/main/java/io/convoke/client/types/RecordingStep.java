package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/**
 * A {@code RecordingStep} of the API.
 *
 * @param name One of download, transcribe, prepare, transform, push.
 * @param state One of pending, running, done, skipped, failed.
 */
public record RecordingStep(
    String name,
    String state,
    long attempts,
    double progress,
    Optional<Instant> startedAt,
    Optional<Instant> endedAt,
    Optional<String> error,
    Optional<String> detail) {}
