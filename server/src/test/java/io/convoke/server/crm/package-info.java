/** Tests of the CRM clients. */
@NullMarked
package io.convoke.server.crm;

import org.jspecify.annotations.NullMarked;
