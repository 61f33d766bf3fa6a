package io.convoke.demo;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How the demo is set up.
 *
 * @param speed how many scripted seconds pass in a second
 * @param transcriber what hears recordings, as {@code CONVOKE_TRANSCRIBER} has it; absent: what
 *     this machine has or may install
 */
record DemoConfig(int port, Path data, long seed, double speed, Optional<String> transcriber) {}
