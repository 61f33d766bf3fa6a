package io.convoke.lab.chaos.recordings.verdict;

/** What somebody was answered; 0 when nobody answered. */
public record Answer(String what, int status) {}
