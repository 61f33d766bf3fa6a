package io.convoke.client.types;

import java.util.List;

/** A {@code QuotaUsages} of the API. */
public record QuotaUsages(
    List<QuotaUsage> items) {}
