/**
 * A Docker engine for tests: {@code dockerd} and {@code containerd} with their own sockets and
 * folder, no bridge and no firewall rules, and images made of files of this machine. It never
 * touches another engine of the machine and never asks a registry.
 */
@NullMarked
package io.convoke.fakes.docker;

import org.jspecify.annotations.NullMarked;
