package io.convoke.client.types;

/**
 * A {@code Component} of the API.
 *
 * @param status One of ok, degraded, down.
 */
public record Component(
    String name,
    String status,
    String detail) {}
