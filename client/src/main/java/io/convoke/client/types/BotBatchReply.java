package io.convoke.client.types;

import java.util.List;

/** A {@code BotBatchReply} of the API. */
public record BotBatchReply(
    List<BotBatchItem> items) {}
