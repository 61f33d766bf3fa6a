package io.convoke.client.types;

/** A {@code DeadlineRuleView} of the API. */
public record DeadlineRuleView(
    String status,
    String owner,
    String from,
    long timeoutMs,
    String overdue) {}
