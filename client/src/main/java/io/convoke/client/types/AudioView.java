package io.convoke.client.types;

/** A {@code AudioView} of the API. */
public record AudioView(
    long size,
    String sha256) {}
