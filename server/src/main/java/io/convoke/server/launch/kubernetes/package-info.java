/**
 * Bots as bare pods of one Kubernetes namespace. A pod's name is its launch's, so a repeated create
 * finds the first; a watch reports exits, and a listing closes the gap after each reconnect. Pods
 * and not Jobs, because a Job replaces a lost pod by itself, and the server counts attempts. {@code
 * BOT_CONFIG} lies in a Secret that its pod owns. It never touches a pod without our labels. Tested
 * only against a fake of the published API.
 */
@NullMarked
package io.convoke.server.launch.kubernetes;

import org.jspecify.annotations.NullMarked;
