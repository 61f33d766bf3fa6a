/**
 * The commands of the server: they read the configuration, decide what to start and map failures to
 * exit codes. Nothing here knows a meeting.
 */
@NullMarked
package io.convoke.server.cli;

import org.jspecify.annotations.NullMarked;
