package dev.mcpbus.protocol;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a type that programs which embed mcpbus may use, with its public nested types. Its public
 * signatures name marked types, and those of the JDK, Vert.x and the libraries of its package,
 * alone. A type without this mark may change in every release.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface PublicApi {}
