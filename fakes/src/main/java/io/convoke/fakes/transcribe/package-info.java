/**
 * What turns speech into text in tests and in the demo: a real transcriber where the machine has or
 * may get one, and strict stand-ins for servers, which hear nothing: what they say was written down
 * before, and what they are strict about is how they are asked.
 */
@NullMarked
package io.convoke.fakes.transcribe;

import org.jspecify.annotations.NullMarked;
