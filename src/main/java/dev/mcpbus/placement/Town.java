package dev.mcpbus.placement;

import java.time.Duration;

/** What the nodes tell each other by the bus. Called on the context of the {@link Placement}. */
public interface Town {

  /** Says that this node is there. */
  void call();

  /** How many nodes were heard within {@code silence}, this one included; any thread may ask. */
  int heard(Duration silence);

  /** True where {@code failure} says that too few nodes see each other. */
  boolean isQuorumLost(Throwable failure);

  /** This node ends: the others need not wait for its membership to. */
  void leaving();

  boolean isLeaving(String node);

  /** Whether calls of the claim of this name are answered by who owns it. */
  boolean isServing(String key);

  void claimed(String id, Claim claim);

  void serving(String id, Claim claim);

  void released(String id, Claim claim);
}
