package io.convoke.client.types;

import java.util.List;

/** A {@code RegionViews} of the API. */
public record RegionViews(
    List<RegionView> items,
    DispatchConfigView terms) {}
