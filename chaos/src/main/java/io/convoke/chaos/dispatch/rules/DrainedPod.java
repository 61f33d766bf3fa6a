package io.convoke.chaos.dispatch.rules;

import java.time.Instant;

/**
 * A period in which a pod was drained: from the response to the drain request to the resume
 * request.
 */
public record DrainedPod(String pod, Instant from, Instant to) {}
