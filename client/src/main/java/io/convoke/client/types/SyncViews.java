package io.convoke.client.types;

import java.util.List;

/** A {@code SyncViews} of the API. */
public record SyncViews(
    List<SyncView> items,
    List<String> missing) {}
