package io.convoke.client.types;

/** A {@code WebhookEndpointChanged} of the API. */
public record WebhookEndpointChanged(
    long id,
    String state,
    String reason) {}
