package io.convoke.server.http;

import java.util.Optional;

/** A declared parameter of an endpoint. */
public record Parameter(
    ParameterLocation place, String name, Schema schema, boolean required, boolean repeated) {

  /** What it means, for the reader of the document. */
  public Optional<String> description() {
    return schema.description();
  }

  /** Where a parameter stands. */
  public enum ParameterLocation {
    PATH,
    QUERY,
    HEADER
  }
}
