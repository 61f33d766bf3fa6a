/**
 * Tasks as the server offers them (CONTRACT.md, "Tasks"): who may ask for one and see it, tokens
 * sealed before they leave us, lists, dead letters, the journal's rows of every move, metrics. Who
 * runs a task, when, and how often is {@code engine.dispatch}'s alone; no state is written here.
 */
@NullMarked
package io.convoke.server.dispatch;

import org.jspecify.annotations.NullMarked;
