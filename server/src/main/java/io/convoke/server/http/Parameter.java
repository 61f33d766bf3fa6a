package io.convoke.server.http;

/** A declared parameter of an endpoint. */
record Parameter(
    ParameterLocation place, String name, Schema schema, boolean required, boolean repeated) {

  /** Where a parameter stands. */
  enum ParameterLocation {
    PATH,
    QUERY,
    HEADER
  }
}
