package io.convoke.client.types;

/** A {@code FieldError} of the API. */
public record FieldError(
    String field,
    String message) {}
