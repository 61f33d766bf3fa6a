/**
 * The engine runs Convoke's one loop: intent, wake, claim, act, commit, sweep. It is a library with
 * no HTTP in it, usable without the server, and never knows what a meeting or a bot is.
 */
@NullMarked
package io.convoke.engine;

import org.jspecify.annotations.NullMarked;
