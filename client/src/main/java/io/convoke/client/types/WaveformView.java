package io.convoke.client.types;

import java.util.List;

/** A {@code WaveformView} of the API. */
public record WaveformView(
    String recordingId,
    double seconds,
    boolean video,
    List<Long> peaks) {}
