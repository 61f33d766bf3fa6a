/**
 * Transcribers for tests and the demo: a real one where the machine has or can install it, and
 * strict fakes of servers, which return prepared lines and check the requests.
 */
@NullMarked
package io.convoke.fakes.transcribe;

import org.jspecify.annotations.NullMarked;
