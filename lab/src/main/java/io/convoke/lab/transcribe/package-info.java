/**
 * Strict stand-ins for servers that turn speech into text. They hear nothing: what they say was
 * written down before. What they are strict about is how they are asked.
 */
@NullMarked
package io.convoke.lab.transcribe;

import org.jspecify.annotations.NullMarked;
