package io.convoke.chaos.recordings.rules;

/** A response to a request; 0 without a response. */
public record ObservedReply(String what, int status) {}
