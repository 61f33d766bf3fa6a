/**
 * A Docker engine of our own: {@code dockerd} and {@code containerd} with their own sockets and
 * folder, no bridge and no firewall rules, and images made of what this machine has. It never
 * touches another engine of the machine and never asks a registry.
 */
@NullMarked
package io.convoke.fakes.docker;

import org.jspecify.annotations.NullMarked;
