package io.convoke.lab.chaos.dispatch.verdict;

import java.time.Instant;

/** A pod that said nothing any more from some moment on: it was killed, hung, or was cut off. */
public record Silence(String pod, String why, Instant from) {}
