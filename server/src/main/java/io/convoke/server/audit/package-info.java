/**
 * The audit journal: what operators and keys changed, in {@code audit_log}. It sees every request
 * of a person that may change something, and writes in the transaction of the change. It never
 * decides whether a request is permitted, and holds no secret.
 */
@NullMarked
package io.convoke.server.audit;

import org.jspecify.annotations.NullMarked;
