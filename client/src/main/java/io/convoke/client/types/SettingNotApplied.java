package io.convoke.client.types;

/** A {@code SettingNotApplied} of the API. */
public record SettingNotApplied(
    String setting,
    String reason) {}
