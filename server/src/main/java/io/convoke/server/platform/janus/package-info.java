/**
 * Janus, a WebRTC server of one's own: its rooms and participants by the admin API, and the posts
 * of its event handler. Never keeps state, and never touches media.
 */
@NullMarked
package io.convoke.server.platform.janus;

import org.jspecify.annotations.NullMarked;
