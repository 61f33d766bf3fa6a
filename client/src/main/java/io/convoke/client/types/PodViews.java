package io.convoke.client.types;

import java.util.List;

/** A {@code PodViews} of the API. */
public record PodViews(
    List<PodView> items) {}
