package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A {@code BotSettingsReport} of the API. */
public record BotSettingsReport(
    String commandId,
    Instant sentAt,
    Map<String, String> settings,
    Optional<Instant> acknowledgedAt,
    Optional<List<String>> applied,
    Optional<List<SettingNotApplied>> notApplied) {}
