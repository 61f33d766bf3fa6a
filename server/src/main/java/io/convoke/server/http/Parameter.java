package io.convoke.server.http;

/** A declared parameter of an endpoint. */
record Parameter(Place place, String name, Schema schema, boolean required, boolean repeated) {

  /** Where a parameter stands. */
  enum Place {
    PATH,
    QUERY,
    HEADER
  }
}
