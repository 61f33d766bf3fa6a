/**
 * Bots as containers of one Docker engine, found by their labels. A container is created, then
 * started, under the name of its launch; a crash of the server between the two is repaired by the
 * next call. The engine's events report every exit, and a listing after each reconnect closes the
 * gap. It never builds images, never touches a container without our labels, and never puts a
 * secret on a command line.
 */
@NullMarked
package io.convoke.server.launch.docker;

import org.jspecify.annotations.NullMarked;
