/**
 * Bots as dispatched instances of one parameterized Nomad job. An idempotency token makes a
 * repeated dispatch find the first one; metadata distinguishes our instances from others; blocking
 * queries report exits. It never registers or changes the job itself: image, resources, restart
 * policy and {@code kill_timeout} are the operator's, see the guide. Tested only against a fake of
 * the published API.
 */
@NullMarked
package io.convoke.server.launch.nomad;

import org.jspecify.annotations.NullMarked;
