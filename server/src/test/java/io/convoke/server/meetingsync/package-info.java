/** Tests of the CRM clients. */
@NullMarked
package io.convoke.server.meetingsync;

import org.jspecify.annotations.NullMarked;
