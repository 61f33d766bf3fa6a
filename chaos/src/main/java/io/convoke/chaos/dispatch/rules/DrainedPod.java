package io.convoke.chaos.dispatch.rules;

import java.time.Instant;

/**
 * An operator had a pod take nothing: from the answer that it is told to the moment when it was to
 * be told otherwise.
 */
public record DrainedPod(String pod, Instant from, Instant to) {}
