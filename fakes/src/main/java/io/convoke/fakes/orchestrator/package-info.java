/**
 * The common part of the fake Nomad and Kubernetes: an HTTP server that can fail, delay, lose a
 * response after executing the request, and restart, and workloads that are real processes. A fake
 * checks each request against the published API and records violations; it proves nothing about the
 * real platforms.
 */
@NullMarked
package io.convoke.fakes.orchestrator;

import org.jspecify.annotations.NullMarked;
