package io.convoke.chaos.bots.rules;

/** A transcript line of a launch that a server answered 200. */
public record AcknowledgedLine(String connectionId, String text) {}
