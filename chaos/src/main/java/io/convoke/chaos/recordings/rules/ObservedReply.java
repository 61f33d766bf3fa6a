package io.convoke.chaos.recordings.rules;

/** What somebody was answered; 0 when nobody answered. */
public record ObservedReply(String what, int status) {}
