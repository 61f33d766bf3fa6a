/**
 * The demo: a small company's morning on one machine, with a real server as a process of its own,
 * real stores, real bots and simulated people. It uses the server over HTTP only.
 */
@NullMarked
package io.convoke.demo;

import org.jspecify.annotations.NullMarked;
