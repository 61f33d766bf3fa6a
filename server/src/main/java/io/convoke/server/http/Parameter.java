package io.convoke.server.http;

/** A declared parameter of an endpoint. */
public record Parameter(
    ParameterLocation place, String name, Schema schema, boolean required, boolean repeated) {

  /** Where a parameter stands. */
  public enum ParameterLocation {
    PATH,
    QUERY,
    HEADER
  }
}
