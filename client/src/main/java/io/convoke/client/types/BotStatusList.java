package io.convoke.client.types;

import java.util.List;
import java.util.Optional;

/** A {@code BotStatusList} of the API. */
public record BotStatusList(
    List<BotStatusReport> items,
    Optional<String> nextCursor,
    List<DeadlineRuleView> rules) {}
