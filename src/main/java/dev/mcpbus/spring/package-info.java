/**
 * The auto-configuration for Spring Boot. It does nothing where Spring Boot is absent; a program
 * that uses it brings Spring Boot 4.
 */
@NullMarked
package dev.mcpbus.spring;

import org.jspecify.annotations.NullMarked;
