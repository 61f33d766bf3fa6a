/**
 * The commands of the server: they read the configuration, decide what to start and translate what
 * went wrong into an exit code. Nothing here knows a meeting.
 */
@NullMarked
package io.convoke.server.cli;

import org.jspecify.annotations.NullMarked;
