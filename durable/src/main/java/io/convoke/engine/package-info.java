/**
 * The engine runs Convoke's one loop: intent, wake, claim, act, commit, sweep. It is a library
 * without HTTP, usable without the server, and does not depend on meetings or bots.
 */
@NullMarked
package io.convoke.engine;

import org.jspecify.annotations.NullMarked;
