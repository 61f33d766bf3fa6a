/**
 * Teams of users, who see each other's meetings and may own rooms together. It owns the tables
 * {@code teams} and {@code team_members} and the endpoints under {@code /admin/teams}. It decides
 * nothing about requests: whom a caller sees is read with the caller's key.
 */
@NullMarked
package io.convoke.server.teams;

import org.jspecify.annotations.NullMarked;
