/**
 * Test signals: named moments of a running system that a test can wait for, so that no test sleeps.
 * Nothing in production reads one, and an unobserved signal costs one volatile read.
 */
@NullMarked
package io.convoke.engine.testhook;

import org.jspecify.annotations.NullMarked;
