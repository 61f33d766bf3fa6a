/**
 * The SDK for bots and the reference bot built with it; the main class of the pod. A {@link
 * io.convoke.agent.Bot} only joins and leaves a meeting; reporting, heartbeats, commands, retries
 * and the orderly end are done here. It owns what a bot process needs at run time and nothing else:
 * a bot must start fast and stay small, and it never reads the control plane's configuration or
 * stores.
 */
@NullMarked
package io.convoke.agent;

import org.jspecify.annotations.NullMarked;
