package io.convoke.chaos.recordings.rules;

import java.util.List;

/**
 * What the CRM keeps of a recording.
 *
 * @param versions how often it came with other words, the first time included
 */
public record FinalNote(String recordingId, long meeting, List<String> lines, int versions) {}
