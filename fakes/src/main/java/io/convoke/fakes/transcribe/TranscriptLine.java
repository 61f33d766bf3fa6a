package io.convoke.fakes.transcribe;

/** One line that a stand-in will have heard; times in seconds. */
public record TranscriptLine(double start, double end, String text) {}
