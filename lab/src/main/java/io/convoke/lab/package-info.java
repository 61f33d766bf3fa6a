/**
 * The lab's front door: one command line whose sub-commands simulate, demonstrate and torment a
 * Convoke server from outside. It owns argument parsing and exit codes and nothing else.
 */
@NullMarked
package io.convoke.lab;

import org.jspecify.annotations.NullMarked;
