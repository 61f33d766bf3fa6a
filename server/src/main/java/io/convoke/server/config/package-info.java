/**
 * Configuration: every setting with its default and meaning in one list, read from the environment
 * and {@code convoke.yaml}, checked as a whole before anything starts. It knows no feature; the App
 * turns settings into the configuration of each feature.
 */
@NullMarked
package io.convoke.server.config;

import org.jspecify.annotations.NullMarked;
