package io.convoke.demo;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Settings of the demo.
 *
 * @param speed scripted seconds per second
 * @param transcriber as {@code CONVOKE_TRANSCRIBER}; absent: the one that this machine has or may
 *     install
 * @param bot command of a bot for rooms with real sound; absent: the example's
 * @param people whether rooms with real sound have the people of the script
 */
record DemoConfig(
    int port,
    Path data,
    long seed,
    double speed,
    Optional<String> transcriber,
    Optional<String> bot,
    boolean people) {}
