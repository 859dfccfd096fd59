import { type BlockHeader, ChainUnavailable, type NodeClient } from '../../chains/chain.js';
import type { NetworkProfile } from '../../chains/networks.js';
import { type ChainSource, ChainRegistry } from '../../chains/registry.js';
import { parseRpcEndpoint } from '../../chains/rpc/rpc-endpoint.js';
import { verifyTokens } from '../../chains/token-check.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';
import { checkRate } from './doctor-node-rate.js';

const LAG_MAX_MS = 30_000;
/** How many times the usual distance between head and final block is suspicious, and the least that is. */
const FINALITY_FACTOR = 5;
const FINALITY_BLOCKS_MIN = 20;

/** A node with what was found out about it. */
export interface ExaminedNode {
  /** Environment and network, such as `live/polygon`. */
  readonly chain: string;
  /** Scheme, host and port. */
  readonly node: string;
  readonly findings: readonly Finding[];
}

/** Returns one source for each node, so that each is asked by itself. */
export const nodesOf = (sources: readonly ChainSource[]): readonly ChainSource[] =>
  sources.flatMap((source) => source.rpcUrls.map((url) => ({ ...source, rpcUrls: [url] })));

/**
 * Asks a node for everything that the service needs of it, and changes nothing. The name of a check says what was asked.
 * @param withRate sends a burst of requests as well, to find out whether the node limits them
 */
export async function examineNode(source: ChainSource, withRate: boolean): Promise<ExaminedNode> {
  const registry = new ChainRegistry([source]);
  const { profile, rpcUrls } = source;
  const chain = `${profile.environment}/${profile.network}`;
  const node = parseRpcEndpoint(rpcUrls[0] ?? '').label;
  try {
    const findings: Finding[] = [];
    for (const served of registry.all()) {
      const { nodes } = served;
      findings.push(
        ...(await nodes.attempt(async ({ client }) => [
          ...(await examine(client, profile)),
          ...(withRate ? [await checkRate(client)] : []),
        ])),
      );
    }
    return { chain, node, findings };
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    const advice = 'check its URL: the service reads nothing from this node meanwhile';
    return { chain, node, findings: [fail('chain', error.message, advice)] };
  } finally {
    await registry.close();
  }
}

async function examine(client: NodeClient, profile: NetworkProfile): Promise<Finding[]> {
  const { version, abilities } = await client.facts();
  return [
    ok('chain', profile.chainId),
    version === null ? ok('version', 'not reported') : ok('version', version),
    ...(await checkBlocks(client, profile)),
    ...(await checkTokens(client, profile)),
    ...abilities.map(({ name, found, advice, isRequired }) => {
      if (advice === null) return ok(name, found);
      return isRequired ? fail(name, found, advice) : warn(name, found, advice);
    }),
  ];
}

async function checkBlocks(
  client: NodeClient,
  { usualFinalityDepth, quietGraceMs }: NetworkProfile,
): Promise<Finding[]> {
  const head = await client.head();
  const behind = head.height - (await client.finalizedHeight(head));
  const depth = `${behind} blocks below the newest, usually ${usualFinalityDepth}`;
  const isStalled = behind > Math.max(FINALITY_BLOCKS_MIN, FINALITY_FACTOR * usualFinalityDepth);
  return [
    // Some development chains make no block while nothing happens.
    checkAge(head, quietGraceMs === null),
    isStalled ? warn('final block', depth, 'credits wait for the network') : ok('final block', depth),
  ];
}

function checkAge({ height, time }: BlockHeader, isPublic: boolean): Finding {
  const ageMs = Date.now() - time.getTime();
  const seconds = (Math.abs(ageMs) / 1000).toFixed(1);
  if (isPublic && ageMs < -LAG_MAX_MS) {
    const ahead = `block ${height} is ${seconds} s ahead of the clock of this machine`;
    return warn('newest block', ahead, 'set that clock; if it is right, the node makes blocks up: use another one');
  }
  const age = `block ${height}, ${ageMs > 0 ? seconds : '0.0'} s old`;
  const isLagging = isPublic && ageMs > LAG_MAX_MS;
  return isLagging
    ? warn('newest block', age, 'use a node that is in sync, or wait until it is')
    : ok('newest block', age);
}

async function checkTokens(client: NodeClient, profile: NetworkProfile): Promise<Finding[]> {
  const mismatches = await verifyTokens(client, profile);
  if (mismatches.length === 0) return [ok('tokens', profile.tokens.map(({ symbol }) => symbol).join(', '))];
  return mismatches.map(({ token, decimalsOnChain }) => {
    const found = decimalsOnChain === null ? 'is no token' : `has ${decimalsOnChain} decimals`;
    const detail = `${token.contract} (${token.symbol}) ${found}, and ${token.decimals} are listed`;
    return fail('tokens', detail, 'the token is off: point the RPC URL at the right chain');
  });
}
