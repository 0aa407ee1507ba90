package dev.mcpbus.supervisor;

import dev.mcpbus.supervisor.SupervisedChild.Phase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Applies the restart strategy: which children wait (are held) while another child, their leader,
 * backs off, and when they start again. Confined to its {@link Supervision}.
 */
final class RestartGroup {

  private final RestartStrategy strategy;
  private final ChildTransitions moves;

  /** In order of addition; a live view of the children of the {@link Supervision}. */
  private final Collection<SupervisedChild> children;

  /** Leaders whose back-off is over while some children of their group are still stopping. */
  private final Set<SupervisedChild> due = new LinkedHashSet<>();

  RestartGroup(
      RestartStrategy strategy, Collection<SupervisedChild> children, ChildTransitions moves) {
    this.strategy = strategy;
    this.children = children;
    this.moves = moves;
  }

  /** Stops the other children of the group, the last added first. */
  void holdOthers(SupervisedChild leader) {
    if (strategy == RestartStrategy.ONE_FOR_ONE) {
      return;
    }
    List<SupervisedChild> order = new ArrayList<>(children);
    int first = strategy == RestartStrategy.ONE_FOR_ALL ? 0 : order.indexOf(leader);
    for (int i = order.size() - 1; i >= first; i--) {
      SupervisedChild child = order.get(i);
      boolean alive = child.phase != Phase.IDLE && child.phase != Phase.GAVE_UP;
      if (child != leader && child.wanted && alive) {
        hold(child, leader);
      }
    }
  }

  void hold(SupervisedChild child, SupervisedChild leader) {
    boolean session = child.hasSession();
    boolean temporary = session && child.policy().type() == RestartType.TEMPORARY;
    due.remove(child);
    moves.cancel(child);
    if (session) {
      moves.stop(child, !temporary, child.spec.drain());
    }
    child.wanted = !temporary;
    child.phase = temporary ? Phase.IDLE : Phase.HELD;
    child.heldBy = temporary ? null : leader;
  }

  /** Cancels what was planned for the child. The children that wait for it go on without it. */
  void detach(SupervisedChild child) {
    due.remove(child);
    moves.cancel(child);
    child.heldBy = null;
    if (strategy != RestartStrategy.ONE_FOR_ONE) {
      children.stream().filter(other -> other.heldBy == child).forEach(this::resume);
    }
  }

  void resume(SupervisedChild child) {
    due.remove(child);
    child.heldBy = null;
    if (child.wanted) {
      moves.enqueue(child);
    } else {
      child.phase = Phase.IDLE;
      moves.ensureDeployed(child);
    }
  }

  /** The child's back-off is over. */
  void due(SupervisedChild child) {
    due.add(child);
  }

  /** Releases, in order of addition, the groups in which no session is being stopped any more. */
  void releaseDue() {
    List.copyOf(due).stream().filter(leader -> !anyStopping(leader)).forEach(this::releaseGroup);
  }

  private boolean anyStopping(SupervisedChild leader) {
    if (strategy == RestartStrategy.ONE_FOR_ONE) {
      return leader.stopping();
    }
    return children.stream().anyMatch(c -> inGroup(c, leader) && c.stopping());
  }

  private void releaseGroup(SupervisedChild leader) {
    if (strategy == RestartStrategy.ONE_FOR_ONE) {
      resume(leader);
      return;
    }
    children.stream().filter(child -> inGroup(child, leader)).forEach(this::resume);
  }

  private static boolean inGroup(SupervisedChild child, SupervisedChild leader) {
    return child == leader || child.heldBy == leader;
  }
}
