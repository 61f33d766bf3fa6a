package io.convoke.client.types;

/** A {@code WebhookEndpointTested} of the API. */
public record WebhookEndpointTested(
    long id) {}
