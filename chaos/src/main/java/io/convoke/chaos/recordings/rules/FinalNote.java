package io.convoke.chaos.recordings.rules;

import java.util.List;

/**
 * The CRM's note of a recording after the run.
 *
 * @param versions number of different texts received, including the first
 */
public record FinalNote(String recordingId, long meeting, List<String> lines, int versions) {}
