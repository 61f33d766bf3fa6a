package io.convoke.client.types;

/** A {@code PlatformWebhookChanged} of the API. */
public record PlatformWebhookChanged(
    String platform,
    String from,
    String to,
    String reason) {}
