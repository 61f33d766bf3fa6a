package io.convoke.lab.chaos.recordings.verdict;

import java.util.List;

/**
 * What the CRM keeps of a recording.
 *
 * @param versions how often it came with other words, the first time included
 */
public record Note(String recordingId, long meeting, List<String> words, int versions) {}
