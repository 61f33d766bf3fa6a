/**
 * Real processes of ours, for whoever torments or measures them: started by their command line,
 * awaited by the line they print, killed as a crash would, never left behind. It knows no class of
 * the server, only the class path that holds it, and decides nothing about what a process does.
 */
@NullMarked
package io.convoke.lab.process;

import org.jspecify.annotations.NullMarked;
