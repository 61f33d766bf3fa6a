package io.convoke.lab.demo;

import java.nio.file.Path;

/** How the demo is set up; {@code speed} is how many scripted seconds pass in a second. */
record DemoTerms(int port, Path data, long seed, double speed) {}
