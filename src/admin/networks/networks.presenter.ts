import { cursorCommands } from '../../offers/cursor-commands.sql.js';
import type { NetworkState, NodeState } from '../../offers/network-states.service.js';
import { troubleOf } from '../../offers/network-views.service.js';
import { presentTime } from '../amount.js';
import type { NetworkStateObject } from './networks.schema.js';

/** A network with its listener and its nodes. */
export function presentNetworkState({ view, cursor, nodes }: NetworkState): NetworkStateObject {
  const trouble = troubleOf(view);
  const { chainRef, headHeight, height } = view;
  return {
    id: chainRef,
    object: 'network_state',
    environment: view.environment,
    network: view.network,
    chain_id: view.chainId,
    status: trouble?.status ?? 'ok',
    reason: trouble?.reason ?? null,
    is_listening: cursor.isListening,
    halted_reason: view.haltedReason,
    finality_doubt: view.finalityDoubt,
    paused:
      cursor.pausedAt === null
        ? null
        : { at: presentTime(cursor.pausedAt), by: cursor.pausedBy ?? '', reason: cursor.pausedReason ?? '' },
    head_height: headHeight,
    height,
    hash: cursor.hash,
    block_time: presentTime(cursor.blockTime),
    lag_blocks: Math.max(0, headHeight - height),
    lag_seconds: Math.round(view.lagMs / 100) / 10,
    synced_at: presentTime(cursor.syncedAt),
    finalized_height: view.finalizedHeight,
    confirmations: view.confirmations,
    last_reorg:
      cursor.reorgAt === null
        ? null
        : {
            at: presentTime(cursor.reorgAt),
            from_height: Number(cursor.reorgFrom),
            to_height: Number(cursor.reorgTo),
          },
    nodes: nodes.map(presentNode),
    commands: [`npx coffer doctor --network ${view.network}`, ...cursorCommands(chainRef)],
  };
}

function presentNode({ isForeign, isUp, ...node }: NodeState): NetworkStateObject['nodes'][number] {
  return {
    node: node.node,
    state: isForeign ? 'foreign' : isUp ? 'up' : 'down',
    latency_ms: node.latencyMs,
    recent_steps: node.recentSteps,
    recent_failures: node.recentFailures,
    last_error: node.lastError,
    reported_at: presentTime(node.reportedAt),
  };
}
