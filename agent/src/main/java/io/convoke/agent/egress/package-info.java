/**
 * Recordings, live streams and pictures of a room of a Janus, made by a pod from what Janus
 * forwards. Never joins the room, and never decides who may record it: the task brings the room's
 * secret.
 */
@NullMarked
package io.convoke.agent.egress;

import org.jspecify.annotations.NullMarked;
